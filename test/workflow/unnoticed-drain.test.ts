import { expect, it } from '@jest/globals';
import { readPod, type StoredPod } from '../../k8s/model/pod.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { DEPLOYMENTS, PODS } from '../../k8s/resources.ts';
import { aDeployment } from '../world/builders/a-deployment.ts';
import type { MachineWorld } from '../world/machine-world.ts';
import { nameReplicaSet, podFacts, runDeployments } from '../world/run-deployments.ts';
import { busyMachine, drainedMachine, nodeOf } from './drained-machine.ts';
import { eventsOf } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const readyPods = (world: MachineWorld) =>
  world.kube
    .all(PODS)
    .map((pod) => readPod(pod as unknown as StoredPod))
    .filter(({ isReady, endsAt }) => isReady && endsAt === undefined);
const rolls = ({ requests }: MachineWorld) =>
  requests.filter(({ verb, resource }) => verb === 'apply' && resource === DEPLOYMENTS).length;

it('a single replica that its budget keeps moves without a moment in which none is Ready', async () => {
  const deployment = aDeployment({ asked: 'surge' });
  const pod = { name: 'web-1', ...podFacts('web', nameReplicaSet(deployment)) };
  let least = Infinity;
  const { world, handle } = await drainedMachine(temporal, 'unnoticed', {
    pods: [pod],
    budgets: { web: 1 },
    whenRunning(running) {
      running.kube.put(deployment);
      runDeployments(running);
      running.kube.store.onChange(({ resource }) => {
        if (resource === PODS) least = Math.min(least, readyPods(running).length);
      });
    },
  });
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(least).toBe(1);
  expect(readyPods(world)).toHaveLength(1);
  expect(eventsOf(world, 'DeploymentRolled')).toHaveLength(2);
  expect(rolls(world)).toBe(1);
});

it('a maintenance goes on after its workflow was lost, and rolls nothing once more', async () => {
  const deployment = aDeployment({ asked: 'surge' });
  const pod = { name: 'web-1', ...podFacts('web', nameReplicaSet(deployment)) };
  const { world, handle } = await busyMachine(temporal, 'lost', { pods: [pod], budgets: { web: 1 } });
  world.kube.put(deployment);
  // The new pod comes to the same Node, whose cordon it tolerates.
  runDeployments(world, { node: nodeOf(world), startMs: 0 });
  await world.edit({ spec: { maintenance: true } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => rolls(world) === 1);
  await temporal.until(() => world.status.waiting?.message.includes('to the end') === true, { within: 60 });
  const { maintenanceDrainStartTime: since } = world.status;
  await handle.terminate('the database of Temporal is lost');
  const asked = world.requests.length;
  await temporal.startMachine(world);
  await temporal.pass(90);
  const evictions = world.requests.slice(asked).filter(({ subresource }) => subresource === 'eviction');
  expect(evictions.length).toBeGreaterThan(1);
  expect([rolls(world), world.status.maintenanceDrainStartTime]).toEqual([1, since]);
});
