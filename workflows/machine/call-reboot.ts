import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { RebootRecord } from '../../k8s/model/reboot.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { fixTime, putOnRecord } from '../short-steps.ts';
import { asSummary } from '../summary.ts';
import { given } from '../../providers/given.ts';
import { knownOwn } from './instance-facts.ts';
import type { Pass } from './pass.ts';
import { cloudCalls } from './ports.ts';
import type { RebootAnswer } from './reboot-activities.ts';
import { isNeverStarted, neverStarted } from './unanswered.ts';
import { writeStatus } from './write-pass.ts';

export interface RebootCall {
  readonly instance: string;
  /** Why, as the check says. */
  readonly cause: string;
  /** As it shall be known before the call is asked for. */
  readonly record: RebootRecord;
  readonly isDrained: boolean;
}

/**
 * One call. That it is made is in the history and in the Machine's status before: a worker that dies, and a database that is lost, leave
 * no doubt that it may have been. `sent`: also where nobody answered, as it is not repeated.
 */
export async function callReboot(
  pass: Pass,
  { instance, cause, record, isDrained }: RebootCall,
): Promise<Exclude<RebootAnswer, { outcome: 'unanswered' }>> {
  const { memory, settings, target } = pass;
  const { id: wish, sentAt = '' } = record;
  memory.rebooted.uncalled = wish;
  pass.set({ reboot: record });
  const message = `the cloud is asked to reboot instance ${instance}: ${cause}`;
  pass.setCondition({ type: 'Rebooted', status: 'False', reason: 'RebootSent', message });
  pass.tell({ type: 'Normal', reason: 'Rebooting', message });
  // From here on the history knows that nothing was asked for yet, whatever the status says.
  await putOnRecord('the reboot is recorded before the cloud is called');
  await writeStatus(pass);
  const request = {
    ...target,
    wish,
    sentAt,
    instance,
    ...knownOwn(pass, instance),
    ...given({ isDrained: isDrained || undefined }),
  };
  let answer: RebootAnswer;
  try {
    const call = cloudCalls(settings).rebootInstance.executeWithOptions(
      {
        summary: asSummary(`reboot instance ${instance}`),
        scheduleToStartTimeout: `${settings.callTimeoutSeconds}s`,
      },
      [request],
    );
    delete memory.rebooted.uncalled;
    answer = await call;
  } catch (error) {
    if (isRefused(error) || isObjectChanged(error)) {
      // It failed before the cloud was called.
      memory.rebooted.uncalled = wish;
      throw error;
    }
    if (!(error instanceof ActivityFailure)) throw error;
    await fixTime();
    if (isNeverStarted(error)) {
      memory.rebooted.uncalled = wish;
      return { outcome: 'refused', failure: neverStarted('reboot', settings.callTimeoutSeconds) };
    }
    answer = { outcome: 'unanswered', message: whySilent(error) };
  }
  if (answer.outcome === 'refused') memory.rebooted.uncalled = wish;
  if (answer.outcome !== 'unanswered') return answer;
  pass.set({ reboot: { ...record, message: `what came of it is not known: ${answer.message}`.slice(0, 1024) } });
  return { outcome: 'sent' };
}

/** Why the call has no answer: its worker may have died in it. */
function whySilent(error: ActivityFailure): string {
  return error.cause instanceof TimeoutFailure
    ? 'its worker gave no sign of life any more'
    : (error.cause?.message ?? error.message);
}
