import { ActivityFailure } from '@temporalio/workflow';
import type { LaunchAnswer } from '../../activities/machine-activities.ts';
import type { Instance } from '../../providers/provider.ts';
import { isGone, pickInstance } from './instance-facts.ts';
import {
  afterCallBegan,
  afterEmptyLook,
  afterError,
  afterNoCall,
  afterSilence,
  freshLaunch,
  takenOverLaunch,
  type CloudFailure,
  type LaunchRecord,
} from './launch-record.ts';
import { isObjectChanged, isRefused } from '../activity-failures.ts';
import { lookIntoPast } from './foreign-past.ts';
import type { Life, Next } from './life.ts';
import { planLaunch } from './plan-launch.ts';
import { cloudCalls, local } from './ports.ts';
import { backoffMs, type BackoffClass } from './settings.ts';
import { recordInstance } from './instance.ts';

const STEP = 'Launch';

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
      const stop = await prepare(life, 1, false);
      if (stop !== undefined) return stop;
      continue;
    }
    const step = planLaunch(attempt, life.nowMs, life.settings);
    switch (step.do) {
      case 'wait':
        return waitForNextTry(life, attempt, step.until);
      case 'nextAttempt': {
        const stop = await prepare(life, attempt.prepared.attempt + 1, false);
        if (stop !== undefined) return stop;
        continue;
      }
      case 'look': {
        const instance = await lookUp(life, attempt);
        if (instance !== undefined) return arrive(life, instance, true);
        continue;
      }
      case 'call': {
        const answer = await call(life, attempt, step.lookFirst);
        if (answer?.outcome === 'instance') return arrive(life, answer.instance, answer.found);
        if (answer?.outcome === 'notCalled' && answer.because === 'UserDataChanged' && !step.lookFirst) {
          const stop = await prepare(life, attempt.prepared.attempt, true);
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
    return { at: waitUntil, why: life.status.waiting?.message ?? STEP };
  }
  const past = await lookIntoPast(life);
  if (past.outcome === 'instance') {
    // How long its Node may take counts from here: nobody watched over it before.
    life.memory.joinBy = life.nowMs + life.creationTimeoutMs;
    return arrive(life, past.instance, true);
  }
  if (past.outcome === 'nothing') return undefined;
  const { failure } = past;
  const patience = failure.retryClass === 'invalid' ? 'denied' : failure.retryClass;
  return retryLater(life, patience, failure.cloudCode ?? failure.code, failure.message);
}

/** Freezes the parameters of an attempt. Answers how to wait where it could not. */
async function prepare(life: Life, attempt: number, replace: boolean): Promise<Next | undefined> {
  const { memory, seen } = life;
  const isWaiting = memory.waitUntil !== undefined && memory.waitUntil > life.nowMs;
  // A wait is over when what it waited for may have changed: the spec, or the class that it comes from.
  if (isWaiting && memory.waitSpecHash === seen.machine.specHash) {
    return { at: memory.waitUntil, why: life.status.waiting?.message ?? STEP };
  }
  memory.waitSpecHash = seen.machine.specHash;
  if (memory.invalidSpec?.hash === seen.machine.specHash) return refuseSpec(life, memory.invalidSpec.message);
  delete memory.invalidSpec;

  life.proceed();
  life.setCondition({
    type: 'InstanceExists',
    status: 'False',
    reason: 'InstanceNotCreated',
    message: `attempt ${attempt} to launch is prepared`,
  });
  const answer = await local.prepareLaunch({ ...life.target, attempt, replace, status: life.status });
  if (answer.outcome === 'changed') return 'again';
  if (answer.outcome === 'invalid') {
    const message = withField(answer.field, answer.message);
    memory.invalidSpec = { hash: seen.machine.specHash, message };
    return refuseSpec(life, message);
  }
  if (answer.outcome === 'missing') return retryLater(life, 'missing', answer.reason, answer.message);
  if (answer.outcome === 'failed') {
    const { failure } = answer;
    const retryClass = failure.retryClass === 'invalid' ? 'denied' : failure.retryClass;
    return retryLater(life, retryClass, failure.cloudCode ?? failure.code, failure.message);
  }
  memory.failures = 0;
  delete memory.waitUntil;
  const failures = memory.launch?.failures ?? 0;
  const lastError = memory.launch?.lastError;
  memory.launch = answer.found
    ? takenOverLaunch(answer.launch, life.nowMs, life.settings)
    : { ...freshLaunch(answer.launch, failures), ...(lastError === undefined ? {} : { lastError }) };
  life.set({ launch: answer.launch });
  life.written();
  return undefined;
}

/** One call. Whatever comes of it is in the memory afterwards; without an answer, that is in there too. */
async function call(life: Life, attempt: LaunchRecord, lookFirst: boolean): Promise<LaunchAnswer | undefined> {
  const { memory, settings } = life;
  const owed = afterCallBegan(attempt, life.nowMs, settings);
  memory.launch = owed;
  const { prepared } = attempt;
  const place = `${prepared.parameters.instanceType} in ${prepared.parameters.zone}`;
  let answer: LaunchAnswer;
  try {
    answer = await cloudCalls(settings).launchInstance.executeWithOptions(
      { summary: `${lookFirst ? 'look up, then launch' : 'launch'} ${place}, attempt ${prepared.attempt}` },
      [{ ...life.target, machineCluster: life.seen.machine.cluster, launch: prepared, lookFirst }],
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
    memory.launch = afterError(owed, failure, life.nowMs, settings, Math.random());
    if (failure.retryClass === 'invalid') {
      const message = withField(failure.field, failure.message);
      memory.invalidSpec = { hash: prepared.specHash, message };
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

function waitForNextTry(life: Life, attempt: LaunchRecord, until: number): Next {
  const error = attempt.lastError;
  const settling =
    attempt.settleOnly ??
    (attempt.unanswered > 0 && attempt.refused ? 'an earlier call was never answered' : undefined);
  const message =
    settling === undefined
      ? (error?.message ?? 'the next try is due')
      : `${error?.message ?? ''}; the attempt is settled by look-ups only, because ${settling}`;
  explainFailure(life, error, message);
  life.wait(STEP, error?.cloudCode ?? error?.code ?? 'Settling', message, until);
  return { at: until, why: message };
}

function retryLater(life: Life, retryClass: BackoffClass, reason: string, message: string): Next {
  const { memory } = life;
  memory.failures += 1;
  const at = life.nowMs + backoffMs(life.settings, retryClass, memory.failures, Math.random());
  memory.waitUntil = at;
  explainCreation(life, reason, message);
  life.wait(STEP, reason, message, at);
  return { at, why: message };
}

/** Nothing but a change of the spec helps: no timer, no call. */
function refuseSpec(life: Life, message: string): Next {
  explainCreation(life, 'InvalidConfiguration', message);
  life.wait(STEP, 'InvalidConfiguration', `${message}. It goes on when the spec is changed.`);
  return { why: message };
}

function explainFailure(life: Life, failure: CloudFailure | undefined, message: string): void {
  if (failure !== undefined) explainCreation(life, failure.cloudCode ?? failure.code, message);
}

function explainCreation(life: Life, reason: string, message: string): void {
  const known = life.status.conditions.find((c) => c.type === 'MachineCreation');
  if (known?.reason !== reason) life.event = { type: 'Warning', reason: 'FailedCreate', message };
  life.setCondition({ type: 'MachineCreation', status: 'False', reason, message });
}

/** The message, with the field it is about in front. */
function withField(field: string | undefined, message: string): string {
  return field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;
}
