import { cameToNothing } from '../../../k8s/model/cause.ts';
import { conditionOf } from '../../../k8s/model/condition.ts';
import type { MachinePhase, MachineStatus } from '../../../k8s/model/machine.ts';
import { isMaintained, isPrepared, purposeOf } from '../../../k8s/model/drain.ts';
import { DONE, waitFor, waitMeanwhile, type Answer, type Wait } from '../answer.ts';
import { quietFrom } from '../calm.ts';
import { forgetMaintenanceStart } from '../drain-start.ts';
import { isDrainBegun } from '../emptying.ts';
import { forgetDeletion } from '../forget-deletion.ts';
import { passHooks } from '../hooks.ts';
import type { MachineMemory } from '../memory.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { nodeTarget } from '../proved-instance.ts';
import { putOnRecord } from '../../short-steps.ts';
import { failedAgain, kubernetesFailure, notDue, waitOf } from '../step-retry.ts';
import { given } from '../../../providers/given.ts';

const STEP = 'Uncordon';

const DELETION = { what: 'the deletion is aborted', reason: 'DeletionAborted' } as const;
const MAINTENANCE = { what: 'the maintenance is over', reason: 'MaintenanceEnded' } as const;
const REBOOT = { what: 'nothing is to be rebooted any more', reason: 'RebootEnded' } as const;

type Returning = NonNullable<MachineMemory['returned']>;

/**
 * A Machine that lives waits for no hook and is not drained, whatever was said of that before: by a deletion that was aborted, in
 * a maintenance or a reboot that is over, by the controller before us. What of that is on its Node is taken back.
 */
export async function returned(pass: Pass): Promise<Answer> {
  passHooks(pass, 'preDrain');
  passHooks(pass, 'preTerminate');
  pass.clearCondition('Deleting');
  restorePhase(pass);
  // For a maintenance or a reboot.
  const isKept = purposeOf(pass.seen.machine) !== undefined;
  if (isEndTold(pass)) delete pass.memory.returned;
  const isOver = !isToReturn(pass, isKept);
  if (isLeftBehind(pass)) await local.forgetDeletion(pass.target);
  // At once: whoever asks for it again before this is over finds a Node that takes pods.
  forgetDeletion(pass, isKept);
  if (!isKept) forgetMaintenanceStart(pass);
  const isRebooted = pass.status.conditions.some(({ type }) => type === 'Rebooted');
  if (pass.seen.machine.rebootWish === undefined) pass.clearCondition('Rebooted');
  if (isOver) return DONE;
  // What was over, and was wanted again meanwhile, may have asked more pods to go.
  if (pass.memory.returned?.isKept === true && !isKept) delete pass.memory.returned;
  const isNew = pass.memory.returned === undefined;
  const slot = (pass.memory.returned ??= {
    ...given({
      isOfReboot: isRebooted || undefined,
      isOfDeletion: (!isRebooted && isUntoldDeletion(pass)) || undefined,
    }),
    quietFrom: quietFrom(pass),
  });
  if (isKept) slot.isKept = true;
  if (isPrepared(pass.status) || slot.isOfDeletion === true) pass.set({ preparation: 'aborting' });
  if (!isKept) tellEndOfMaintenance(pass, slot);
  if (isNew) {
    delete pass.memory.calmSince;
    pass.memory.abortedAt = pass.nowMs;
    await putOnRecord('nothing counts as drained any more, before the Node takes pods again');
  }
  return (isKept ? undefined : await uncordon(pass, slot)) ?? finish(pass, slot, isKept);
}

/** Its Node takes pods again; that nothing takes it away from them any more is told when the condition goes. */
function tellEndOfMaintenance(pass: Pass, slot: Returning): void {
  if (conditionOf(pass.status.conditions, 'Maintenance') === undefined) return;
  const message = `the maintenance is over: its Node is being opened, and ${describeUnderWay(slot)}`;
  pass.setCondition({ type: 'Maintenance', status: 'False', reason: 'EvictionsUnderWay', message });
  pass.set({ maintenance: false });
}

function describeUnderWay({ quietFrom: until }: Returning): string {
  return `what was asked of its Node and its pods before may take effect until ${new Date(until).toISOString()}`;
}

