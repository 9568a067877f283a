import type { Machine } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { credentialsKey, ProviderError, type Credentials, type Provider } from '../providers/provider.ts';
import { planInspections } from '../workflows/inventory/plan-inspections.ts';
import { cloudOf } from './cloud-of.ts';
import type { ActivityDeps } from './deps.ts';
import { releaseMachineClasses } from './machine-classes.ts';
import { listMachines } from './read-machines.ts';

export interface InventoryActivities {
  /** Lists every credential's instances once, compares them with what is on record, and wakes the machines that differ. */
  takeInventory(request: { readonly cluster: string }): Promise<InventoryReport>;
}

export interface InventoryReport {
  readonly machines: number;
  readonly instances: number;
  /** Machines that were woken because the cloud shows something else than is on record. */
  readonly woken: number;
  /** What kept a listing from being used. */
  readonly problems: readonly string[];
  /** Seconds until the next one. */
  readonly intervalSeconds: number;
}

export interface InventoryDeps extends ActivityDeps {
  /** Seconds between two inventories. */
  readonly inventoryIntervalSeconds: number;
  /** Tells a machine's workflow to look at its instance. */
  inspect(ref: ObjectRef): Promise<void>;
}

/** Machines of one provider, credentials and cluster: what one listing answers for. */
interface Shelf {
  readonly provider: Provider;
  readonly credentials: Credentials;
  readonly cluster: string;
  readonly machines: Machine[];
}

export function createInventoryActivities(deps: InventoryDeps): InventoryActivities {
  return {
    async takeInventory({ cluster }) {
      if (cluster !== deps.cluster) throw new Error(`this worker serves the cluster ${deps.cluster}, not ${cluster}`);
      await releaseMachineClasses(deps);
      const shelves = await readShelves(deps);
      const problems: string[] = [];
      let instances = 0;
      let woken = 0;
      for (const shelf of shelves) {
        try {
          const listed = await shelf.provider.list(shelf.credentials, shelf.cluster);
          instances += listed.length;
          const plan = planInspections(shelf.machines, listed);
          if (plan.doubt !== undefined) problems.push(plan.doubt);
          for (const ref of plan.inspect) await deps.inspect(ref);
          woken += plan.inspect.length;
        } catch (error) {
          if (!(error instanceof ProviderError)) throw error;
          problems.push(
            `${shelf.provider.name}, ${shelf.credentials.secretName ?? 'default credentials'}: ${error.message}`,
          );
        }
      }
      const machines = shelves.reduce((sum, s) => sum + s.machines.length, 0);
      if (problems.length > 0) deps.log.warn({ problems }, 'inventory is incomplete');
      return { machines, instances, woken, problems, intervalSeconds: deps.inventoryIntervalSeconds };
    },
  };
}

async function readShelves(deps: ActivityDeps): Promise<Shelf[]> {
  const shelves = new Map<string, Shelf>();
  for (const { machine, spec } of await listMachines(deps)) {
    if (machine.status.instance === undefined || machine.paused) continue;
    try {
      const { provider, credentials } = cloudOf(deps, machine, spec);
      const key = `${provider.name} ${machine.cluster} ${credentialsKey(credentials)}`;
      const shelf = shelves.get(key) ?? { provider, credentials, cluster: machine.cluster, machines: [] };
      shelf.machines.push(machine);
      shelves.set(key, shelf);
    } catch (error) {
      // A spec that became unreadable is told by its own machine.
      if (!(error instanceof ProviderError)) throw error;
    }
  }
  return [...shelves.values()];
}
