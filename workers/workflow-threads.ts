import { Worker as Thread } from 'node:worker_threads';
import { ThreadedVMWorkflowCreator, WorkerThreadClient } from '@temporalio/worker/lib/workflow/threaded-vm.js';

type CreateOptions = Parameters<typeof ThreadedVMWorkflowCreator.create>[0];

/** How the SDK makes the threads that run workflow code. */
const made = ThreadedVMWorkflowCreator.create.bind(ThreadedVMWorkflowCreator);

/**
 * Runs workflow code without two aids for finding defects in it, which together took three quarters of the workflow
 * thread's CPU: Node's watchdog, a thread that is started and ended for each call into the sandbox, and the call stack that
 * is taken of each promise for the UI's "Call Stack"; and in sandboxes whose global object is plain. The SDK has no option for
 * any of these, so its threads are made here; it is pinned to one version, and a test tells where the next one is made differently. docs/decisions/014 has the figures.
 */
export function runWorkflowsLean(): void {
  ThreadedVMWorkflowCreator.create = createLean;
}

/** The SDK's own way again. */
export function runWorkflowsDebuggable(): void {
  ThreadedVMWorkflowCreator.create = made;
}

async function createLean(options: CreateOptions): Promise<ThreadedVMWorkflowCreator> {
  const { threadPoolSize, logger, patchActivationCallback, workflowBundle, reuseV8Context, registeredActivityNames } =
    options;
  const clients = Array.from(
    { length: threadPoolSize },
    () => new WorkerThreadClient(new Thread(threadEntry()), logger, patchActivationCallback),
  );
  await Promise.all(
    clients.map((client) =>
      client.send({
        type: 'init',
        workflowBundle,
        // None. Its type knows numbers only.
        isolateExecutionTimeoutMs: undefined as unknown as number,
        reuseV8Context,
        registeredActivityNames,
        hasPatchActivationCallback: patchActivationCallback !== undefined,
      }),
    ),
  );
  return new ThreadedVMWorkflowCreator(clients);
}

function threadEntry(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./workflow-thread.${extension}`, import.meta.url);
}
