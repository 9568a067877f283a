import { DONE, type Answer } from '../answer.ts';
import { isDrainOver } from '../deletion-points.ts';
import { emptyNode, skipDrain } from '../empty-node.ts';
import { wasProvedGone } from '../instance-facts.ts';
import type { Pass } from '../pass.ts';

/** Empties the Node before its instance ends. That comes once: what is done is not looked at again. */
export async function drained(pass: Pass): Promise<Answer> {
  const { drained: slot } = pass.memory;
  if (slot.isDone === true || isDrainOver(pass)) return DONE;
  // An instance that the Machine only names is looked at first: this comes when it is known to be the Machine's.
  if (pass.instanceId !== undefined && pass.status.instance === undefined) return DONE;
  const why = whySkipped(pass);
  return why === undefined ? emptyNode(pass, 'deletion') : skipDrain(pass, why);
}

function whySkipped({ seen: { machine }, instanceId, status }: Pass): string | undefined {
  if (instanceId === undefined) return '';
  if (machine.excludesDrain === true) return 'its annotation asks for no drain';
  const { deletionPolicy = 'graceful' } = machine;
  if (deletionPolicy !== 'graceful') return `its deletionPolicy is ${deletionPolicy}`;
  const hasEnded = status.instance?.state === 'terminated' || wasProvedGone(status);
  return hasEnded ? `instance ${instanceId} has ended already` : undefined;
}
