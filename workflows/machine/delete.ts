import { workflowInfo } from '@temporalio/workflow';
import { asSummary } from '../summary.ts';
import { planAbsenceProof, withLook } from './absence-proof.ts';
import { awaitTurn, retryMs } from './await-turn.ts';
import { isGone } from './instance-facts.ts';
import { frozenParameters, LOOK_AGAIN_MS, lookTimeOf } from './instance.ts';
import { waitForHooks } from './hooks.ts';
import type { CloudFailure } from './launch-record.ts';
import { lookAtLeftover } from './leftover.ts';
import type { Life, Next } from './life.ts';
import { detachLoadBalancers } from './load-balancers.ts';
import { lookIntoPast } from './past.ts';
import { local } from './ports.ts';
import type { InstanceLook } from './machine-activities.ts';
import { hasOpenLaunch, SETTLE_STEP, settleLaunch, tellOfOther } from './settle-launch.ts';
import { endOthers } from './surplus.ts';

const DETACH_STEP = 'DetachLoadBalancers';
const RELEASE_STEP = 'Release';

/**
 * A first look that is due within this, in milliseconds, is waited for in the same task, which spares the history a timer and a
 * task, and the object a status that nobody could read. Half of what a cloud may keep a task waiting.
 */
const LONGEST_MOMENT_MS = 1000;

/** Longest wait between two looks at an instance that is shutting down, in seconds. */
const LONGEST_TERMINATION_LOOK_SECONDS = 30;

/**
 * Takes a machine down, each step proved before the next: what an unknown launch came to, others' hooks, [drain,] load
 * balancers, terminate, gone, Node deleted, finalizer removed.
 */
export async function deleteMachine(life: Life): Promise<Next> {
  if (!life.seen.machine.hasFinalizer) return heldByOthers(life);
  if (life.status.phase !== 'Deleting') {
    life.set({ phase: 'Deleting' });
    delete life.memory.waitUntil;
    life.memory.failures = 0;
    life.memory.absentLooks = [];
    life.event = { type: 'Normal', reason: 'Delete', message: 'the machine is being deleted' };
  }
  if (life.memory.endedAt !== undefined) return release(life);
  return (
    (await settle(life)) ??
    waitForHooks(life) ??
    // The drain has its place here.
    (await detach(life)) ??
    (await terminate(life)) ??
    (await terminateOthers(life)) ??
    (await release(life))
  );
}

/** Ours may have been taken off by a task whose worker died before it was recorded: then the instance has ended. */
async function heldByOthers({ memory, target }: Life): Promise<Next> {
  const { instanceId: id, cloud } = memory;
  if (id !== undefined && cloud !== undefined) {
    const outcome = await lookAtLeftover({ ...target, id, cloud });
    if (outcome === 'gone') delete memory.instanceId;
  }
  return { why: 'the object is held by finalizers that are not ours' };
}

/** A launch whose outcome nobody knows may have made an instance: it is found, or proved never to have been. */
async function settle(life: Life): Promise<Next | undefined> {
  const { memory, instanceId } = life;
  if (!hasOpenLaunch(life))
    return instanceId === undefined && memory.launch === undefined ? settlePast(life) : undefined;
  if (memory.waitUntil !== undefined && memory.waitUntil > life.nowMs)
    return { at: memory.waitUntil, why: SETTLE_STEP };
  const settled = await settleLaunch(life);
  switch (settled.outcome) {
    case 'nothing':
      return undefined;
    case 'failed':
      return tryAgain(life, SETTLE_STEP, settled.failure);
    case 'open': {
      const why =
        'a call to launch was never answered: the instance it may have made is looked for before the Machine goes';
      life.wait(SETTLE_STEP, 'LaunchOutcomeUnknown', why, settled.until);
      return { at: settled.until, why };
    }
    case 'instance': {
      const { instance } = settled;
      if (instanceId !== undefined && instanceId !== instance.id) await tellOfOther(life, instance, instanceId);
      memory.failures = 0;
      delete memory.launch;
      life.set({ instance: { id: instance.id, state: instance.state } });
      life.noteInstance(instance.id);
      return 'again';
    }
  }
}

/** No load balancer sends it anything while it ends, nor to whoever has its address after it ended by itself. */
async function detach(life: Life): Promise<Next | undefined> {
  const { memory } = life;
  const { instance } = life.status;
  // An instance that the Machine only names, and was never found to have, may be behind another one's.
  if (instance === undefined || memory.termination !== undefined) return undefined;
  if (memory.waitUntil !== undefined && memory.waitUntil > life.nowMs) {
    return { at: memory.waitUntil, why: life.status.waiting?.message ?? DETACH_STEP };
  }
  const wasDetached = memory.detached;
  const failure = await detachLoadBalancers(life, instance.id);
  if (failure !== undefined) return tryAgain(life, DETACH_STEP, failure);
  // What follows a recorded step may be done over by itself, when a signal comes before the workflow ends, and by another worker: it
  // begins with a look of its own, which tells that the object is gone.
  return memory.detached === wasDetached ? undefined : 'again';
}

