import { purposeOf } from '../../../k8s/model/drain.ts';
import { hasBootedSince, recentReboots, type RebootRecord, type RebootWish } from '../../../k8s/model/reboot.ts';
import { given } from '../../../providers/given.ts';
import { AGAIN, DONE, waitMeanwhile, type Answer } from '../answer.ts';
import { callReboot } from '../call-reboot.ts';
import { emptyNode } from '../empty-node.ts';
import { drainAnew, isDrainDone } from '../emptying.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { rebootLookAt } from '../reboot-look-at.ts';
import type { DueReboot } from '../reboot-activities.ts';
import { failedAgain, kubernetesFailure, notDue, waitOf } from '../step-retry.ts';
import { takeTurn } from '../turn.ts';

const STEP = 'Reboot';

/**
 * Reboots the instance, once for each wish of a health check: it is emptied where its Node answers, the call is on record before it is
 * made, and whatever becomes of that call, there is no other one. What came of it its check judges, which takes the wish off.
 */
export async function rebooted(pass: Pass): Promise<Answer> {
  const { rebootWish: wish } = pass.seen.machine;
  const { rebooted: slot } = pass.memory;
  if (wish === undefined) {
    delete slot.uncalled;
    delete slot.told;
    delete slot.retry;
    return DONE;
  }
  const retry = notDue(slot.retry, pass.nowMs);
  if (retry !== undefined) return waitMeanwhile(retry);
  const look = await local.lookAtReboot(pass.target);
  if (look.outcome === 'failed') {
    slot.retry = failedAgain(pass, STEP, kubernetesFailure(look.message), slot.retry);
    return waitMeanwhile(waitOf(slot.retry));
  }
  if (look.outcome === 'withdrawn') {
    await local.forgetReboot(pass.target);
    return AGAIN;
  }
  const record = recordOf(pass, wish);
  if (record.state !== 'Preparing') return follow(pass, record);
  if (look.outcome === 'held') return hold(pass, look.message);
  return reboot(pass, wish, record, look);
}

/** How the wish stands. What is recorded of a call that this workflow knows not to have asked for does not count. */
function recordOf({ status, memory, nowMs }: Pass, { id }: RebootWish): RebootRecord {
  const { reboot: known } = status;
  const isUncalled = known?.id === memory.rebooted.uncalled && known?.state === 'Sent';
  if (known?.id === id && !isUncalled) return known;
  const times = known === undefined ? [] : timesOf(known, nowMs).filter((at) => !isUncalled || at !== known.sentAt);
  return { id, state: 'Preparing', times };
}

function timesOf(record: RebootRecord, now: number): string[] {
  return recentReboots(record, now).map((at) => new Date(at).toISOString());
}

async function reboot(pass: Pass, wish: RebootWish, record: RebootRecord, look: DueReboot): Promise<Answer> {
  const instance = pass.status.instance?.id;
  if (instance === undefined) return hold(pass, 'it has no instance');
  const { maxReboots, isSupported, cause } = look;
  if (!isSupported) return giveUp(pass, record, 'Unsupported', `its cloud cannot reboot instance ${instance}`);
  const past = timesOf(record, pass.nowMs);
  if (past.length >= maxReboots) {
    const message = `instance ${instance} was rebooted ${past.length} times within 24 hours, and is at most ${maxReboots} times (maxReboots)`;
    return giveUp(pass, { ...record, times: past }, 'Spent', message);
  }
  const turn = await takeTurn(pass, 'drain');
  if (turn.outcome === 'wait') return say(pass, 'ControlPlaneInTheWay', turn);
  // What the cloud said in this pass is written first.
  if (pass.sighting !== undefined) return AGAIN;
  const drain = await emptied(pass, look);
  if (drain !== undefined) return drain;
  const sentAt = new Date(pass.nowMs).toISOString();
  const sent: RebootRecord = {
    id: wish.id,
    state: 'Sent',
    ...given({ bootID: look.bootID }),
    sentAt,
    times: [...past, sentAt],
  };
  const answer = await callReboot(pass, { instance, cause, record: sent, isDrained: isDrainDone(pass) });
  return answer.outcome === 'sent' ? follow(pass, sent) : refused(pass, record, answer);
}

