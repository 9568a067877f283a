import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { LaunchAnswer, NotCalled } from './machine-activities.ts';
import { describePlacement } from '../../providers/describe-placement.ts';
import type { Instance } from '../../providers/provider.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { isGone } from './instance-facts.ts';
import { recordInstance } from './instance.ts';
import {
  afterAnswer,
  afterCallBegan,
  afterError,
  afterFailure,
  afterNoCall,
  afterSilence,
  type LaunchRecord,
} from './launch-record.ts';
import { hasOpenLaunch, lookUp, SETTLE_STEP, settleLaunch, tellOfLaunch, tellOfOther } from './settle-launch.ts';
import { LAUNCH_STEP, noteInvalidSpec, retryFailed, waitForNextTry, withField } from './launch-waits.ts';
import type { Life, Next } from './life.ts';
import { lookIntoPast } from './past.ts';
import { planLaunch, type LaunchStep } from './plan-launch.ts';
import { cloudCalls } from './ports.ts';
import { prepareLaunch } from './prepare-launch.ts';
import { asSummary } from '../summary.ts';

/**
 * Gets the machine its one instance. Parameters and token of an attempt are frozen in the Machine's status and in this
 * history before the first call; every further call repeats them after a look-up, and there is none in a cloud without
 * tokens; the next attempt needs proof that this one made nothing. docs/concepts/launch-once.md tells the whole of it.
 */
export async function launch(life: Life): Promise<Next> {
  life.set({ phase: 'Provisioning' });
  for (;;) {
    const { memory, status } = life;
    const { launch: attempt } = memory;
    if (attempt === undefined && memory.pastOpen === true && status.launch === undefined) {
      const next = await settlePast(life);
      if (next !== undefined) return next;
      continue;
    }
    if (attempt === undefined) {
      const stop = await prepareLaunch(life, 1, false);
      if (stop !== undefined) return stop;
      continue;
    }
    if (await tellOfLaunch(life)) continue;
    const step = planLaunch(attempt, life.nowMs, life.settings);
    switch (step.do) {
      case 'wait':
        return waitForNextTry(life, attempt, step.until);
      case 'nextAttempt': {
        const stop = await prepareLaunch(life, attempt.prepared.attempt + 1, false);
        if (stop !== undefined) return stop;
        continue;
      }
      case 'look': {
        const look = await lookUp(life, attempt);
        if (look.outcome === 'instance') return arrive(life, look.instance, true);
        if (look.outcome === 'failed') {
          memory.launch = afterFailure(attempt, look.failure, life.nowMs, life.settings, Math.random());
        }
        continue;
      }
      case 'call': {
        const answer = await call(life, attempt, step);
        if (answer?.outcome === 'instance') return arrive(life, answer.instance, answer.found);
        if (answer?.outcome !== 'notCalled') continue;
        if (answer.because === 'NotAsPrepared' && !step.lookFirst) {
          const stop = await prepareLaunch(life, attempt.prepared.attempt, true);
          if (stop !== undefined) return stop;
        }
        if (memory.launch !== undefined && isFirstChange(answer, memory.launch)) return 'again';
        continue;
      }
    }
  }
}

/** An instance that was launched for the machine before this workflow knew it is the machine's. */
async function settlePast(life: Life): Promise<Next | undefined> {
  const { waitUntil } = life.memory;
  if (waitUntil !== undefined && waitUntil > life.nowMs) {
    return { at: waitUntil, why: life.status.waiting?.message ?? LAUNCH_STEP };
  }
  const past = await lookIntoPast(life);
  if (past.outcome === 'instance') {
    // How long its Node may take counts from here: nobody watched over it before.
    life.memory.joinBy = life.nowMs + life.creationTimeoutMs;
    return arrive(life, past.instance, true);
  }
  if (past.outcome === 'nothing') return undefined;
  if (past.outcome === 'another') return waitForOwner(life, past.message);
  return retryFailed(life, past.failure);
}

/** What is found may not be taken, and beside it nothing is launched: looks again slowly, and when something changes. */
function waitForOwner(life: Life, found: string): Next {
  const at = life.nowMs + life.settings.goneWindowSeconds * 1000;
  const message = `${found}: it is neither adopted nor touched, and nothing is launched beside it`;
  life.setCondition({ type: 'InstanceExists', status: 'Unknown', reason: 'InstanceOfAnother', message });
  life.wait(LAUNCH_STEP, 'InstanceOfAnother', message, at);
  return { at, why: message };
}