/** An instance may have been launched that no status tells of. */
async function settlePast(life: Life): Promise<Next | undefined> {
  const { memory } = life;
  if (memory.pastOpen !== true) return undefined;
  if (memory.waitUntil !== undefined && memory.waitUntil > life.nowMs)
    return { at: memory.waitUntil, why: SETTLE_STEP };
  const past = await lookIntoPast(life);
  if (past.outcome === 'failed') {
    const { launch, instance, cloud } = life.status;
    const isOnRecord = launch !== undefined || instance !== undefined || cloud !== undefined;
    if (past.failure.retryClass !== 'invalid' || isOnRecord) return tryAgain(life, SETTLE_STEP, past.failure);
    // It names no cloud to look in, and could not be launched as it is.
    const message = `it is not looked for an instance, since nothing was launched on record and the spec names no cloud: ${past.failure.message}`;
    life.event = { type: 'Warning', reason: 'FailedDelete', message };
    return undefined;
  }
  memory.failures = 0;
  if (past.outcome === 'nothing') return undefined;
  if (past.outcome === 'another') {
    const message = `the machine is being deleted; ${past.message}: it is not touched`;
    life.event = { type: 'Normal', reason: 'Delete', message };
    return undefined;
  }
  life.set({ instance: { id: past.instance.id, state: past.instance.state } });
  return 'again';
}

/** Asks for the termination, and looks until the instance is gone. */
async function terminate(life: Life): Promise<Next | undefined> {
  const { memory } = life;
  const id = life.instanceId;
  if (id === undefined || life.status.instance?.state === 'terminated') return undefined;
  life.noteInstance(id);
  if (memory.waitUntil !== undefined && memory.waitUntil > life.nowMs)
    return { at: memory.waitUntil, why: `terminating ${id}` };
  const { instance, launch } = life.status;
  if (memory.termination === undefined && (instance === undefined || launch === undefined)) {
    const answer = await makeSureItsOwn(life, id);
    if (answer === 'nothing') return undefined;
    if (answer !== 'own') return answer;
  }
  if (memory.termination === undefined || memory.termination.again === true) return askForTermination(life, id);

  const askedAt = life.nowMs;
  const look = await local.lookAtInstance({ ...life.target, id, ...frozenParameters(life) });
  if (look.outcome === 'failed') return tryAgain(life, 'Terminate', look.failure);
  memory.failures = 0;
  memory.termination = { ...memory.termination, looks: memory.termination.looks + 1 };
  if (look.outcome === 'found') {
    memory.absentLooks = [];
    life.set({ instance: { id, state: look.instance.state } });
    if (look.instance.state === 'terminated') return undefined;
    if (!isGone(look.instance.state)) {
      // Somebody's answer was lost or the request was: ask again.
      memory.termination = { ...memory.termination, again: true };
    }
    return lookLater(life, `instance ${id} is ${look.instance.state}`, memory.termination.looks);
  }
  if (look.outcome === 'foreign') return undefined;
  return proveAbsence(life, id, look, askedAt);
}

/**
 * One more look that did not show the instance. Its termination was asked for, or nothing here launched it: so the proof
 * counts although the view of the cloud is doubted, which a deletion would else wait for for ever. Undefined: it is gone.
 * @param askedAt when the look was asked for
 */
function proveAbsence(
  life: Life,
  id: string,
  look: Extract<InstanceLook, { outcome: 'absent' | 'untrusted' }>,
  askedAt: number,
): Next | undefined {
  const { memory, settings } = life;
  const lookedAt = lookTimeOf(life, look, askedAt);
  const windowMs = settings.goneWindowSeconds * 1000;
  memory.absentLooks = withLook(memory.absentLooks, lookedAt, windowMs);
  const due = planAbsenceProof(memory.absentLooks, memory.absentLooks[0] ?? lookedAt, windowMs);
  if (due === 'proved') return undefined;
  const absence = `the cloud does not know instance ${id}; it counts as gone when further looks agree`;
  const isDoubted = look.outcome === 'untrusted';
  const message = isDoubted ? `${absence}, although there is a doubt: ${look.message}` : absence;
  // An answer that came late may be older than the next look is due.
  const at = Math.max(due, life.nowMs + LOOK_AGAIN_MS);
  life.wait('Terminate', isDoubted ? 'ManyInstancesMissing' : 'InstanceMissing', message, at);
  return { at, why: message };
}

/** A call that nobody saw the answer of may have made another instance. */
async function terminateOthers(life: Life): Promise<Next | undefined> {
  const { memory } = life;
  if (memory.waitUntil !== undefined && memory.waitUntil > life.nowMs) {
    return { at: memory.waitUntil, why: life.status.waiting?.message ?? 'Terminate' };
  }
  const others = await endOthers(life);
  if (others.outcome === 'failed') return tryAgain(life, 'Terminate', others.failure);
  memory.failures = 0;
  if (others.outcome === 'ended') return undefined;
  memory.othersLooks = (memory.othersLooks ?? 0) + 1;
  return lookLater(life, others.message, memory.othersLooks);
}

