import { describe, expect, it } from '@jest/globals';
import type { MachineDeploymentObject } from '../k8s/api/machine.openshift.io/machine-deployment.ts';
import { DELETE_MACHINE_ANNOTATION, TEMPLATE_HASH_LABEL } from '../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS } from '../k8s/dialects/openshift/resources.ts';
import { openshift } from '../k8s/dialects/openshift/api.ts';
import { CAUSE_ANNOTATION } from '../k8s/model/cause.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { controllerReference } from '../k8s/model/owner-reference.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { aMachineDeployment } from '../test/world/builders/a-machine-deployment.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { SetWorld } from '../test/world/set-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import { createMachineDeps } from './deps.ts';
import { createMachineSetActivities } from './machine-sets.ts';
import { recordedActivity } from '../test/world/recorded-activity.ts';

const READY = {
  type: 'NodeReady',
  status: 'True' as const,
  reason: 'NodeReady',
  message: 'it is',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
/** What keeps a Machine there, so that one can read why it was deleted. */
const KEPT = { finalizers: ['example.com/theirs'] };

interface Rolling {
  readonly steps?: { machines?: number; approval?: object }[];
  /** Whether the cloud has said that it would launch. @default true */
  readonly isAsked?: boolean;
}

/** A set of a deployment of three machines, which is told to have fewer: so many of its three are available. */
function oldSet(replicas: number, available: number, maxUnavailable: number, rolling: Rolling = {}) {
  const world = new SetWorld(ownClock(), { replicas });
  const selector = { matchLabels: { set: 'workers' } };
  const { isAsked = true, ...more } = rolling;
  const rollingUpdate = { onFailure: 'Pause' as const, failureThreshold: 1, maxSurge: 1, maxUnavailable, ...more };
  const deployment = aMachineDeployment({
    name: 'pool',
    spec: { selector, strategy: { type: 'RollingUpdate', rollingUpdate } },
  });
  const { templateHash } = openshift.machineDeployment.read(deployment).machineDeployment;
  const preflight = { templateHash, revision: 2, passed: true, checkedAt: '2026-01-01T00:00:00Z' };
  world.kube.put({ ...deployment, status: isAsked ? { preflight } : {} } as never);
  world.changeSetMeta({ ownerReferences: [controllerReference(refOf(deployment))] });
  const { set } = world;
  if (set === undefined) throw new Error('there is a set');
  for (const [at, name] of ['m-0', 'm-1', 'm-2'].entries()) {
    const status = at < available ? { conditions: [READY] } : { phase: 'Failed' as const };
    world.kube.put(aMachine({ name, set, metadata: KEPT, status }));
  }
  const activities = createMachineSetActivities(createMachineDeps(world.deps));
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  return {
    world,
    deployment,
    remove: () => recordedActivity().run(() => activities.deleteMachines({ ...target, count: 3, skip: [] })),
  };
}

describe('a set of a deployment that is told to have fewer Machines', () => {
  it('takes none where too few would stay available, and says how many it holds back', async () => {
    const { world, remove } = oldSet(1, 3, 0);
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    expect(world.living).toHaveLength(3);
  });

  it('takes none in the place of which another deployment has machines that the selector matches', async () => {
    const { world, remove } = oldSet(1, 3, 0);
    const other = aMachineSet({ name: 'others' });
    world.kube.put(other);
    const status = { conditions: [READY] };
    for (const name of ['o-0', 'o-1'])
      world.kube.put(aMachine({ name, set: other, metadata: { labels: { set: 'workers' } }, status }));
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    expect(world.living).toHaveLength(5);
  });

  it('takes none in the place of which a set has machines that is being deleted', async () => {
    const { world, deployment, remove } = oldSet(1, 3, 0);
    const metadata = {
      ownerReferences: [controllerReference(refOf(deployment))],
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['foregroundDeletion'],
    };
    const going = aMachineSet({ name: 'going', metadata });
    world.kube.put(going);
    const status = { conditions: [READY] };
    for (const name of ['g-0', 'g-1'])
      world.kube.put(aMachine({ name, set: going, metadata: { ...KEPT, labels: { set: 'workers' } }, status }));
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
  });

  it.each([0, 60])(
    'takes none that is Ready by the clock of another, which is ahead, with minReadySeconds %i',
    async (seconds) => {
      const { world, deployment, remove } = oldSet(1, 3, 0);
      const { namespace, name: pool } = deployment.metadata;
      await world.kube.others.mergePatch(MACHINE_DEPLOYMENTS, namespace, pool, { spec: { minReadySeconds: seconds } });
      const lastTransitionTime = new Date(world.clock.timeOfDay() + 60_000).toISOString();
      const status = { conditions: [{ ...READY, lastTransitionTime }] };
      for (const name of world.living) world.kube.put({ ...world.machine(name), status } as never);
      expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    },
  );

  it('takes none while the annotation pauses its deployment, but for a marked one', async () => {
    const { world, deployment, remove } = oldSet(1, 3, 1);
    const { namespace, name: pool } = deployment.metadata;
    const pause = { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } };
    await world.kube.others.mergePatch(MACHINE_DEPLOYMENTS, namespace, pool, pause);
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    world.changeMachine('m-1', { annotations: { [DELETE_MACHINE_ANNOTATION]: 'yes' } });
    expect(await remove()).toEqual({ deleted: 1, isDone: true, heldBack: 1 });
    expect(world.living).toEqual(['m-0', 'm-2']);
  });

  it('takes none while nobody can read what its deployment asks for', async () => {
    const { world, deployment, remove } = oldSet(1, 3, 3);
    const rollingUpdate = { maxSurge: 'some' as never, maxUnavailable: 1 };
    const strategy = { type: 'RollingUpdate', rollingUpdate };
    world.kube.put({ ...deployment, spec: { ...deployment.spec, strategy } } as never);
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    expect(world.living).toHaveLength(3);
  });

  it('takes as many as may be missing, and holds the others back', async () => {
    const { world, remove } = oldSet(1, 3, 1);
    expect(await remove()).toEqual({ deleted: 1, isDone: true, heldBack: 1 });
    expect(world.living).toHaveLength(2);
  });

  it('takes none by a look that is old: its process stood still meanwhile', async () => {
    const { world, deployment, remove } = oldSet(2, 3, 1);
    let isStill = true;
    world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () => {
      if (!isStill) return;
      isStill = false;
      world.clock.set(60_000);
      const scaled = { ...deployment, spec: { ...deployment.spec, replicas: 4 } };
      world.kube.put(scaled);
    });
    await remove();
    expect(world.living).toEqual(['m-0', 'm-1', 'm-2']);
  });

  it('takes the one that has failed, says why it goes, and that it holds none back', async () => {
    const { world, remove } = oldSet(2, 2, 1);
    expect(await remove()).toEqual({ deleted: 1, isDone: true });
    expect(world.living).toEqual(['m-0', 'm-1']);
    expect(world.machine('m-2')?.metadata.annotations?.[CAUSE_ANNOTATION]).toContain(
      'Z rollout: MachineDeployment default/pool replaces',
    );
  });

  it('says of one whose template is the newest that there are to be fewer, and not that it is rolled out', async () => {
    const { world, deployment, remove } = oldSet(2, 3, 1);
    const { templateHash } = openshift.machineDeployment.read(deployment).machineDeployment;
    world.changeSetMeta({ labels: { [TEMPLATE_HASH_LABEL]: templateHash } });
    expect(await remove()).toMatchObject({ deleted: 1 });
    const causes = world.machines.flatMap(({ metadata }) => metadata.annotations?.[CAUSE_ANNOTATION] ?? []);
    expect(causes).toEqual([
      expect.stringMatching(/Z surplus: MachineDeployment default\/pool is scaled to 3 machines$/),
    ]);
  });

  it('replaces those of one that has the newest template where another of its revisions is that of it', async () => {
    const { world, deployment, remove } = oldSet(2, 3, 1);
    const { templateHash } = openshift.machineDeployment.read(deployment).machineDeployment;
    const labels = { [TEMPLATE_HASH_LABEL]: templateHash };
    world.changeSetMeta({ labels });
    const ownerReferences = [controllerReference(refOf(deployment))];
    const annotations = { 'machinedeployment.clusters.x-k8s.io/revision': '5' };
    world.kube.put(aMachineSet({ name: 'newest', metadata: { ownerReferences, labels, annotations } }));
    expect(await remove()).toMatchObject({ deleted: 1 });
    const causes = world.machines.flatMap(({ metadata }) => metadata.annotations?.[CAUSE_ANNOTATION] ?? []);
    expect(causes).toEqual([expect.stringMatching(/Z rollout: /)]);
  });

  it('has the newest template also where an earlier release made it, and came to another hash of that', async () => {
    const { world, remove } = oldSet(2, 3, 1);
    world.changeSetMeta({ labels: { [TEMPLATE_HASH_LABEL]: 'by-earlier' } });
    const { template } = world.kube.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS)[0]?.spec ?? {};
    world.change({ template });
    expect(await remove()).toMatchObject({ deleted: 1 });
    const causes = world.machines.flatMap(({ metadata }) => metadata.annotations?.[CAUSE_ANNOTATION] ?? []);
    expect(causes).toEqual([expect.stringMatching(/Z surplus: /)]);
  });

  it('takes none before the cloud has said that it would launch one of the new template', async () => {
    const { world, remove } = oldSet(1, 3, 1, { isAsked: false });
    expect(await remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    expect(world.living).toHaveLength(3);
  });

  it('takes none at a step that waits, and no more than the step lets', async () => {
    const waiting = oldSet(1, 3, 3, { steps: [{ approval: {} }] });
    expect(await waiting.remove()).toEqual({ deleted: 0, isDone: true, heldBack: 2 });
    const canary = oldSet(0, 3, 3, { steps: [{ machines: 1 }] });
    expect(await canary.remove()).toEqual({ deleted: 1, isDone: true, heldBack: 2 });
    expect(canary.world.living).toHaveLength(2);
  });
});