/** Something was written for a deletion that is over, or came to nothing: no later deletion may go by it. */
function isLeftBehind({ nowMs, seen: { machine }, status }: Pass): boolean {
  const { cause, outOfTurn } = machine;
  const left = [cause, outOfTurn].filter((value) => value !== undefined);
  return left.length > 0 && (isPrepared(status) || left.some((value) => cameToNothing(value, nowMs)));
}

/** It is taken back, and the status says so by now. */
function isEndTold({ memory: { returned: slot }, status }: Pass): boolean {
  if (slot?.isOver !== true || isPrepared(status)) return false;
  return slot.isKept === true || !isMaintained(status);
}

/** Something was begun that nobody wants any more. */
function isToReturn(pass: Pass, isKept: boolean): boolean {
  const { status, memory, seen } = pass;
  if (memory.returned !== undefined || isPrepared(status)) return true;
  if (isKept) return false;
  return isDrainBegun(pass) || isMaintained(status) || seen.node?.isHeld === true;
}

/** Its Node was drained for its deletion, and whoever did that died before the status told of it. */
function isUntoldDeletion({ seen, status }: Pass): boolean {
  return !isPrepared(status) && !isMaintained(status) && seen.node?.isHeldForDeletion === true;
}

/** Undefined: our cordon is off. */
async function uncordon(pass: Pass, slot: Returning): Promise<Answer | undefined> {
  if (slot.isUncordoned === true && !isHeldAgain(pass, slot)) return undefined;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return hold(pass, wait);
  const answer = await local.uncordonNode(nodeTarget(pass));
  if (answer.outcome === 'failed') {
    slot.retry = failedAgain(pass, STEP, kubernetesFailure(answer.message), slot.retry);
    return hold(pass, waitOf(slot.retry));
  }
  delete slot.retry;
  slot.isUncordoned = true;
  if (answer.isCordoned === true) slot.isLeftCordoned = true;
  return undefined;
}

/** What was sent before the abort was seen came after our cordon was taken off, and nothing else comes any more. */
function isHeldAgain({ nowMs, seen }: Pass, slot: Returning): boolean {
  return nowMs >= slot.quietFrom && seen.node?.isHeld === true;
}

function finish(pass: Pass, slot: Returning, isKept: boolean): Answer {
  const { isLeftCordoned, isOfReboot } = slot;
  if (pass.nowMs < slot.quietFrom) {
    const message = `the drain has stopped; ${describeUnderWay(slot)}`;
    return hold(pass, { step: STEP, reason: 'EvictionsUnderWay', message, until: slot.quietFrom });
  }
  const { nodeRef } = pass.status;
  const stays = isKept
    ? `stays cordoned for its ${purposeOf(pass.seen.machine) ?? 'maintenance'}`
    : 'stays cordoned, as somebody else had cordoned it';
  const node = isKept || isLeftCordoned === true ? stays : 'takes pods';
  const isAborted = isPrepared(pass.status);
  const other = isOfReboot === true ? REBOOT : MAINTENANCE;
  const { what, reason } = isAborted ? DELETION : other;
  const message = `${what}${nodeRef === undefined ? '' : `: Node ${nodeRef.name} ${node}`}; pods that were already evicted, if any, stay where they went`;
  pass.tell({ type: 'Normal', reason, message });
  if (isAborted) pass.set({ preparation: 'aborted' });
  if (!isKept) {
    if (pass.status.maintenance !== undefined) pass.set({ maintenance: false });
    pass.clearCondition('Maintenance');
  }
  // The write that is to tell it may meet another one: the next pass tells it then.
  slot.isOver = true;
  return DONE;
}

/** Everything else goes on; but of a machine that has failed nothing does, and the wait has to be said here. */
function hold(pass: Pass, wait: Wait): Answer {
  return pass.hasFailed ? waitFor(wait) : waitMeanwhile(wait);
}

function restorePhase(pass: Pass): void {
  if (pass.status.phase === 'Deleting') pass.set({ phase: phaseBefore(pass.status) });
}

function phaseBefore({ error, nodeRef, instance }: MachineStatus): MachinePhase {
  if (error !== undefined) return 'Failed';
  if (nodeRef !== undefined) return 'Running';
  return instance === undefined ? 'Provisioning' : 'Provisioned';
}
