import { KubeError } from '../../k8s/kube-error.ts';
import { purposeOf } from '../../k8s/model/drain.ts';
import type { DrainActivities } from '../../workflows/machine/drain-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { momentOf } from '../../providers/moment.ts';
import { objectChanged, unlessPassing } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { OwnNodes } from '../own-node.ts';
import { writtenLate } from './in-time.ts';
import { showEnd } from './show-on-node.ts';

/** How old a look at all Machines may be, in milliseconds: as in a pass of a drain. */
const RECORDS_MS = 10_000;

/** Has a Node tell how its drain ended whose deletion waits for something else: until then its pods would be watched. Safe to repeat. */
export function createTellDrained(
  { kube, reader, clock, log }: MachineDeps,
  ownNodes: OwnNodes,
): Pick<DrainActivities, 'tellDrained'> {
  return {
    tellDrained: (request) =>
      unlessPassing(async () => {
        // The look may be as old as that.
        const lookedAt = momentOf(clock);
        const { machine } = active(await reader.seen(request, ACT_MS));
        if (purposeOf(machine) !== 'deletion') throw objectChanged('the Machine is not to be deleted');
        const { node } = await ownNodes.look(machine, request, RECORDS_MS);
        if (node === undefined) return { outcome: 'done' as const };
        try {
          await showEnd(kube, node, request.end, { now: request.now, isLate: writtenLate(clock, lookedAt) });
        } catch (error) {
          // Whatever else the deletion waits for is what it tells.
          if (!(error instanceof KubeError)) throw error;
          log.warn({ node: node.metadata.name, error: error.message }, 'could not write how its drain has ended');
          return { outcome: 'failed' as const, message: error.message };
        }
        return { outcome: 'done' as const };
      }),
  };
}
