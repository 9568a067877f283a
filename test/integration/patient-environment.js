import { TestEnvironment } from 'jest-environment-node';

/** How much longer a test or hook may take beside others, on two slow processors. */
const PATIENCE = 4;

/**
 * Where several files of tests run at the same time. What a file gives a test or hook is what it takes on a computer of its own;
 * whatever it waits for has limits of its own, which go by how crowded the computer is, and tell more when they are over.
 */
export default class PatientEnvironment extends TestEnvironment {
  handleTestEvent(event, state) {
    const { currentDescribeBlock } = state;
    // Of those that name none.
    if (event.name === 'run_start') state.testTimeout *= PATIENCE;
    if (event.timeout === undefined) return;
    if (event.name === 'add_test') currentDescribeBlock.tests.at(-1).timeout = event.timeout * PATIENCE;
    if (event.name === 'add_hook') currentDescribeBlock.hooks.at(-1).timeout = event.timeout * PATIENCE;
  }
}
