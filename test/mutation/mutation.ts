/**
 * Are the decisions tested? Makes small changes to each decision file, one at a time, and runs that file's tests: a change
 * that no test fails for is a survivor. It is mended by a test or by simpler code, or listed in docs/fault-matrix.md with the
 * reason. Ends non-zero for a survivor that is not listed, and for a listed one that does not survive.
 *
 *   npm run test:mutation -- [--benches N] [PATTERN…]
 *
 * A pattern is a part of a decision file's path.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { DECISION_FILES, type DecisionFile } from './decision-files.ts';
import { readKnownSurvivors, rowOf } from './known-survivors.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { RepositoryCopy } from './repository-copy.ts';
import { TestBench, type Ask } from './test-bench.ts';

/** Tests of a changed file may take this much longer than those of the file as it is, beside the same load. */
const PATIENCE = 10;
const LEAST_PATIENCE_MS = 5000;
const MOST_PATIENCE_MS = 200_000;

/** A mutant that the tests of its file have passed with. */
interface Passed {
  readonly file: string;
  readonly mutant: Mutant;
}

interface Trials {
  readonly passed: readonly Passed[];
  /** Those whose tests were not done in time. */
  readonly late: readonly Mutant[];
}

const root = dirname(dirname(import.meta.dirname));
const program = new Command('test:mutation')
  .description('change each decision a little, and tell of the changes that no test fails for')
  .argument('[pattern...]', "parts of the decision files' paths; all of them where none is named")
  .option('--benches <n>', 'files that are tried at the same time', number, availableParallelism())
  .parse();
const patterns = program.args;
const chosen = DECISION_FILES.filter(
  ({ file }) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);
const known = readKnownSurvivors(readFileSync(join(root, 'docs', 'fault-matrix.md'), 'utf8'));

const startedAt = Date.now();
const copy = new RepositoryCopy(root);
const benches = Array.from({ length: program.opts<{ benches: number }>().benches }, () => new TestBench(copy.folder));
const alone = new TestBench(copy.folder);
const stop = () => {
  for (const bench of [...benches, alone]) bench.close();
  copy.close();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop();
    process.exit(130);
  });
}
try {
  const left = [...chosen];
  const passed: Passed[] = [];
  const late: { readonly decided: DecisionFile; readonly mutants: readonly Mutant[] }[] = [];
  const made = new Map<string, number>();
  // Each bench takes the next file when it is done.
  const work = async (bench: TestBench) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const began = Date.now();
      const mutants = mutantsOf(copy.read(next.file));
      const trials = await trialsOf(bench, next, mutants);
      made.set(next.file, mutants.length);
      passed.push(...trials.passed);
      if (trials.late.length > 0) late.push({ decided: next, mutants: trials.late });
      console.log(`${secondsSince(began)} s for ${mutants.length} mutants: ${next.file}`);
    }
  };
  await Promise.all(benches.map(work));
  // It may have been the fault of whatever else ran: once more, one after the other.
  for (const { decided, mutants } of late) passed.push(...(await trialsOf(alone, decided, mutants)).passed);
  // A change that the compiler refuses needs no test.
  const compiles = copy.compiles(passed.map(({ file, mutant }) => ({ file, source: mutant.source })));
  const survivors = passed.filter((_, i) => compiles[i]);
  process.exitCode = report(
    made,
    survivors,
    late.reduce((sum, { mutants }) => sum + mutants.length, 0),
  )
    ? 0
    : 1;
} finally {
  stop();
}

/** The mutants that the file's tests pass with, and those that take too long. */
async function trialsOf(bench: TestBench, decided: DecisionFile, mutants: readonly Mutant[]): Promise<Trials> {
  const { file, tests } = decided;
  const asItIs = { file, source: copy.read(file), tests, limitMs: MOST_PATIENCE_MS };
  // The first time its modules are loaded as well.
  await mustPass(bench, asItIs, 'as it is');
  const began = Date.now();
  await mustPass(bench, asItIs, 'as it is, the second time');
  const limitMs = Math.max(LEAST_PATIENCE_MS, PATIENCE * (Date.now() - began));
  const passed: Passed[] = [];
  const late: Mutant[] = [];
  for (const mutant of mutants) {
    // The one before took too long, or there was no more memory: modules are loaded again, which is no fault of this change.
    if (bench.isNew) await mustPass(bench, asItIs, 'as it is, in a new process');
    const outcome = await bench.run({ file, source: mutant.source, tests, limitMs });
    if (outcome === 'passed') passed.push({ file, mutant });
    if (outcome === 'timed out') late.push(mutant);
  }
  await mustPass(bench, asItIs, 'as it is, after its mutants: these have left something behind');
  return { passed, late };
}

async function mustPass(bench: TestBench, ask: Ask, when: string): Promise<void> {
  const outcome = await bench.run(ask);
  if (outcome === 'passed') return;
  throw new Error(`tests of ${ask.file} ${outcome} with it ${when}: ${ask.tests.join(', ')}`);
}

/**
 * @param made how many mutants of each file there are
 * @param late how many of them were tried twice
 */
function report(made: ReadonlyMap<string, number>, survivors: readonly Passed[], late: number): boolean {
  const isKnown = ({ file, mutant }: Passed) =>
    known.some((listed) => listed.file === file && listed.change === mutant.change);
  for (const [file, all] of made) {
    const survived = survivors.filter((one) => one.file === file);
    const unlisted = survived.filter((one) => !isKnown(one));
    console.log(`${all - survived.length} of ${all} killed, ${survived.length - unlisted.length} listed: ${file}`);
    for (const { mutant } of unlisted) {
      console.log(`  ${file}:${mutant.line}\n  ${rowOf({ file, change: mutant.change })}`);
    }
  }
  const stale = known.filter(
    ({ file, change }) =>
      (patterns.length === 0 || made.has(file)) &&
      !survivors.some((survivor) => survivor.file === file && survivor.mutant.change === change),
  );
  for (const survivor of stale) console.log(`listed, and does not survive: ${rowOf(survivor)}`);
  const unlisted = survivors.filter((survivor) => !isKnown(survivor)).length;
  const total = [...made.values()].reduce((sum, count) => sum + count, 0);
  const retried = late === 0 ? '' : `, ${late} tried twice as they took too long`;
  console.log(`${total} mutants${retried}, ${unlisted} survivors that are not listed, ${secondsSince(startedAt)} s`);
  return unlisted === 0 && stale.length === 0;
}

function secondsSince(at: number): number {
  return Math.round((Date.now() - at) / 1000);
}

function number(text: string): number {
  const parsed = Number(text);
  if (!Number.isInteger(parsed) || parsed < 1) throw new InvalidArgumentError('Must be a whole number from 1 on.');
  return parsed;
}
