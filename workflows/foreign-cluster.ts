/**
 * An object of another cluster reaches a worker where two clusters share a task queue by mistake. That must not end the
 * object's workflow. Part of the workflow bundle, as an interceptor of every workflow.
 */
import { ApplicationFailure, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { FOREIGN_CLUSTER } from './failure-types.ts';

/**
 * What the bundler asks an interceptor module for. A local activity's refusal fails the workflow task and not the workflow:
 * nothing of it is recorded, the reason is shown with the task, and Temporal gives the task to any worker of the queue, again
 * and again, until one of the right cluster has it. A recorded activity is repeated by its own retries; where such a refusal
 * is in the history, a failed task would only meet it again.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (!(error instanceof ApplicationFailure) || error.type !== FOREIGN_CLUSTER) throw error;
          // Any error that is not Temporal's own fails the task.
          throw new Error(`${error.message}; another worker of this task queue has to take it`, { cause: error });
        }
      },
    },
  ],
});
