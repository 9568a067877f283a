import { describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { CAUSE_ANNOTATION } from '../k8s/model/cause.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { aMachineDeployment } from '../test/world/builders/a-machine-deployment.ts';
import { SetWorld } from '../test/world/set-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import { createMachineSetActivities } from './machine-sets.ts';

const READY = {
  type: 'NodeReady',
  status: 'True' as const,
  reason: 'NodeReady',
  message: 'it is',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
/** What keeps a Machine there, so that one can read why it was deleted. */
const KEPT = { finalizers: ['example.com/theirs'] };

/** A set of a deployment of three machines, which is told to have fewer: so many of its three are available. */
function oldSet(replicas: number, available: number, maxUnavailable: number) {
  const world = new SetWorld(ownClock(), { replicas });
  const selector = { matchLabels: { set: 'workers' } };
  const rollingUpdate = { onFailure: 'Pause' as const, failureThreshold: 1, maxSurge: 1, maxUnavailable };
  const deployment = aMachineDeployment({
    name: 'pool',
    spec: { selector, strategy: { type: 'RollingUpdate', rollingUpdate } },
  });
  world.kube.put(deployment);
  const { apiVersion, kind, metadata } = deployment;
  const owner = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  world.changeSetMeta({ ownerReferences: [owner] });
  const { set } = world;
  if (set === undefined) throw new Error('there is a set');
  for (const [at, name] of ['m-0', 'm-1', 'm-2'].entries()) {
    const status = at < available ? { conditions: [READY] } : { phase: 'Failed' as const };
    world.kube.put(aMachine({ name, set, metadata: KEPT, status }));
  }
  const activities = createMachineSetActivities(world.deps);
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  return {
    world,
    remove: () =>
      new MockActivityEnvironment({ heartbeatTimeoutMs: 15_000 }).run(() =>
        activities.deleteMachines({ ...target, count: 3, skip: [] }),
      ),
  };
}

describe('a set of a deployment that is told to have fewer Machines', () => {
  it('takes none where too few would stay available, and says how many it holds back', async () => {
    const { world, remove } = oldSet(1, 3, 0);
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    expect(world.living).toHaveLength(3);
  });

  it('takes as many as may be missing, and holds the others back', async () => {
    const { world, remove } = oldSet(1, 3, 1);
    expect(await remove()).toEqual({ deleted: 1, isDone: true, heldBack: 1 });
    expect(world.living).toHaveLength(2);
  });

  it('takes the one that has failed, says why it goes, and that it holds none back', async () => {
    const { world, remove } = oldSet(2, 2, 1);
    expect(await remove()).toEqual({ deleted: 1, isDone: true });
    expect(world.living).toEqual(['m-0', 'm-1']);
    expect(world.machine('m-2')?.metadata.annotations?.[CAUSE_ANNOTATION]).toContain('MachineDeployment default/pool');
  });
});
