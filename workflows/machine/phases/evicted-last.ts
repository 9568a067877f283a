import { DONE, type Answer } from '../answer.ts';
import { isDrainOver } from '../deletion-points.ts';
import { emptyNode } from '../empty-node.ts';
import type { Pass } from '../pass.ts';

/** Has the pods of DaemonSets leave after all others, when the volumes of these are detached: whoever mounts them is needed until then. */
export async function evictedLast(pass: Pass): Promise<Answer> {
  const { drained, detached, vacated } = pass.memory;
  if (pass.seen.machine.drain?.evictsDaemonSets !== true || isDrainOver(pass)) return DONE;
  const isNext = drained.isDone === true && drained.isCutShort !== true && detached.isDone === true;
  // From a Node that cannot answer Kubernetes takes them.
  return isNext && vacated === undefined ? emptyNode(pass, 'deletion', 'daemonSets') : DONE;
}
