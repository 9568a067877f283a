import { expect, it } from '@jest/globals';
import { readPod, type StoredPod } from '../../k8s/model/pod.ts';
import { DEPLOYMENTS, PODS } from '../../k8s/resources.ts';
import { aDeployment } from '../world/builders/a-deployment.ts';
import type { MachineWorld } from '../world/machine-world.ts';
import { nameReplicaSet, podFacts, runDeployments } from '../world/run-deployments.ts';
import { drainedMachine } from './drained-machine.ts';
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
  expect(world.requests.filter(({ verb, resource }) => verb === 'apply' && resource === DEPLOYMENTS)).toHaveLength(1);
});
