/**
 * Plays the whole product on virtual time, under an adversary, and judges what it does. docs/simulation.md tells how.
 *
 *   npm run simulate -- [--scenario NAME] [--lives N] [--minutes M] [--seed S] [--from WORD] [--jobs N] [--sum FILE] [--beyond] [--json] [--test]
 */
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { play } from './play.ts';
import { Ranges } from './ranges.ts';
import { REGRESSIONS } from './regressions.ts';
import { PLAYED, SCENARIOS, type ScenarioName } from './scenarios.ts';
import { shrink } from './shrink.ts';
import { seedOfSources } from './source-seed.ts';
import { runSideBySide } from './side-by-side.ts';
import { Tally, type Result } from './tally.ts';

interface Options {
  readonly scenario?: ScenarioName;
  readonly lives?: number;
  readonly minutes?: number;
  readonly seed?: string;
  readonly from: string;
  readonly jobs: number;
  readonly json?: true;
  readonly test?: true;
  readonly beyond?: boolean;
  readonly sum?: string;
}

/**
 * What `npm test` takes beside the regressions, as far as the time goes: so many runs of all scenarios, the same on each machine, and
 * then calm churn, in which a life costs least.
 */
const TEST_RUNS = 84;
const TEST_MINUTES = 2.5;

const program = new Command('simulate')
  .description('play the whole product on virtual time, under an adversary, and judge what it does')
  .addOption(
    new Option('--scenario <name>', 'what is played; all in turn where none is named').choices(Object.keys(SCENARIOS)),
  )
  .option('--lives <n>', 'end after so many machine lives', number)
  .option('--minutes <n>', 'end after so many minutes', number)
  .option('--seed <seed>', 'replay one run, and tell its story where it fails')
  .option('--from <seed>', 'what the seeds of the runs begin with', 'run')
  .option('--jobs <n>', 'runs at the same time', number, availableParallelism())
  .option('--beyond', 'play in a world that the proof of one instance does not hold in: it has to fail')
  .addOption(
    new Option(
      '--sum <file>',
      'add the result to what is in the file, and go on behind the runs that are in it',
    ).conflicts(['beyond', 'seed', 'test']),
  )
  .option('--json', 'print the result as JSON')
  .option('--test', 'the regressions, and as much more as fits into the time of a test')
  .parse();
const options = program.opts<Options>();

process.exitCode = options.seed === undefined ? await playMany(options) : await replay(options, options.seed);
process.exit();

async function playMany({
  scenario,
  lives,
  minutes,
  from,
  jobs,
  json,
  test,
  beyond = false,
  sum,
}: Options): Promise<number> {
  const startedAt = performance.now();
  const secondsUp = (): number => (performance.now() - startedAt) / 1000;
  const tally = new Tally();
  const names = scenario === undefined ? PLAYED : [scenario];
  const mostLives = lives ?? (test || minutes !== undefined ? Infinity : 1000);
  const mostSeconds = (minutes ?? (test ? TEST_MINUTES : Infinity)) * 60;
  const first = test ? REGRESSIONS.map(({ seed, scenario: of }) => ({ seed, scenario: of })) : [];
  const base = test ? seedOfSources() : from;
  const ranges = sum === undefined ? undefined : new Ranges(sum, { from, scenario, sources: seedOfSources() });
  let next = ranges?.last ?? 0;
  const take = () => {
    const known = first.shift();
    if (known !== undefined) return known;
    if (tally.lives >= mostLives || secondsUp() >= mostSeconds || tally.failed.length > 0) return undefined;
    const name = test && next >= TEST_RUNS ? 'churn' : (names[next % names.length] ?? 'hostile');
    next += 1;
    return { seed: `${base}-${next}`, scenario: name };
  };
  let toldAt = 0;
  const { replayed, refused } = await runSideBySide(jobs, beyond, take, (result) => {
    tally.add(result);
    ranges?.add(Number(result.seed.slice(base.length + 1)), result);
    ranges?.save();
    if (json || secondsUp() - toldAt < 10) return;
    toldAt = secondsUp();
    console.log(`${tally.lives} lives in ${tally.runs} runs, ${toldAt.toFixed(0)} s`);
  });
  console.log(json ? JSON.stringify(tally.toJson(secondsUp()), undefined, 2) : tally.describe(secondsUp()));
  if (!json) console.log(`${replayed} histories were given to the SDK's real core, which refused ${refused.length}`);
  if (ranges !== undefined) console.error(ranges.describe());
  for (const { file, message } of refused) console.error(`FAILED  real core: ${file}: ${message}`);
  for (const result of tally.failed) explain(result, beyond);
  return tally.failed.length + refused.length > 0 ? 1 : 0;
}

function explain({ scenario, seed, violations }: Result, beyond: boolean): void {
  for (const { judge, message } of violations) console.error(`FAILED  ${judge}: ${message}`);
  console.error(`        npm run simulate -- --scenario ${scenario} --seed ${seed}${beyond ? ' --beyond' : ''}`);
}

/** One run again, and what is left of it where it fails. */
async function replay(
  { scenario = 'hostile', json, beyond: isBeyond = false }: Options,
  seed: string,
): Promise<number> {
  const run = { seed, scenario, isBeyond };
  const outcome = await play(run);
  const [violation] = outcome.violations;
  if (violation === undefined) {
    console.log(outcome.story.toString());
    console.log(`held: ${outcome.lives} lives, ${outcome.steps} steps, at rest after ${outcome.restMs / 1000} s`);
    return 0;
  }
  const shrunk = await shrink(run, outcome, (left) => json || console.error(`… it takes ${left} disturbances at most`));
  console.log(shrunk.story.toString());
  for (const { judge, message } of shrunk.violations) console.log(`FAILED  ${judge}: ${message}`);
  console.log(
    `with ${shrunk.kept.length} of ${outcome.disturbances} disturbances; ${outcome.steps} steps in the whole run`,
  );
  return 1;
}

function number(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('it has to be a number above 0');
  return value;
}
