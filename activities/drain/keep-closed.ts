import { purposeOf } from '../../k8s/model/drain.ts';
import { momentOf } from '../../providers/moment.ts';
import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged, unlessPassing } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { OwnNodes } from '../own-node.ts';
import { closeAgain } from './cordon.ts';
import { RECORDS_MS } from './drain-looks.ts';
import { writtenLate } from './in-time.ts';
import { showRest } from './show-on-node.ts';

/** Keeps the Node of a Machine closed whose deletion a hook holds, and has it tell why its drain rests. Safe to repeat. */
export function createKeepClosed(deps: MachineDeps, ownNodes: OwnNodes): Pick<DrainActivities, 'keepClosed'> {
  const { reader, clock, kube } = deps;
  return {
    keepClosed: (request) =>
      unlessPassing(async () => {
        // The look may be as old as that.
        const lookedAt = momentOf(clock);
        const { machine } = active(await reader.seen(request, ACT_MS));
        if (purposeOf(machine) !== 'deletion') throw objectChanged('the Machine is not to be deleted');
        const { node } = await ownNodes.look(machine, request, RECORDS_MS);
        const { ref, now, rests } = request;
        const isLate = writtenLate(clock, lookedAt);
        const closed = node && (await closeAgain(kube, node, { ref, isLate }));
        if (closed === undefined || rests === undefined) return { outcome: 'done' as const };
        const refusal = await showRest(deps, closed, rests, { now, isLate });
        return refusal === undefined ? { outcome: 'done' as const } : { outcome: 'failed' as const, message: refusal };
      }),
  };
}
