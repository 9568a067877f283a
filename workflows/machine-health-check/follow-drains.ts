import { given } from '../../providers/given.ts';
import type { ConditionRule } from '../../k8s/model/machine-health-check.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { FoundCheck, Suspect } from './health-activities.ts';
import type { HealthMemory } from './health-memory.ts';
import { local } from './ports.ts';

/** By the uid of a Machine that is being replaced: whether its Node could not answer when its drain was last told how to end. */
export type SeenSilence = Readonly<Record<string, boolean>>;

interface Followed {
  readonly health: HealthMemory;
  readonly clusterRules?: readonly ConditionRule[];
  silence: SeenSilence;
}

/**
 * A drain that takes too long is ended by force where the Node cannot answer, and is waited for where it does: which of both it is
 * may change while it lasts.
 */
export async function followDrains(target: ObjectTarget, memory: Followed, seen: FoundCheck): Promise<void> {
  const followed: Record<string, boolean> = {};
  const { clusterRules } = memory;
  for (const { uid, name, nodeReady, isDeleting } of seen.suspects) {
    const slot = memory.health.slots[uid];
    const step = slot && seen.remediation.steps[slot.step];
    if (step?.action !== 'Replace' || slot === undefined || isDeleting !== true) continue;
    const isSilent = isSilentNode(nodeReady);
    followed[uid] = isSilent;
    if (memory.silence[uid] === isSilent) continue;
    const request = {
      ...target,
      machine: { uid, name },
      step,
      cause: slot.cause,
      causes: [],
      ...given({ clusterRules }),
    };
    try {
      const answer = await local.remediate(request);
      // What was not to be done now, or was refused, is tried again with the next look.
      if (answer.outcome === 'notNow' || answer.outcome === 'refused') followed[uid] = !isSilent;
    } catch {
      followed[uid] = !isSilent;
    }
  }
  memory.silence = followed;
}

function isSilentNode(ready: Suspect['nodeReady']): boolean {
  return ready === 'Unknown';
}
