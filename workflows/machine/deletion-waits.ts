import type { WaitStep } from '../../k8s/model/reasons/steps.ts';
import { waitFor, type Answer, type Phase } from './answer.ts';
import type { Pass } from './pass.ts';
import { failedAgain, kubernetesFailure, waitOf, type StepFailure, type StepRetry } from './step-retry.ts';
import { doubled } from '../../providers/doubling.ts';

/** Name of the step in what a machine says it waits for. */
export const TERMINATE_STEP = 'Terminate';

/** Longest wait between two looks at an instance that is shutting down, in seconds. */
const LONGEST_LOOK_SECONDS = 30;

/**
 * A step of a deletion failed, and waits for its next try: its first failure in a row is told by an event.
 *
 * @param latest when the step is over, whatever comes of it, in milliseconds since the epoch. @default never
 */
export function retryDeletion(
  pass: Pass,
  step: WaitStep,
  slot: { retry?: StepRetry },
  failure: StepFailure,
  latest = Infinity,
): Answer {
  const retry = failedAgain(pass, step, failure, slot.retry);
  slot.retry = { ...retry, until: Math.min(retry.until, latest) };
  const isFirst = slot.retry.failures === 1 && failure.notSent !== true;
  if (isFirst) pass.tell({ type: 'Warning', reason: 'FailedDelete', message: failure.message });
  return waitFor(waitOf(slot.retry));
}

/** The same for a step that the Kubernetes API could not take now. */
export function waitForKubernetes(
  pass: Pass,
  step: WaitStep,
  slot: { retry?: StepRetry },
  message: string,
  latest?: number,
): Answer {
  return retryDeletion(pass, step, slot, kubernetesFailure(message), latest);
}

/** What was asked to end is looked at again, ever more seldom. */
export function waitForTermination(pass: Pass, message: string, looks: number): Answer {
  const seconds = doubled({ first: pass.settings.terminationLookSeconds, most: LONGEST_LOOK_SECONDS }, looks + 1);
  const until = pass.nowMs + seconds * 1000;
  return waitFor({ step: TERMINATE_STEP, reason: 'InstanceTerminating', message, until });
}

/** The phase, of a deletion: what it waits for the condition Deleting tells as well, since there is none of its own. */
export function toldByDeleting(phase: Phase): Phase {
  return async (pass) => {
    const answer = await phase(pass);
    if (answer.outcome === 'wait') pass.addToCondition('Deleting', answer.wait.message);
    return answer;
  };
}
