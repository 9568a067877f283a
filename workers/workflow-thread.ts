/** What a thread that runs workflow code runs: the SDK's own, but no call stack is taken of each promise, and its global object is plain. */
import v8 from 'node:v8';
import { makeSandboxesPlain } from './plain-sandbox.ts';

v8.promiseHooks.createHook = () => () => {};
makeSandboxesPlain();
await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