/**
 * A Machine that only names an instance, and did not launch it, must not end another one's: no answer is no leave to.
 * `nothing`: there is nothing of this Machine's to end.
 */
async function makeSureItsOwn(life: Life, id: string): Promise<'own' | 'nothing' | Next> {
  const askedAt = life.nowMs;
  const look = await local.lookAtInstance({ ...life.target, id, ...frozenParameters(life) });
  switch (look.outcome) {
    case 'foreign':
      return 'nothing';
    case 'failed':
      return tryAgain(life, 'Terminate', look.failure);
    case 'untrusted':
      // One that was adopted is its own. Another that nobody saw is not asked to end.
      return life.status.instance === undefined ? (proveAbsence(life, id, look, askedAt) ?? 'nothing') : 'own';
    default:
      return 'own';
  }
}

/** Undefined: it was asked for, and the instance has ended a moment later. */
async function askForTermination(life: Life, id: string): Promise<Next | undefined> {
  const { memory, settings } = life;
  const lookAfterMs = Math.min(settings.terminationLookSeconds * 1000, LONGEST_MOMENT_MS);
  const answer = await local.terminateInstance.executeWithOptions({ summary: asSummary(`terminate ${id}`) }, [
    { ...life.target, id, ...frozenParameters(life), lookAfterMs },
  ]);
  if (answer.outcome === 'failed') return tryAgain(life, 'Terminate', answer.failure);
  if (answer.outcome === 'foreign') return undefined;
  memory.failures = 0;
  memory.absentLooks = [];
  memory.termination = { askedAt: life.nowMs, looks: (memory.termination?.looks ?? 0) + 1 };
  if (answer.outcome === 'asked') {
    life.set({ instance: { id, state: answer.state } });
    if (answer.state === 'terminated') return undefined;
    // Somebody's answer was lost or the request was: ask again.
    if (!isGone(answer.state)) memory.termination.again = true;
  } else if (
    life.status.conditions.some(
      (c) => c.type === 'InstanceExists' && c.reason === 'InstanceMissing' && c.status === 'False',
    )
  ) {
    // It was proved gone before, and the cloud still does not know it.
    life.set({ instance: { id, state: 'terminated' } });
    return 'again';
  }
  return lookLater(life, `instance ${id} was asked to terminate`, memory.termination.looks);
}

function lookLater(life: Life, message: string, looks: number): Next {
  const seconds = Math.min(life.settings.terminationLookSeconds * 2 ** looks, LONGEST_TERMINATION_LOOK_SECONDS);
  const at = life.nowMs + seconds * 1000;
  life.wait('Terminate', 'InstanceTerminating', message, at);
  return { at, why: message };
}

/**
 * Nothing of it is left in the cloud: its Node goes, and then the object may. The worker may die right after that, and take
 * along what this task found out: so what tells that nothing was left is in the history first.
 */
async function release(life: Life): Promise<Next> {
  const { memory, target, event } = life;
  if (!isEndKnown(life)) {
    memory.endedAt ??= workflowInfo().historyLength;
    return { at: life.nowMs, why: 'nothing of it is left: the object goes next' };
  }
  if (memory.waitUntil !== undefined && memory.waitUntil > life.nowMs)
    return { at: memory.waitUntil, why: RELEASE_STEP };
  const answer = await local.letGo({ ...target, ...(event === undefined ? {} : { event }) });
  if (answer.outcome === 'done') return 'end';
  const { message } = answer;
  return tryAgain(life, RELEASE_STEP, { code: 'KubernetesUnavailable', retryClass: 'soon', message });
}

/**
 * Whether the history so far tells what to make of an object that is suddenly gone: that nothing was left, that there never was
 * an instance, or where to see that it has ended. What this task found out is not in there yet.
 */
function isEndKnown({ memory, status, instanceId }: Life): boolean {
  const isNoted = (at: number | undefined) => at !== undefined && at < workflowInfo().historyLength;
  if (isNoted(memory.endedAt)) return true;
  if (memory.launch !== undefined) return false;
  if (instanceId === undefined) return memory.instanceId === undefined;
  return status.instance?.state === 'terminated' && isNoted(memory.cloud?.notedAt);
}

function tryAgain(
  life: Life,
  step: string,
  failure: Pick<CloudFailure, 'cloudCode' | 'message' | 'retryAfterMs' | 'paced' | 'notSent'> & {
    readonly code: string;
    readonly retryClass: string;
  },
): Next {
  if (failure.notSent === true) return awaitTurn(life, step, failure);
  const { memory } = life;
  memory.failures += 1;
  const retryClass =
    failure.retryClass === 'throttled' || failure.retryClass === 'denied' ? failure.retryClass : 'soon';
  const at = life.nowMs + retryMs(life.settings, failure, retryClass, memory.failures, Math.random());
  memory.waitUntil = at;
  if (memory.failures === 1) life.event = { type: 'Warning', reason: 'FailedDelete', message: failure.message };
  life.wait(step, failure.cloudCode ?? failure.code, failure.message, at);
  return { at, why: failure.message };
}
