import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { unlessPassing } from '../failures.ts';
import type { OwnNodes } from '../own-node.ts';
import { closeAgain } from './cordon.ts';
import { nodeOfDeleted } from './node-of-deleted.ts';
import { showRest } from './show-on-node.ts';

/** Keeps the Node of a Machine closed whose deletion a hook holds, and has it tell why its drain rests. Safe to repeat. */
export function createKeepClosed(deps: MachineDeps, ownNodes: OwnNodes): Pick<DrainActivities, 'keepClosed'> {
  return {
    keepClosed: (request) =>
      unlessPassing(async () => {
        const { node, isLate } = await nodeOfDeleted(deps, ownNodes, request);
        const { ref, now, rests } = request;
        const closed = node && (await closeAgain(deps.kube, node, { ref, isLate }));
        if (closed === undefined || rests === undefined) return { outcome: 'done' as const };
        const refusal = await showRest(deps, closed, rests, { now, isLate });
        return refusal === undefined ? { outcome: 'done' as const } : { outcome: 'failed' as const, message: refusal };
      }),
  };
}