/** Undefined: nothing is in the way of the reboot. A Node that does not answer is not emptied. */
async function emptied(pass: Pass, { isNodeReady }: DueReboot): Promise<Answer | undefined> {
  if (!isNodeReady) return undefined;
  if (purposeOf(pass.seen.machine) === 'maintenance') {
    return isDrainDone(pass) ? undefined : hold(pass, 'its Node is emptied for its maintenance first');
  }
  const isUncordoned = pass.seen.node !== undefined && pass.seen.node.isCordoned !== true;
  if (isDrainDone(pass) && isUncordoned) drainAnew(pass, 'reboot');
  const answer = await emptyNode(pass, 'reboot');
  if (answer.outcome === 'wait') return { ...answer, meanwhile: true };
  return answer.outcome === 'done' ? undefined : answer;
}

/** Not for this wish any more. */
function giveUp(pass: Pass, record: RebootRecord, state: 'Unsupported' | 'Spent' | 'Refused', message: string): Answer {
  pass.set({ reboot: { ...record, state, message: message.slice(0, 1024) } });
  return follow(pass, { ...record, state, message });
}

function refused(
  pass: Pass,
  record: RebootRecord,
  { failure, isFinal }: Extract<Awaited<ReturnType<typeof callReboot>>, { outcome: 'refused' }>,
): Answer {
  const { rebooted: slot } = pass.memory;
  if (isFinal === true) return giveUp(pass, record, 'Refused', failure.message);
  pass.set({ reboot: record });
  slot.retry = failedAgain(pass, STEP, failure, slot.retry);
  return waitMeanwhile(waitOf(slot.retry));
}

const GIVEN_UP = {
  Unsupported: { reason: 'RebootUnsupported', type: 'Normal' },
  Spent: { reason: 'RebootsSpent', type: 'Warning' },
  Refused: { reason: 'RebootRefused', type: 'Warning' },
} as const;

/** All is done that is for a machine to do: its check tells what comes next. */
function follow(pass: Pass, record: RebootRecord): Answer {
  const { instanceId = '' } = pass;
  const { rebooted: slot } = pass.memory;
  const { state, sentAt = '', message = '' } = record;
  const { node } = pass.seen;
  const until = rebootLookAt(pass);
  delete slot.retry;
  if (state !== 'Sent' && state !== 'Preparing') {
    const { reason, type } = GIVEN_UP[state];
    pass.setCondition({ type: 'Rebooted', status: 'False', reason, message });
    if (slot.told !== record.id) pass.tell({ type, reason, message });
    slot.told = record.id;
    return waitMeanwhile({ step: STEP, reason: 'RebootOver', message, until });
  }
  if (node?.ready === 'True' && hasBootedSince(record, node.bootID)) {
    const done = `instance ${instanceId} was rebooted at ${sentAt}: Node ${node.name} tells of another boot, and is Ready`;
    if (slot.told !== record.id) pass.tell({ type: 'Normal', reason: 'BootedAnew', message: done });
    slot.told = record.id;
    pass.setCondition({ type: 'Rebooted', status: 'True', reason: 'BootedAnew', message: done });
    return waitMeanwhile({ step: STEP, reason: 'RebootOver', message: done, until });
  }
  const words = `the cloud was asked to reboot instance ${instanceId} at ${sentAt}, and is not asked again for this; its Node has to tell of another boot, and be Ready${message === '' ? '' : `: ${message}`}`;
  pass.setCondition({ type: 'Rebooted', status: 'False', reason: 'RebootSent', message: words });
  return waitMeanwhile({ step: STEP, reason: 'RebootSent', message: words, until });
}

function hold(pass: Pass, message: string): Answer {
  const words = `it is not rebooted yet: ${message}`;
  const wait = { step: STEP, reason: 'RebootHeld', message: words, until: rebootLookAt(pass) } as const;
  return say(pass, 'RebootHeld', waitMeanwhile(wait));
}

function say(pass: Pass, reason: 'RebootHeld' | 'ControlPlaneInTheWay', answer: Answer): Answer {
  if (answer.outcome !== 'wait') return answer;
  pass.setCondition({ type: 'Rebooted', status: 'False', reason, message: answer.wait.message });
  return waitMeanwhile(answer.wait);
}
