import type { OutageDeps } from '../../activities/health/outages.ts';
import type { InventoryDeps } from '../../activities/inventory.ts';
import type { WorkflowRun } from '../../process/workflow-run.ts';
import { workflowIdOf } from '../../workflows/ids.ts';
import type { Outage } from '../../workflows/machine-health-check/health-activities.ts';
import type { StartedObject } from '../../workflows/workflow-start.ts';

type Reached = Pick<InventoryDeps, 'inventoryIntervalSeconds' | 'inspect' | 'recount' | 'workflows'> &
  Pick<OutageDeps, 'listOutages'>;

/** The workflows of a world, as far as an inventory reaches them: none of them ever ran that is not given one here. */
export class WorldWorkflows {
  /** By the workflow's id; an error: it cannot be looked at. */
  runs: Readonly<Record<string, WorkflowRun | Error>> = {};
  /** Ids that the list of what runs leaves out, as it is late. */
  unlisted: readonly string[] = [];
  /** Why nothing can be listed. */
  listFailure: Error | undefined;
  /** Names of the machines that were told to look at their instance. */
  readonly inspected: string[] = [];
  /** Names of those that were told to count their instances. */
  readonly recounted: string[] = [];
  /** Ids of those that were looked at one by one. */
  readonly lookedAt: string[] = [];
  /** Ids of those that were told to look at their object. */
  readonly woken: string[] = [];
  /** What the safety workflow answers: an error, or never. */
  outages: readonly Outage[] | Error | 'never' = [];
  /** How often it was asked. */
  askedForOutages = 0;
  readonly started: (StartedObject & { readonly taskQueue: string })[] = [];

  readonly reached: Reached = {
    listOutages: async () => {
      this.askedForOutages += 1;
      const { outages } = this;
      if (outages === 'never') return new Promise(() => {});
      if (outages instanceof Error) throw outages;
      return outages;
    },
    inventoryIntervalSeconds: 300,
    inspect: async ({ name }) => void this.inspected.push(name),
    recount: async ({ name }) => void this.recounted.push(name),
    workflows: {
      listRunning: async () => {
        if (this.listFailure !== undefined) throw this.listFailure;
        const isListed = ([id, run]: [string, WorkflowRun | Error]) =>
          'state' in run && run.state === 'running' && !this.unlisted.includes(id);
        return new Set(
          Object.entries(this.runs)
            .filter(isListed)
            .map(([id]) => id),
        );
      },
      lookAt: async (ref) => {
        const id = workflowIdOf(ref);
        this.lookedAt.push(id);
        const run = this.runs[id] ?? { state: 'none' };
        if (run instanceof Error) throw run;
        return run;
      },
      start: async (object, taskQueue) => void this.started.push({ ...object, taskQueue }),
      wake: async (id) => void this.woken.push(id),
    },
  };
}
