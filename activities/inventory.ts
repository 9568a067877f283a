import type { Machine } from '../k8s/model/machine.ts';
import { PAUSED_STEP } from '../k8s/model/reasons/steps.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { startDeadline } from '../providers/clock.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { InventoryActivities } from '../workflows/inventory/inventory-activities.ts';
import { cloudOf } from './cloud-of.ts';
import { createCompareShelves, LISTING_MS, type Shelf } from './compare-shelves.ts';
import type { ActivityDeps, InspectDeps } from './deps.ts';
import { refuseCluster } from './failures.ts';
import { restartLostWorkflows, type ObjectWorkflows } from './lost-workflows.ts';
import type { ReadMachine } from './effective-spec.ts';
import { placeKey } from './place.ts';
import { listMachines } from './read-machines.ts';
import { messageOf } from '../providers/message-of.ts';

export interface InventoryDeps extends ActivityDeps, InspectDeps {
  /** Seconds between two inventories. */
  readonly inventoryIntervalSeconds: number;
  /** Tells it to count its living instances: there is more than one. */
  recount(ref: ObjectRef): Promise<void>;
  readonly workflows: ObjectWorkflows;
}

/** Most machines woken in a round because their pause is over: mostly the watcher was faster. */
const MOST_RELEASED = 500;

export function createInventoryActivities(deps: InventoryDeps): InventoryActivities {
  const compareShelves = createCompareShelves(deps);

  return {
    async takeInventory({ clusterUid }) {
      refuseCluster(deps, clusterUid, 'this inventory');
      const problems: string[] = [];
      const startedAt = deps.clock.now();
      let isWhole = true;
      const all = await listMachines(deps, (refusal) => {
        isWhole = false;
        problems.push(refusal);
      });
      // Before the cloud is asked, which takes its time: meanwhile workflows end because their objects go.
      const machinesThere = all.map(({ machine }) => machine);
      const startedAgain = await restartLostWorkflows(deps, machinesThere, problems);
      const shelves = sortIntoShelves(deps, all, problems);
      // No change of an object tells that a Cluster can be read again: the permission came back.
      const released = isWhole ? machinesThere.filter(isReleased).slice(0, MOST_RELEASED) : [];
      const deadline = startDeadline(deps.clock, startedAt + LISTING_MS - deps.clock.now());
      const compared = await compareShelves(shelves, deadline.signal, problems).finally(() => deadline.callOff());
      for (const { ref } of released) await deps.inspect(ref);
      const { instances } = compared;
      const woken = compared.woken + released.length;
      const machines = shelves.reduce((sum, s) => sum + s.machines.length, 0);
      if (problems.length > 0) deps.log.warn({ problems }, 'inventory is incomplete');
      return { machines, instances, woken, startedAgain, problems, intervalSeconds: deps.inventoryIntervalSeconds };
    },
  };
}

/** What there is to compare. */
function sortIntoShelves(deps: ActivityDeps, all: readonly ReadMachine[], problems: string[]): readonly Shelf[] {
  const shelves = new Map<string, Shelf>();
  for (const { machine, spec } of all) {
    if (machine.status.instance === undefined || machine.paused) continue;
    try {
      const place = cloudOf(deps, machine, spec);
      const key = `${machine.clusterName} ${placeKey(place)}`;
      const shelf = shelves.get(key) ?? { key, place, clusterName: machine.clusterName, machines: [] };
      shelf.machines.push(machine);
      shelves.set(key, shelf);
    } catch (error) {
      // A spec that became unreadable is told by its own machine; anything else must not stop the others either.
      if (error instanceof ProviderError) continue;
      problems.push(`Machine ${machine.ref.namespace}/${machine.ref.name}: ${messageOf(error)}`);
    }
  }
  return [...shelves.values()];
}

function isReleased({ paused, malformed, status }: Machine): boolean {
  return !paused && malformed === undefined && status.waiting?.step === PAUSED_STEP;
}
