import { DISRUPTION_BUDGETS, NODES } from '../../k8s/resources.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aBudget } from '../world/builders/a-budget.ts';
import { aPod, type PodFacts } from '../world/builders/a-pod.ts';
import type { MachineWorld } from '../world/machine-world.ts';
import { runPods, type PodsRun } from '../world/run-pods.ts';
import { runningMachine } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';

export interface Fleet extends PodsRun {
  readonly pods?: readonly PodFacts[];
  /** Budgets, by the app they are about, with how many of its pods have to be healthy. */
  readonly budgets?: Readonly<Record<string, number>>;
  readonly spec?: object;
  /** By `spec.delete`, which can be aborted. @default as `kubectl delete` does */
  readonly isOnlyAsked?: boolean;
  /** Before it is deleted. */
  readonly whenRunning?: (world: MachineWorld) => Promise<void> | void;
}

export const nodeOf = ({ ref }: MachineWorld): string => `node-of-${ref.name}`;

/** A machine that runs, with pods on its Node. */
export async function busyMachine(temporal: Temporal, name: string, { pods = [], budgets = {}, ...run }: Fleet = {}) {
  const { world, handle } = await runningMachine(temporal, name);
  world.kube.put(
    ...pods.map((facts) => aPod({ node: nodeOf(world), ...facts })),
    ...Object.entries(budgets).map(([app, minAvailable]) => aBudget(app, { minAvailable })),
  );
  runPods(world, run);
  return { world, handle };
}

/** The same, and it is being deleted. */
export async function drainedMachine(
  temporal: Temporal,
  name: string,
  { spec, isOnlyAsked = false, whenRunning = () => {}, ...fleet }: Fleet = {},
) {
  const { world, handle } = await busyMachine(temporal, name, fleet);
  await whenRunning(world);
  if (spec !== undefined) await world.edit({ spec });
  if (isOnlyAsked) await world.edit({ spec: { delete: true } });
  else await world.delete();
  await temporal.signal(handle, changedSignal);
  return { world, handle };
}

/** The Node's kubelet is not heard of any more; or it is again. */
export const report = (world: MachineWorld, ready: 'True' | 'Unknown') => {
  const lastTransitionTime = new Date(world.clock.timeOfDay()).toISOString();
  const status = { conditions: [{ type: 'Ready', status: ready, lastTransitionTime }] };
  return world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { status }, { subresource: 'status' });
};

/** Lets the budget of an app allow more. */
export const relax = (world: MachineWorld, app: string, minAvailable: number) =>
  world.kube.others.mergePatch(DISRUPTION_BUDGETS, 'default', app, { spec: { minAvailable } });
