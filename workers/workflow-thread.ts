/** What a thread that runs workflow code runs: the SDK's own, but no call stack is taken of each promise. */
import v8 from 'node:v8';

v8.promiseHooks.createHook = () => () => {};
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
