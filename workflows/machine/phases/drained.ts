import { conditionOf } from '../../../k8s/model/condition.ts';
import { DONE, type Answer } from '../answer.ts';
import { isPastDrain, whyDrainSkipped } from '../deletion-points.ts';
import { emptyNode, leaveToKubernetes, skipDrain } from '../empty-node.ts';
import { drainOpened, isDrainDone, isEmptied, leaveNode, leftToKubernetes } from '../emptying.ts';
import { hasEnded } from '../instance-facts.ts';
import type { Standstill } from '../look-whether-ended.ts';
import type { Pass } from '../pass.ts';
import { lookAtSilentNode, nextSilentLookAt, silentFrom } from '../silence.ts';

/** Empties the Node before its instance ends. A Node that was emptied is not looked at again, unless somebody opened it. */
export async function drained(pass: Pass): Promise<Answer> {
  if (isOpened(pass)) emptyOpened(pass);
  if (isDrainDone(pass)) return emptyNode(pass, 'deletion');
  if (isLeftToKubernetes(pass)) return skipDrain(pass, '');
  if (isPastDrain(pass)) return recallWhetherLeft(pass);
  // An instance that the Machine only names is looked at first: this comes when it is known to be the Machine's.
  if (pass.instanceId !== undefined && pass.status.instance === undefined) return DONE;
  const why = pass.instanceId === undefined ? '' : whyDrainSkipped(pass);
  if (why !== undefined) return skipDrain(pass, why);
  const still = standstillOnRecord(pass) ?? (await lookAtSilentNode(pass));
  return still === undefined ? untilSilent(pass, await emptyNode(pass, 'deletion')) : leaveToKubernetes(pass, still);
}

/** Pods may have come since it was emptied. Whoever else opens the Node leaves what says that we closed it. */
function isOpened(pass: Pass): boolean {
  const { node } = pass.seen;
  const isOpen = node?.isHeldForDeletion === true && node.isCordoned !== true;
  return isOpen && isEmptied(pass) && !isPastDrain(pass);
}

/** Volumes of what has come are waited for anew. */
function emptyOpened(pass: Pass): void {
  drainOpened(pass);
  const { volumeDetachStartTime: _before, ...deletion } = pass.status.deletion ?? {};
  pass.set({ deletion });
}

/** A workflow before this one left the Node to Kubernetes: how that stands is looked at next. */
function isLeftToKubernetes(pass: Pass): boolean {
  const { seen } = pass;
  if (seen.node?.isOutOfService !== true || seen.machine.deletedAt === undefined) return false;
  if (leftToKubernetes(pass) === undefined) leaveNode(pass, { is: 'stopped', isTold: true });
  return true;
}

/** Where its kubelet seemed well, the Node does not say that it was left to Kubernetes: how its drain ended does. */
function recallWhetherLeft(pass: Pass): Answer {
  const { reason } = conditionOf(pass.status.conditions, 'Drained') ?? {};
  const is = reason === 'InstanceStopped' ? 'stopped' : 'ended';
  const isLeft = reason === 'InstanceStopped' || (reason === 'DrainSkipped' && hasEnded(pass.status));
  if (isLeft && leftToKubernetes(pass) === undefined) leaveNode(pass, { is });
  return DONE;
}

function standstillOnRecord({ instanceId = '', status }: Pass): Standstill | undefined {
  return hasEnded(status) ? { is: 'ended', why: `instance ${instanceId} has ended already` } : undefined;
}

/** The next pass comes when the Node counts as one that cannot answer, or its instance is looked at again, where that is earlier. */
function untilSilent(pass: Pass, answer: Answer): Answer {
  if (answer.outcome !== 'wait') return answer;
  const moments = [silentFrom(pass), nextSilentLookAt(pass)].filter((one) => one !== undefined);
  const at = Math.min(...moments.filter((one) => one > pass.nowMs));
  return at >= (answer.wait.until ?? Infinity) ? answer : { ...answer, wait: { ...answer.wait, until: at } };
}
