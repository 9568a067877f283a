import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { unlessPassing } from '../failures.ts';
import type { OwnNodes } from '../own-node.ts';
import { nodeOfDeleted } from './node-of-deleted.ts';
import { showEnd } from './show-on-node.ts';

/** Has a Node tell how its drain ended whose deletion waits for something else: until then its pods would be watched. Safe to repeat. */
export function createTellDrained(deps: MachineDeps, ownNodes: OwnNodes): Pick<DrainActivities, 'tellDrained'> {
  return {
    tellDrained: (request) =>
      unlessPassing(async () => {
        const { node, isLate } = await nodeOfDeleted(deps, ownNodes, request);
        if (node === undefined) return { outcome: 'done' as const };
        const { ref, now, end } = request;
        const refusal = await showEnd(deps, node, end, { ref, now, isLate });
        // Whatever else the deletion waits for is what it tells.
        return refusal === undefined ? { outcome: 'done' as const } : { outcome: 'failed' as const, message: refusal };
      }),
  };
}
