import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Logger } from 'pino';
import { describeWorkflow } from '../../process/logging.ts';

/** Logs each signal that arrived, with the run that it came to. */
export function logSignals(log: Logger): WorkflowClientInterceptor {
  return {
    async signal(input, next) {
      await next(input);
      const { workflowId, runId } = input.workflowExecution;
      log.debug(describeWorkflow(workflowId, runId), 'signalled');
    },
    async signalWithStart(input, next) {
      const runId = await next(input);
      log.debug(describeWorkflow(input.options.workflowId, runId), 'signalled');
      return runId;
    },
  };
}
