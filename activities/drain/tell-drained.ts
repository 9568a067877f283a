import { purposeOf } from '../../k8s/model/drain.ts';
import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { momentOf } from '../../providers/moment.ts';
import { objectChanged, unlessPassing } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { OwnNodes } from '../own-node.ts';
import { RECORDS_MS } from './drain-looks.ts';
import { writtenLate } from './in-time.ts';
import { showEnd } from './show-on-node.ts';

/** Has a Node tell how its drain ended whose deletion waits for something else: until then its pods would be watched. Safe to repeat. */
export function createTellDrained(deps: MachineDeps, ownNodes: OwnNodes): Pick<DrainActivities, 'tellDrained'> {
  const { reader, clock } = deps;
  return {
    tellDrained: (request) =>
      unlessPassing(async () => {
        // The look may be as old as that.
        const lookedAt = momentOf(clock);
        const { machine } = active(await reader.seen(request, ACT_MS));
        if (purposeOf(machine) !== 'deletion') throw objectChanged('the Machine is not to be deleted');
        const { node } = await ownNodes.look(machine, request, RECORDS_MS);
        if (node === undefined) return { outcome: 'done' as const };
        const { ref, now, end } = request;
        const refusal = await showEnd(deps, node, end, { ref, now, isLate: writtenLate(clock, lookedAt) });
        // Whatever else the deletion waits for is what it tells.
        return refusal === undefined ? { outcome: 'done' as const } : { outcome: 'failed' as const, message: refusal };
      }),
  };
}