/** One call. Whatever comes of it is in the memory afterwards; without an answer, that is in there too. */
async function call(
  life: Life,
  attempt: LaunchRecord,
  { lookFirst, trustToken }: Extract<LaunchStep, { do: 'call' }>,
): Promise<LaunchAnswer | undefined> {
  const { memory, settings } = life;
  const owed = afterCallBegan(attempt, life.nowMs, settings);
  memory.launch = owed;
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
          ...life.target,
          machineCluster: life.seen.machine.cluster,
          launch: prepared,
          lookFirst,
          ...(trustToken === undefined ? {} : { trustToken }),
        },
      ],
    );
  } catch (error) {
    if (isRefused(error) || isObjectChanged(error)) {
      // It failed before the cloud was called.
      memory.launch = afterNoCall(owed, attempt);
      throw error;
    }
    if (!(error instanceof ActivityFailure)) throw error;
    if (isNeverStarted(error)) {
      answer = neverStarted(settings.callTimeoutSeconds);
    } else {
      const silence = `launching ${place} got no answer (${error.cause?.message ?? error.message}); whether an instance came of it is looked up before the cloud is called again`;
      memory.launch = afterSilence(owed, silence, life.nowMs, settings, Math.random());
      return undefined;
    }
  }
  if (answer.outcome === 'refused') {
    const { failure, calledAt } = answer;
    const answered = afterAnswer(owed, attempt, calledAt, life.nowMs);
    memory.launch = afterError(answered, failure, life.nowMs, settings, Math.random());
    if (failure.retryClass === 'invalid') {
      const message = withField(failure.field, failure.message);
      noteInvalidSpec(life, prepared.specHash, message, failure.outsideSpec, memory.launch.failures);
    }
  }
  if (answer.outcome === 'notCalled') memory.launch = afterUncalled(life, attempt, owed, answer);
  return answer;
}

/** The Machine is looked at again at once; where it comes to the same again, there is a wait. */
function isFirstChange({ because }: NotCalled, { failures }: LaunchRecord): boolean {
  return because === 'Changed' && failures === 1;
}

/** Temporal gave no worker the call, and gives it none any more. */
function isNeverStarted({ cause }: ActivityFailure): boolean {
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

function neverStarted(afterSeconds: number): NotCalled {
  const failure = {
    code: 'Aborted',
    retryClass: 'soon',
    message: `no worker took the call to launch within ${afterSeconds} s: it is given back, and asked for anew`,
    provesNoInstance: false,
    tokenTerminated: false,
  } as const;
  return { outcome: 'notCalled', because: 'TooLate', failure };
}

function afterUncalled(life: Life, before: LaunchRecord, owed: LaunchRecord, answer: NotCalled): LaunchRecord {
  const uncalled = afterNoCall(owed, before);
  if (answer.because === 'NotAsPrepared' && before.firstCallAt !== undefined) {
    return { ...uncalled, settleOnly: answer.failure.message };
  }
  if (answer.because === 'NotAsPrepared') return uncalled;
  const failed = afterFailure(uncalled, answer.failure, life.nowMs, life.settings, Math.random());
  return isFirstChange(answer, failed) ? { ...failed, waitUntil: life.nowMs } : failed;
}

/**
 * A providerID that appeared while a launch was under way: the instance that the launch made is the machine's. Undefined:
 * it made none, or none was under way.
 * @param id names the instance in the providerID
 */
export async function settleBeforeAdoption(life: Life, id: string): Promise<Next | undefined> {
  const { memory } = life;
  if (!hasOpenLaunch(life)) return undefined;
  const waitUntil = memory.waitUntil ?? 0;
  if (waitUntil > life.nowMs) return { at: waitUntil, why: life.status.waiting?.message ?? LAUNCH_STEP };
  const settled = await settleLaunch(life);
  switch (settled.outcome) {
    case 'nothing':
      return undefined;
    case 'failed':
      return retryFailed(life, settled.failure);
    case 'open': {
      const why = `a call to launch was never answered: the instance it may have made is looked for before instance ${id} in spec.providerID is`;
      life.wait(SETTLE_STEP, 'LaunchOutcomeUnknown', why, settled.until);
      return { at: settled.until, why };
    }
    case 'instance': {
      const { instance } = settled;
      if (instance.id === id) return arrive(life, instance, true);
      await tellOfOther(life, instance, id);
      return arrive(life, instance, true, `; instance ${id}, which spec.providerID named, is not touched`);
    }
  }
}

/** The cloud has the instance. One that ended before anybody saw it run makes room for the next attempt. */
async function arrive(life: Life, instance: Instance, found: boolean, besides = ''): Promise<Next> {
  const { memory } = life;
  if (isGone(instance.state) && memory.launch !== undefined) {
    memory.launch = { ...memory.launch, tokenTerminated: true };
    return 'again';
  }
  const { launch: attempt } = memory;
  if (found) memory.recount = true;
  else memory.isLaunchedOnce = attempt?.prepared.attempt === 1 && attempt.unanswered <= 1;
  // Waits for capacity do not count: it is the call that made the instance from which on its Node may take so long.
  const launchedAt = found && instance.launchedAt !== undefined ? Date.parse(instance.launchedAt) : life.nowMs;
  memory.joinBy ??= Math.min(launchedAt, life.nowMs) + life.creationTimeoutMs;
  life.proceed();
  life.set({ phase: 'Provisioned' });
  life.setCondition({
    type: 'MachineCreation',
    status: 'True',
    reason: 'MachineCreationSucceeded',
    message: `instance ${instance.id} ${found ? 'was found to be' : 'is'} the machine's, by attempt ${memory.launch?.prepared.attempt ?? 0}${besides}`,
  });
  const { zone } = instance;
  const created = `Created instance ${instance.id}${zone === undefined ? '' : ` in ${zone}`}`;
  life.event = { type: 'Normal', reason: 'Create', message: created };
  await recordInstance(life, instance);
  return { at: memory.joinBy, why: 'its Node has to join' };
}
