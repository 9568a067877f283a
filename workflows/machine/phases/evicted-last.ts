import { DONE, type Answer } from '../answer.ts';
import { isDrainSkipped } from '../deletion-points.ts';
import { emptyNode } from '../empty-node.ts';
import { areDaemonSetsNext } from '../emptying.ts';
import type { Pass } from '../pass.ts';

/** Has the pods of DaemonSets leave after all others, when the volumes of these are detached: whoever mounts them is needed until then. */
export async function evictedLast(pass: Pass): Promise<Answer> {
  if (pass.seen.machine.drain?.evictsDaemonSets !== true) return DONE;
  return areDaemonSetsNext(pass) && !isDrainSkipped(pass) ? emptyNode(pass, 'deletion', 'daemonSets') : DONE;
}
