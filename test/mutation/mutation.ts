/**
 * Are the decisions tested? Makes small changes to each decision file, one at a time, and runs that file's tests: a change
 * that no test fails for is a survivor. It is mended by a test or by simpler code, or listed in docs/fault-matrix.md with the
 * reason. Ends non-zero for a survivor that is not listed, and for a listed one that does not survive.
 *
 *   npm run test:mutation [-- PATTERN…]
 *
 * A pattern is a part of a decision file's path.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DECISION_FILES, type DecisionFile } from './decision-files.ts';
import { readKnownSurvivors, rowOf } from './known-survivors.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { TestBench } from './test-bench.ts';

/** Copies of the repository that are tried at the same time. */
const BENCHES = 2;
/** Tests of a changed file may take this much longer than those of the file as it is. */
const PATIENCE = 5;
const LEAST_PATIENCE_MS = 10_000;
/** How often it tells how far it is, in mutants. */
const TELLS_EACH = 100;

const root = dirname(dirname(import.meta.dirname));
const patterns = process.argv.slice(2);
const chosen = DECISION_FILES.filter(
  ({ file }) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);
const known = readKnownSurvivors(readFileSync(join(root, 'docs', 'fault-matrix.md'), 'utf8'));

interface Trial {
  readonly decided: DecisionFile;
  readonly mutant: Mutant;
  readonly limitMs: number;
}

const startedAt = Date.now();
const passed: Trial[] = [];
let tried = 0;
const benches = Array.from({ length: BENCHES }, () => new TestBench(root));
const stop = () => {
  for (const bench of benches) bench.close();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop();
    process.exit(130);
  });
}
try {
  const trials: Trial[] = [];
  await shareOut(chosen, async (bench, decided) => {
    trials.push(...(await trialsOf(bench, decided)));
  });
  await shareOut(trials, async (bench, trial) => {
    const { decided, mutant, limitMs } = trial;
    if (await bench.passes(decided.file, mutant.source, decided.tests, limitMs)) passed.push(trial);
    tried += 1;
    if (tried % TELLS_EACH === 0)
      console.log(`${tried} of ${trials.length} mutants tried, ${secondsSince(startedAt)} s`);
  });
  // A change that the compiler refuses needs no test.
  const compiles = benches[0]?.compiles(
    passed.map(({ decided, mutant }) => ({ file: decided.file, source: mutant.source })),
  );
  const survivors = passed.filter((_, i) => compiles?.[i] ?? true);
  process.exitCode = report(trials, survivors) ? 0 : 1;
} finally {
  stop();
}

/** Each bench takes the next when it is done. */
async function shareOut<T>(work: readonly T[], act: (bench: TestBench, item: T) => Promise<void>): Promise<void> {
  const left = [...work];
  await Promise.all(
    benches.map(async (bench) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await act(bench, item);
    }),
  );
}

/** The mutants of a file whose tests pass as it is. */
async function trialsOf(bench: TestBench, decided: DecisionFile): Promise<Trial[]> {
  const source = readFileSync(join(root, decided.file), 'utf8');
  const began = Date.now();
  if (!(await bench.passes(decided.file, source, decided.tests, 20 * LEAST_PATIENCE_MS))) {
    throw new Error(`${decided.file} is as it should be, and its tests fail: ${decided.tests.join(', ')}`);
  }
  const limitMs = Math.max(LEAST_PATIENCE_MS, PATIENCE * (Date.now() - began));
  return mutantsOf(source).map((mutant) => ({ decided, mutant, limitMs }));
}

function report(trials: readonly Trial[], survivors: readonly Trial[]): boolean {
  const isKnown = ({ decided, mutant }: Trial) =>
    known.some(({ file, change }) => file === decided.file && change === mutant.change);
  for (const { file } of chosen) {
    const of = (all: readonly Trial[]) => all.filter(({ decided }) => decided.file === file);
    const [made, survived] = [of(trials), of(survivors)];
    const listed = survived.filter(isKnown);
    console.log(`${made.length - survived.length} of ${made.length} killed, ${listed.length} listed: ${file}`);
    for (const { mutant } of survived.filter((trial) => !isKnown(trial))) {
      console.log(`  ${file}:${mutant.line}\n  ${rowOf({ file, change: mutant.change })}`);
    }
  }
  const stale = known.filter(
    ({ file, change }) =>
      chosen.some((decided) => decided.file === file) &&
      !survivors.some(({ decided, mutant }) => decided.file === file && mutant.change === change),
  );
  for (const survivor of stale) console.log(`listed, and does not survive: ${rowOf(survivor)}`);
  const unlisted = survivors.filter((trial) => !isKnown(trial)).length;
  console.log(`${trials.length} mutants, ${unlisted} survivors that are not listed, ${secondsSince(startedAt)} s`);
  return unlisted === 0 && stale.length === 0;
}

function secondsSince(at: number): number {
  return Math.round((Date.now() - at) / 1000);
}
