/**
 * Runs test files with a changed source when it is told to, and answers whether they passed. It is no process of Jest's: Jest loads
 * all modules anew for each test file, which takes a hundred times longer than most of these tests.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { configureGlobal } from 'fast-check';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { FreshModules } from './fresh-modules.ts';
import type { Answer, Ask } from './test-bench.ts';
import { jest } from './test-globals.ts';

/** Modules that were loaded are never forgotten: then another process goes on, in bytes. */
const MOST_MEMORY = 1200 * 1024 * 1024;

/** One run of the tests. */
interface Trial {
  hasFailed: boolean;
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
  if (event.name === 'test_start' && trial.hasFailed) event.test.mode = 'skip';
  if (event.name === 'test_done' && event.test.errors.length > 0) trial.hasFailed = true;
});
// What a trial that is over left behind is not the next one's.
const blame = () => {
  const trial = trials.getStore();
  if (trial !== undefined) trial.hasFailed = true;
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
  const passed = await passes(tests, limitMs);
  return { passed, isSpent: process.memoryUsage().rss > MOST_MEMORY };
}

async function passes(tests: readonly string[], limitMs: number): Promise<boolean> {
  for (const path of tests) {
    const trial: Trial = { hasFailed: false };
    await trials.run(trial, () => runTests(path, trial, limitMs));
    if (trial.hasFailed) return false;
  }
  return true;
}

async function runTests(path: string, trial: Trial, limitMs: number): Promise<void> {
  resetState();
  // One that waits for what does not come any more fails.
  getState().testTimeout = limitMs;
  try {
    await modules.loadChanged(path);
  } catch {
    trial.hasFailed = true;
    return;
  }
  const { unhandledErrors, testResults } = await run();
  jest.restoreAllMocks();
  if (testResults.length === 0) throw new Error(`there is no test in ${path}`);
  if (unhandledErrors.length > 0) trial.hasFailed = true;
  // What was rejected meanwhile is told of at the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
}
