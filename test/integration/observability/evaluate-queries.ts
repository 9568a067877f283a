import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveServers } from '../../../devstack/servers/resolve-servers.ts';
import { runCommand } from '../../../devstack/servers/run-command.ts';
import { silentProgress } from '../../../devstack/progress.ts';
import type { Scrape } from './scrape.ts';

/** promtool, with its exit code and everything it printed. */
export async function promtool(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  const servers = await resolveServers(['promtool'], silentProgress, new AbortController().signal);
  const { path } = servers.get('promtool') ?? { path: 'promtool' };
  return runCommand(path, [...args], { timeoutMs: 60_000 });
}

/**
 * Evaluates queries against real scrapes, one minute apart, with the engine of Prometheus and without its server: promtool
 * takes the scrapes for the input of a test that expects of each query that it yields nothing. What it complains of is
 * what the query yields.
 *
 * @returns for each query how many series it yields at the time of the last scrape
 */
export async function countSeries(
  queries: readonly string[],
  scrapes: readonly Scrape[],
): Promise<Map<string, number>> {
  const test = {
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: seriesOf(scrapes),
        promql_expr_test: queries.map((query) => ({
          expr: `count(${query})`,
          eval_time: `${scrapes.length - 1}m`,
          exp_samples: [],
        })),
      },
    ],
  };
  const folder = await mkdtemp(join(tmpdir(), 'millwright-queries-'));
  try {
    const file = join(folder, 'queries.test.yaml');
    await writeFile(file, JSON.stringify(test));
    return readAnswers(queries, (await promtool('test', 'rules', file)).output);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function seriesOf(scrapes: readonly Scrape[]): { series: string; values: string }[] {
  const names = new Set(scrapes.flatMap((one) => [...one.keys()]));
  return [...names].map((series) => ({ series, values: scrapes.map((one) => one.get(series) ?? '_').join(' ') }));
}

function readAnswers(queries: readonly string[], output: string): Map<string, number> {
  const told = [...output.matchAll(/expr: ("(?:[^"\\]|\\.)*"), time: \S+\s+exp: nil\s+got: \{\} (\S+)/g)];
  const answers = new Map(told.map(([, expr = '""', got]) => [JSON.parse(expr) as string, Number(got)]));
  // A complaint that is none of an answer, e.g. of a query that does not parse.
  if (answers.size === 0 && !output.includes('SUCCESS')) throw new Error(`promtool could not evaluate: ${output}`);
  return new Map(queries.map((query) => [query, answers.get(`count(${query})`) ?? 0]));
}
