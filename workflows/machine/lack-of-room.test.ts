import { describe, expect, it } from '@jest/globals';
import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { ROLLOUT_ANNOTATION } from '../../k8s/model/rollout-mark.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { NAMESPACE } from '../../test/world/builders/metadata.ts';
import { MachineWorld } from '../../test/world/machine-world.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { changedSignal } from '../signals.ts';

let temporal: Temporal;
let handle: Awaited<ReturnType<Temporal['startMachine']>>;
useTemporal((started) => (temporal = started));

const SIZE = 'machine.openshift.io/cluster-api-autoscaler-node-group-';
const SIZED = { [`${SIZE}min-size`]: '0', [`${SIZE}max-size`]: '5' };
const TIMES = { capacityFailureAfterSeconds: 100 };

/** A machine for which the cloud has no room, in a set with these annotations. */
async function withoutRoom(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<MachineWorld> {
  const world = new MachineWorld(name, temporal.clock, { settings: TIMES });
  world.cloud.behave({ capacity: 0 });
  world.kube.put({ ...aMachineSet({ metadata: { annotations } }) });
  handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.waiting?.reason === 'InsufficientInstanceCapacity');
  return world;
}

/** What cluster-autoscaler goes by. */
const told = ({ object }: MachineWorld) => [object?.status?.phase, object?.status?.failureMessage];

describe('a machine for which the cloud has no room', () => {
  it('is Failed after a while where cluster-autoscaler sizes its set, and tried on, and not Failed when it has its instance', async () => {
    const world = await withoutRoom('sized', SIZED);
    await temporal.pass(95);
    expect(told(world)).toEqual(['Provisioning', undefined]);
    await temporal.until(() => world.status.phase === 'Failed', { within: 10 });
    const { error, updatedAt } = world.status;
    expect(error?.reason).toBe('InsufficientResources');
    expect(error?.message).toMatch(
      /^for 100 s the cloud has had no room for it: cluster-autoscaler may turn.* no capacity left for sim.small/,
    );
    expect(told(world)).toEqual(['Failed', error?.message]);
    expect(world.status.waiting?.retryClass).toBe('exhausted');
    expect(world.events.filter(({ reason }) => reason === 'Failed')).toHaveLength(1);
    const tries = world.launches.length;
    await temporal.pass(900);
    expect(world.launches.length).toBeGreaterThan(tries);
    // Health checks count from when it failed first.
    expect(world.status).toMatchObject({ phase: 'Failed', error, updatedAt });
    world.cloud.behave({});
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 700, step: 10 });
    expect(told(world)).toEqual(['Provisioned', undefined]);
    expect(world.object?.status).not.toHaveProperty('errorReason');
    expect(world.instances).toHaveLength(1);
  });

  it('is never Failed where nobody sizes its set, and no more when nobody does', async () => {
    const world = await withoutRoom('unsized');
    await temporal.pass(1000);
    expect(told(world)).toEqual(['Provisioning', undefined]);
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { metadata: { annotations: SIZED } });
    await temporal.until(() => world.status.phase === 'Failed', { within: 700, step: 10 });
    const off = { [`${SIZE}max-size`]: null };
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { metadata: { annotations: off } });
    await temporal.until(() => world.status.phase === 'Provisioning', { within: 700, step: 10 });
    expect(told(world)).toEqual(['Provisioning', undefined]);
    expect(world.status.waiting?.reason).toBe('InsufficientInstanceCapacity');
  });

  it('is Failed where the deployment of its set is sized', async () => {
    const world = new MachineWorld('deployed', temporal.clock, { settings: TIMES });
    world.cloud.behave({ capacity: 0 });
    const deployment = aMachineDeployment({ metadata: { annotations: SIZED } });
    world.kube.put({ ...deployment });
    const { apiVersion, kind, metadata } = deployment;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
    world.kube.put({ ...aMachineSet({ metadata: { ownerReferences: [owner] } }) });
    await temporal.startMachine(world);
    // While it rolls, cluster-autoscaler would take one machine less after each that it gives up.
    const mark = (value: string | null) =>
      world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', {
        metadata: { annotations: { [ROLLOUT_ANNOTATION]: value } },
      });
    await mark('rolling');
    await temporal.pass(1000);
    expect(told(world)).toEqual(['Provisioning', undefined]);
    await mark(null);
    await temporal.until(() => world.status.phase === 'Failed', { within: 700, step: 5 });
    expect(world.status.error?.reason).toBe('InsufficientResources');
    await mark('rolling');
    await temporal.until(() => world.status.phase === 'Provisioning', { within: 700, step: 5 });
    // It stands still, and there are machines of other templates.
    await mark(null);
    const mixed = { ...deployment, status: { replicas: 3, updatedReplicas: 1 } };
    world.kube.put(mixed);
    await temporal.pass(1000);
    expect(told(world)).toEqual(['Provisioning', undefined]);
    // Nothing is taken for it: it is what cluster-autoscaler asked for.
    const still = [{ paused: true }, { strategy: { type: 'OnDelete' } }, { strategy: { replace: 'Never' } }];
    for (const how of still) {
      world.kube.put({ ...mixed, spec: { ...deployment.spec, ...how } } as never);
      await temporal.until(() => world.status.phase === 'Failed', { within: 700, step: 5 });
      world.kube.put(mixed);
      await temporal.until(() => world.status.phase === 'Provisioning', { within: 700, step: 5 });
    }
    const { templateHash } = openshift.machineDeployment.read(deployment).machineDeployment;
    const since = new Date(temporal.clock.timeOfDay()).toISOString();
    const at = (passed: number) => ({ step: { templateHash, revision: 2, passed, since } });
    const refused = { preflight: { templateHash, revision: 2, generation: 1, passed: false, checkedAt: since } };
    const waits = [{ approval: {} }, { pause: {} }];
    for (const [steps, record] of [
      [waits, at(0)],
      [waits, at(1)],
      [[], refused],
    ] as const) {
      const rollingUpdate = { ...deployment.spec.strategy?.rollingUpdate, steps };
      const spec = { ...deployment.spec, strategy: { type: 'RollingUpdate', rollingUpdate } };
      world.kube.put({ ...mixed, spec, status: { ...mixed.status, ...record } } as never);
      await temporal.until(() => world.status.phase === 'Failed', { within: 700, step: 5 });
      // It goes on.
      world.kube.put({ ...mixed, spec, status: { ...mixed.status, ...at(2) } } as never);
      await temporal.until(() => world.status.phase === 'Provisioning', { within: 700, step: 5 });
    }
  });

  it('goes when it is deleted, as one that waits', async () => {
    const world = await withoutRoom('deleted', SIZED);
    await temporal.until(() => world.status.phase === 'Failed', { within: 200, step: 5 });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object === undefined, { within: 60 });
    expect(world.instances).toEqual([]);
  });

  it('is not Failed any more where its spec comes to be wrong', async () => {
    const world = await withoutRoom('wrong', SIZED);
    await temporal.until(() => world.status.phase === 'Failed', { within: 200, step: 5 });
    await world.setSpec({ instanceType: 'no-such-type' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration', { within: 700, step: 5 });
    expect(told(world)).toEqual(['Provisioning', undefined]);
  });
});
