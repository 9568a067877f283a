import { ActivityFailure } from '@temporalio/workflow';
import type { LaunchAnswer } from './machine-activities.ts';
import type { Instance } from '../../providers/provider.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { lookIntoPast } from './foreign-past.ts';
import { isGone, pickInstance } from './instance-facts.ts';
import { recordInstance } from './instance.ts';
import {
  afterCallBegan,
  afterEmptyLook,
  afterError,
  afterNoCall,
  afterNotSent,
  afterRefusal,
  afterSilence,
  type LaunchRecord,
} from './launch-record.ts';
import { LAUNCH_STEP, noteInvalidSpec, retryFailed, waitForNextTry, withField } from './launch-waits.ts';
import type { Life, Next } from './life.ts';
import { planLaunch, type LaunchStep } from './plan-launch.ts';
import { cloudCalls, local } from './ports.ts';
import { prepareLaunch } from './prepare-launch.ts';
import { asSummary } from '../summary.ts';

/**
 * Gets the machine its one instance. Parameters and token of an attempt are frozen in the Machine's status and in this
 * history before the first call; every further call repeats them after a look-up; the next attempt needs proof that this
 * one made nothing. docs/concepts/launch-once.md tells the whole of it.
 */
export async function launch(life: Life): Promise<Next> {
  life.set({ phase: 'Provisioning' });
  for (;;) {
    const { memory, status } = life;
    const { launch: attempt } = memory;
    if (attempt === undefined && memory.foreignPast === true && status.launch === undefined) {
      const next = await settlePast(life);
      if (next !== undefined) return next;
      continue;
    }
    if (attempt === undefined) {
      const stop = await prepareLaunch(life, 1, false);
      if (stop !== undefined) return stop;
      continue;
    }
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
        const instance = await lookUp(life, attempt);
        if (instance !== undefined) return arrive(life, instance, true);
        continue;
      }
      case 'call': {
        const answer = await call(life, attempt, step);
        if (answer?.outcome === 'instance') return arrive(life, answer.instance, answer.found);
        if (answer?.outcome === 'notCalled' && answer.because === 'UserDataChanged' && !step.lookFirst) {
          const stop = await prepareLaunch(life, attempt.prepared.attempt, true);
          if (stop !== undefined) return stop;
        }
        continue;
      }
    }
  }
}

/** What the controller before us launched is the machine's instance. */
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
  return retryFailed(life, past.failure);
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
  const place = `${prepared.parameters.instanceType} in ${prepared.parameters.zone}`;
  let answer: LaunchAnswer;
  try {
    answer = await cloudCalls(settings).launchInstance.executeWithOptions(
      { summary: asSummary(`${lookFirst ? 'look up, then launch' : 'launch'} ${place}, attempt ${prepared.attempt}`) },
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
    const silence = `launching ${place} got no answer (${error.cause?.message ?? error.message}); whether an instance came of it is looked up before the call is repeated`;
    memory.launch = afterSilence(owed, silence, life.nowMs, settings, Math.random());
    return undefined;
  }
  if (answer.outcome === 'refused') {
    const { failure } = answer;
    memory.launch = afterRefusal(owed, failure, life.nowMs, settings, Math.random());
    if (failure.retryClass === 'invalid') {
      const message = withField(failure.field, failure.message);
      noteInvalidSpec(life, prepared.specHash, message, failure.outsideSpec, memory.launch.failures);
    }
  }
  if (answer.outcome === 'notCalled') memory.launch = afterUncalled(life, attempt, owed, answer);
  return answer;
}

function afterUncalled(
  life: Life,
  before: LaunchRecord,
  owed: LaunchRecord,
  answer: Extract<LaunchAnswer, { outcome: 'notCalled' }>,
): LaunchRecord {
  const uncalled = afterNoCall(owed, before);
  if (answer.failure.notSent === true) return afterNotSent(uncalled, answer.failure, life.nowMs);
  if (answer.because === 'UserDataChanged' && before.firstCallAt !== undefined) {
    return { ...uncalled, settleOnly: answer.failure.message };
  }
  if (answer.because === 'UserDataChanged') return uncalled;
  return {
    ...afterError(uncalled, answer.failure, life.nowMs, life.settings, Math.random()),
    unanswered: uncalled.unanswered,
    refused: uncalled.refused,
  };
}

/** Looks the instance up; an answered look that finds nothing counts towards the proof that there is none. */
async function lookUp(life: Life, attempt: LaunchRecord): Promise<Instance | undefined> {
  const { memory } = life;
  const { token, parameters } = attempt.prepared;
  const answer = await local.findInstances({
    ...life.target,
    machineCluster: life.seen.machine.cluster,
    parameters,
    token,
  });
  if (answer.outcome === 'failed') {
    if (answer.failure.notSent === true) {
      memory.launch = afterNotSent(attempt, answer.failure, life.nowMs);
      return undefined;
    }
    const failed = afterError(attempt, answer.failure, life.nowMs, life.settings, Math.random());
    memory.launch = { ...failed, unanswered: attempt.unanswered, refused: attempt.refused };
    return undefined;
  }
  const instance = pickInstance(answer.instances, token);
  memory.launch = instance === undefined ? afterEmptyLook(attempt, life.nowMs) : attempt;
  return instance;
}

/** The cloud has the instance. One that ended before anybody saw it run makes room for the next attempt. */
async function arrive(life: Life, instance: Instance, found: boolean): Promise<Next> {
  const { memory } = life;
  if (isGone(instance.state) && memory.launch !== undefined) {
    memory.launch = { ...memory.launch, tokenTerminated: true };
    return 'again';
  }
  // Waits for capacity do not count: it is the call that made the instance from which on its Node may take so long.
  const launchedAt = found && instance.launchedAt !== undefined ? Date.parse(instance.launchedAt) : life.nowMs;
  memory.joinBy ??= Math.min(launchedAt, life.nowMs) + life.creationTimeoutMs;
  life.proceed();
  life.set({ phase: 'Provisioned' });
  life.setCondition({
    type: 'MachineCreation',
    status: 'True',
    reason: 'MachineCreationSucceeded',
    message: `instance ${instance.id} ${found ? 'was found to be' : 'is'} the machine's, by attempt ${memory.launch?.prepared.attempt ?? 0}`,
  });
  life.event = { type: 'Normal', reason: 'Create', message: `Created instance ${instance.id} in ${instance.zone}` };
  await recordInstance(life, instance);
  return { at: memory.joinBy, why: 'its Node has to join' };
}
