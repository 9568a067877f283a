import { purposeOf } from '../../k8s/model/drain.ts';
import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged, unlessPassing } from '../failures.ts';
import { active } from '../machine-reader.ts';
import type { OwnNodes } from '../own-node.ts';
import { uncordon } from './cordon.ts';
import { clearOnNode } from './show-on-node.ts';

/** Takes back what drains wrote to the Node of a Machine, where it is not to be drained any more. Safe to repeat. */
export function createUncordonNode({ kube, reader }: MachineDeps, ownNodes: OwnNodes): DrainActivities['uncordonNode'] {
  return (target) =>
    unlessPassing(async () => {
      const { machine } = active(await reader.live(target));
      if (purposeOf(machine) !== undefined) throw objectChanged('the Node is to be drained again');
      const node = await ownNodes.find(machine, target);
      const freed = node && (await uncordon(kube, node));
      if (freed !== undefined) await clearOnNode(kube, freed);
      const isStill = freed?.spec?.unschedulable === true ? { isCordoned: true as const } : {};
      return { outcome: 'done' as const, ...isStill };
    });
}
