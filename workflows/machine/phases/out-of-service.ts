import { AGAIN, DONE, waitFor, type Answer } from '../answer.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import { isDrainSkipped } from '../deletion-points.ts';
import {
  emptyAnew,
  instanceLookedAt,
  isDrained,
  keepNode,
  leaveDrainedNode,
  leaveNode,
  leftToKubernetes,
} from '../emptying.ts';
import { askAfterInstance } from '../look-at-instance.ts';
import type { LeftToKubernetes } from '../memory.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { nodeTarget } from '../proved-instance.ts';
import { notDue } from '../step-retry.ts';
import { tellLook } from '../tell-look.ts';
import { isSilent, lookAtSilentNode } from '../silence.ts';

const STEP = 'VacateNode';

/** Between two looks at an instance that may be started again: before its end is asked for, and while that is held. Milliseconds. */
const LOOK_MS = { beforeItsEnd: 30_000, held: 300_000 } as const;

/**
 * Tells Kubernetes, before the instance of a Node that cannot answer ends, that nothing on it runs. Where the instance is started
 * again before its end is asked for, that is taken back, and the Node is drained.
 */
export async function outOfService(pass: Pass): Promise<Answer> {
  const { memory, nowMs } = pass;
  if (memory.isEndAskedFor === true || isDrainSkipped(pass)) return DONE;
  await lookWhileDetaching(pass);
  // Pods were asked to end there, and nobody can tell whether they did before the instance ends.
  const known = leftToKubernetes(pass);
  if (isSilent(pass) && known === undefined) leaveNode(pass, { is: 'silent' });
  else if (!isSilent(pass) && known?.is === 'silent') keepNode(pass);
  const slot = leftToKubernetes(pass);
  if (slot === undefined || slot.is === 'silent') return DONE;
  const wait = notDue(slot.retry, nowMs);
  if (wait !== undefined) return waitFor(wait);
  if (slot.is === 'stopped' && (await runsAgain(pass, slot))) return giveBack(pass, slot);
  if (slot.isTold !== true) {
    const answer = await local.vacateNode(nodeTarget(pass));
    if (answer.outcome === 'failed') return waitForKubernetes(pass, STEP, slot, answer.message);
    delete slot.retry;
    slot.isTold = true;
  }
  if (slot.is !== 'stopped') return DONE;
  return { outcome: 'done', until: nowMs + LOOK_MS.held, why: 'a look whether the instance was started again' };
}

/** The Node is drained, and falls silent while its volumes are waited for, or the pods of DaemonSets. */
async function lookWhileDetaching(pass: Pass): Promise<void> {
  if (!isDrained(pass) || (leftToKubernetes(pass)?.is ?? 'silent') !== 'silent') return;
  const still = await lookAtSilentNode(pass);
  if (still !== undefined) leaveDrainedNode(pass, { is: still.is });
}

async function runsAgain(pass: Pass, slot: LeftToKubernetes): Promise<boolean> {
  const { seen, instanceId: id, nowMs } = pass;
  if (seen.node?.ready === 'True') return true;
  const { lookedAt = instanceLookedAt(pass) } = slot;
  if (id === undefined || nowMs < lookedAt + LOOK_MS.beforeItsEnd) return false;
  slot.lookedAt = nowMs;
  const look = await askAfterInstance(pass, id);
  tellLook(pass, id, look);
  if (look.outcome !== 'found') return false;
  const { state } = look.instance;
  pass.set({ instance: { id, state } });
  return state === 'running' || state === 'pending';
}

async function giveBack(pass: Pass, slot: LeftToKubernetes): Promise<Answer> {
  const answer = await local.returnNode(nodeTarget(pass));
  if (answer.outcome === 'failed') return waitForKubernetes(pass, STEP, slot, answer.message);
  const { instanceId = '' } = pass;
  emptyAnew(pass);
  // What comes before an instance's end comes anew, but for the hooks before its drain.
  const { deletion: { preDrainHookStartTime } = {}, ...status } = pass.status;
  pass.status = status;
  if (preDrainHookStartTime !== undefined) pass.set({ deletion: { preDrainHookStartTime } });
  pass.clearCondition('Drained');
  const message = `instance ${instanceId} was started again: its Node is drained before it ends`;
  pass.tellOnce({ type: 'Normal', reason: 'InstanceStartedAgain', message });
  return AGAIN;
}
