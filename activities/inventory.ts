import pLimit from 'p-limit';
import type { Machine } from '../k8s/model/machine.ts';
import { PAUSED_STEP } from '../k8s/model/reasons/steps.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { ProviderError, type Instance } from '../providers/provider.ts';
import type { InventoryActivities } from '../workflows/inventory/inventory-activities.ts';
import { expectedInstanceOf } from '../workflows/inventory/doubt.ts';
import { planInspections } from '../workflows/inventory/plan-inspections.ts';
import { cloudOf } from './cloud-of.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseCluster } from './failures.ts';
import { describeInBatches } from './describe-instance.ts';
import { restartLostWorkflows, type ObjectWorkflows } from './lost-workflows.ts';
import type { ReadMachine } from './effective-spec.ts';
import { placeKey, type Place } from './place.ts';
import { listMachines } from './read-machines.ts';
import { messageOf } from '../providers/message-of.ts';

export interface InventoryDeps extends ActivityDeps {
  /** Seconds between two inventories. */
  readonly inventoryIntervalSeconds: number;
  /** Tells a machine's workflow to look at its instance. */
  inspect(ref: ObjectRef): Promise<void>;
  /** Tells it to count its living instances: there is more than one. */
  recount(ref: ObjectRef): Promise<void>;
  readonly workflows: ObjectWorkflows;
}

/** Machines of one provider, credentials and cluster: what one listing answers for. */
interface Shelf {
  readonly place: Place;
  /** Its name, as in the tag of its instances. */
  readonly clusterName: string;
  readonly machines: Machine[];
}

/** Listings under way at once: a cloud that does not answer must not keep those of other credentials waiting. */
const LISTINGS_AT_ONCE = 8;
/** Most machines woken in a round because their pause is over: mostly the watcher was faster. */
const MOST_RELEASED = 500;

export function createInventoryActivities(deps: InventoryDeps): InventoryActivities {
  return {
    async takeInventory({ clusterUid }) {
      refuseCluster(deps, clusterUid, 'this inventory');
      const problems: string[] = [];
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
      const limit = pLimit(LISTINGS_AT_ONCE);
      const compared = await Promise.allSettled(
        shelves.map((shelf) => limit(() => compareShelf(deps, shelf, problems))),
      );
      let instances = 0;
      let woken = 0;
      for (const outcome of compared) {
        // All the others are done with.
        if (outcome.status === 'rejected') throw outcome.reason;
        instances += outcome.value.instances;
        woken += outcome.value.woken;
      }
      for (const { ref } of released) await deps.inspect(ref);
      woken += released.length;
      const machines = shelves.reduce((sum, s) => sum + s.machines.length, 0);
      if (problems.length > 0) deps.log.warn({ problems }, 'inventory is incomplete');
      return { machines, instances, woken, startedAgain, problems, intervalSeconds: deps.inventoryIntervalSeconds };
    },
  };
}

async function compareShelf(
  deps: InventoryDeps,
  { place, clusterName, machines }: Shelf,
  problems: string[],
): Promise<{ readonly instances: number; readonly woken: number }> {
  const { provider, credentials } = place;
  try {
    const listed = await provider.list(credentials, clusterName);
    const plan = planInspections(machines, [...listed, ...(await describeUnlisted(place, machines, listed))]);
    if (plan.doubt !== undefined) problems.push(plan.doubt);
    for (const ref of plan.inspect) await deps.inspect(ref);
    for (const ref of plan.recount) await deps.recount(ref);
    return { instances: listed.length, woken: plan.inspect.length + plan.recount.length };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    problems.push(`${provider.name}, ${credentials.secretName ?? 'default credentials'}: ${error.message}`);
    return { instances: 0, woken: 0 };
  }
}

/** What the listing by tag leaves out is asked for by id: an instance that was adopted, or whose tags somebody changed. */
async function describeUnlisted(
  place: Place,
  machines: readonly Machine[],
  listed: readonly Instance[],
): Promise<Instance[]> {
  const shown = new Set(listed.map(({ id }) => id));
  const expected = machines.flatMap((machine) => expectedInstanceOf(machine) ?? []);
  const unlisted = expected.filter((id) => !shown.has(id));
  const found: Instance[] = [];
  for await (const instances of describeInBatches(place, unlisted)) found.push(...instances);
  return found;
}

/** What there is to compare. */
function sortIntoShelves(deps: ActivityDeps, all: readonly ReadMachine[], problems: string[]): readonly Shelf[] {
  const shelves = new Map<string, Shelf>();
  for (const { machine, spec } of all) {
    if (machine.status.instance === undefined || machine.paused) continue;
    try {
      const place = cloudOf(deps, machine, spec);
      const key = `${machine.clusterName} ${placeKey(place)}`;
      const shelf = shelves.get(key) ?? { place, clusterName: machine.clusterName, machines: [] };
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
