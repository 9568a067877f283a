/**
 * Runs test files when it is told to, in the folder that it was started in, and answers whether they passed. It stays, since
 * to start Jest takes longer than most of these tests.
 */
import { runCLI } from 'jest';
import type { Ask, Answer } from './test-bench.ts';

/** Jest keeps some memory of each run: then another process goes on, in bytes. */
const MOST_MEMORY = 900 * 1024 * 1024;

process.on('message', ({ tests }: Ask) => {
  runTests(tests).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
// Whoever asks is gone.
process.on('disconnect', () => process.exit());

async function runTests(tests: readonly string[]): Promise<Answer> {
  const { results } = await runCLI(
    {
      $0: 'jest',
      _: [...tests],
      runTestsByPath: true,
      selectProjects: ['unit'],
      runInBand: true,
      silent: true,
      watchman: false,
      reporters: [],
      setupFilesAfterEnv: ['<rootDir>/test/mutation/fixed-seed.ts'],
      cacheDirectory: `${process.cwd()}/.jest-cache`,
    },
    [process.cwd()],
  );
  const { numTotalTestSuites, numFailedTests, numRuntimeErrorTestSuites } = results;
  if (numTotalTestSuites === 0) throw new Error(`no test file of ${tests.join(', ')} is there`);
  return {
    passed: numFailedTests + numRuntimeErrorTestSuites === 0,
    isSpent: process.memoryUsage().rss > MOST_MEMORY,
  };
}
