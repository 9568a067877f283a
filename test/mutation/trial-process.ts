/**
 * Runs test files with a changed source when it is told to, and answers what came of it. It is no process of Jest's: Jest loads
 * all modules anew for each test file, which takes a hundred times longer than most of these tests.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { configureGlobal } from 'fast-check';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { FreshModules } from './fresh-modules.ts';
import type { Answer, Ask, Outcome } from './test-bench.ts';
import { jest } from './test-globals.ts';

/** Modules that were loaded are never forgotten: then another process goes on, in bytes. */
const MOST_MEMORY = 1200 * 1024 * 1024;

/** One run of the tests. */
interface Trial {
  outcome: Outcome;
}

// The same mutants die in every run, of the first example that shows them.
configureGlobal({ seed: 1, endOnFailure: true });

const modules = new FreshModules(process.cwd());
const loaded = new Set<string>();
const trials = new AsyncLocalStorage<Trial>();

addEventHandler((event) => {
  const trial = trials.getStore();
  if (trial === undefined) return;
  // One that fails is enough.
  if (event.name === 'test_start' && trial.outcome !== 'passed') event.test.mode = 'skip';
  if (event.name === 'test_done' && event.test.errors.length > 0) {
    trial.outcome = (event.test.duration ?? 0) >= getState().testTimeout ? 'timed out' : 'failed';
  }
});
// What a trial that is over left behind is not the next one's.
const blame = () => {
  const trial = trials.getStore();
  if (trial?.outcome === 'passed') trial.outcome = 'failed';
};
process.on('unhandledRejection', blame);
process.on('uncaughtException', blame);

process.on('message', (ask: Ask) => {
  answer(ask).then(
    (given) => process.send?.(given),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
// Whoever asks is gone.
process.on('disconnect', () => process.exit());

async function answer({ file, source, tests, limitMs }: Ask): Promise<Answer> {
  for (const path of tests.filter((one) => !loaded.has(one))) {
    await modules.load(path);
    loaded.add(path);
  }
  modules.change(file, source);
  const outcome = await runAll(tests, limitMs);
  return { outcome, isSpent: process.memoryUsage().rss > MOST_MEMORY };
}

async function runAll(tests: readonly string[], limitMs: number): Promise<Outcome> {
  for (const path of tests) {
    const trial: Trial = { outcome: 'passed' };
    await trials.run(trial, () => runTests(path, trial, limitMs));
    if (trial.outcome !== 'passed') return trial.outcome;
  }
  return 'passed';
}

async function runTests(path: string, trial: Trial, limitMs: number): Promise<void> {
  resetState();
  // One that waits for what does not come any more fails.
  getState().testTimeout = limitMs;
  try {
    await modules.loadChanged(path);
  } catch {
    trial.outcome = 'failed';
    return;
  }
  const { unhandledErrors, testResults } = await run();
  jest.restoreAllMocks();
  if (testResults.length === 0) throw new Error(`there is no test in ${path}`);
  if (unhandledErrors.length > 0 && trial.outcome === 'passed') trial.outcome = 'failed';
  // What was rejected meanwhile is told of at the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
}
