import { ActivityFailure } from '@temporalio/workflow';
import { describePlacement } from '../../providers/describe-placement.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { fixTime } from '../short-steps.ts';
import { asSummary } from '../summary.ts';
import {
  afterAnswer,
  afterCallBegan,
  afterError,
  afterFailure,
  afterNoCall,
  afterSilence,
  type LaunchRecord,
} from './launch-record.ts';
import { noteInvalidSpec, withField } from './launch-waits.ts';
import type { LaunchAnswer, NotCalled } from './launch-activities.ts';
import type { Pass } from './pass.ts';
import type { LaunchStep } from './plan-launch.ts';
import { cloudCalls } from './ports.ts';
import { isNeverStarted, neverStarted } from './unanswered.ts';
import { given } from '../../providers/given.ts';

/** One call. Whatever comes of it is in the memory afterwards; without an answer, that is in there too. */
export async function callLaunch(
  pass: Pass,
  attempt: LaunchRecord,
  { lookFirst, trustToken }: Extract<LaunchStep, { do: 'call' }>,
): Promise<LaunchAnswer | undefined> {
  const { memory, settings } = pass;
  const owed = afterCallBegan(attempt, pass.nowMs, settings);
  memory.attempt = owed;
  // How long its Node may take counts from the call that made the instance: waits for capacity before it do not count.
  memory.joinFrom = pass.nowMs;
  const { prepared } = attempt;
  const place = describePlacement(prepared.parameters);
  let answer: LaunchAnswer;
  try {
    answer = await cloudCalls(settings).launchInstance.executeWithOptions(
      {
        summary: asSummary(`${lookFirst ? 'look up, then launch' : 'launch'} ${place}, attempt ${prepared.attempt}`),
        scheduleToStartTimeout: `${settings.callTimeoutSeconds}s`,
      },
      [
        {
          ...pass.target,
          clusterName: pass.seen.machine.clusterName,
          launch: prepared,
          lookFirst,
          ...given({ trustToken }),
        },
      ],
    );
  } catch (error) {
    if (isRefused(error) || isObjectChanged(error)) {
      // It failed before the cloud was called.
      memory.attempt = afterNoCall(owed, attempt);
      throw error;
    }
    if (!(error instanceof ActivityFailure)) throw error;
    if (isNeverStarted(error)) {
      const failure = neverStarted('launch', settings.callTimeoutSeconds);
      answer = { outcome: 'notCalled', because: 'TooLate', failure };
    } else {
      await fixTime();
      const silence = `launching ${place} got no answer (${error.cause?.message ?? error.message}); whether an instance came of it is looked up before the cloud is called again`;
      memory.attempt = afterSilence(owed, silence, pass.nowMs, settings, Math.random());
      return undefined;
    }
  }
  if (answer.seen !== undefined) pass.wroteElsewhere(answer.seen);
  if (answer.outcome !== 'instance') await fixTime();
  if (answer.outcome === 'refused') {
    const { failure, calledAt } = answer;
    const answered = afterAnswer(owed, attempt, calledAt, pass.nowMs);
    const failed = afterError(answered, failure, pass.nowMs, settings, Math.random());
    memory.attempt = failed;
    if (failure.retryClass === 'invalid') {
      const message = withField(failure.field, failure.message);
      noteInvalidSpec(pass, prepared.specHash, message, failure.outsideSpec, failed.retry.failures);
    }
  }
  if (answer.outcome === 'notCalled') memory.attempt = afterUncalled(pass, attempt, owed, answer);
  return answer;
}

/** True where the Machine had changed for the first time: it is looked at again at once. From the second time on there is a wait. */
export function isFirstChange({ because }: NotCalled, { retry }: LaunchRecord): boolean {
  return because === 'Changed' && retry?.failures === 1;
}

function afterUncalled(pass: Pass, before: LaunchRecord, owed: LaunchRecord, answer: NotCalled): LaunchRecord {
  const uncalled = afterNoCall(owed, before);
  if (answer.because === 'NotAsPrepared' && before.firstCallAt !== undefined) {
    return { ...uncalled, settleOnly: answer.failure.message };
  }
  if (answer.because === 'NotAsPrepared') return uncalled;
  const failed = afterFailure(uncalled, answer.failure, pass.nowMs, pass.settings, Math.random());
  return isFirstChange(answer, failed) ? { ...failed, retry: { ...failed.retry, until: pass.nowMs } } : failed;
}
