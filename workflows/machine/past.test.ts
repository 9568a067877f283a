import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MACHINE_ANNOTATION } from '../../k8s/dialects/openshift/labels.ts';
import { CLAIM_ANNOTATION } from '../../k8s/model/claim.ts';
import type { MachineFacts } from '../../test/world/builders/a-machine.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { MachineWorld } from '../../test/world/machine-world.ts';
import { eventsOf, order, provisioned, statesOf } from '../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { OBJECT_CHANGED } from '../failure-types.ts';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';
import { changedSignal } from '../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const THROTTLED = { action: 'describe', code: 'RequestLimitExceeded' } as const;

/** A Machine that was there before Millwright, or before the Temporal that it has now. */
function known(name: string, facts: MachineFacts = {}): MachineWorld {
  return new MachineWorld(name, temporal.clock, { known: facts });
}

/** The instance that an earlier workflow has launched for it. */
async function launchedBefore(world: MachineWorld): Promise<void> {
  const { uid, name, namespace } = world.ref;
  const tags = { cluster: 'c1', namespace, name, machineUid: uid, clusterUid: 'uid-of-the-cluster' };
  await world.cloud.launch(tags, world.token(1));
}

/** The API server does not take in the first of these writes. */
function failOnce(
  world: MachineWorld,
  name: 'recordInstance' | 'writeMachineStatus',
  meanwhile = async () => {},
): void {
  let hasFailed = false;
  world.onActivity = async (activity, run) => {
    if (activity !== name || hasFailed) return run();
    hasFailed = true;
    await meanwhile();
    throw ApplicationFailure.nonRetryable('the server is in trouble', OBJECT_CHANGED);
  };
}

/** As the Machine API's controller leaves a Machine that it has just begun with: a phase, and nothing else. */
const leftBehind = (name: string, facts: MachineFacts = {}) =>
  known(name, { ...facts, status: { phase: 'Provisioning' } });

/** A Machine that is being deleted, and noted before that it claims an instance. */
const claiming = (name: string) =>
  known(name, { deleting: true, metadata: { annotations: { [CLAIM_ANNOTATION]: 'i-1 2026-01-01T00:00:00.000Z' } } });

describe('a Machine on which another controller acted before', () => {
  it('gets the instance that was launched for it and never recorded, and no second one', async () => {
    const world = leftBehind('launched');
    await launchedBefore(world);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.status.instance?.id).toBe(world.instanceId);
    expect(world.launches).toHaveLength(1);
  });

  it('is launched where a look shows that there is none', async () => {
    const world = leftBehind('unlaunched');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(order(world, 'describe', 'launch')).toEqual(['describe', 'launch']);
    expect(world.instances).toHaveLength(1);
  });

  it('goes only after its instance went, although no status tells of one', async () => {
    const world = leftBehind('deleted', { deleting: true });
    await launchedBefore(world);
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('is still looked into where Temporal forgot everything while the Machine was paused', async () => {
    const world = leftBehind('paused');
    await launchedBefore(world);
    await world.pause();
    await temporal.startMachine(world);
    await temporal.until(() => world.condition('Paused')?.status === 'True');
    await temporal.endAll();
    await world.resume();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.launches).toHaveLength(1);
  });
});

describe('a Machine that a workflow sees first, and that may have a past', () => {
  it('gets the instance that was launched for it, where its record was lost with Temporal’s', async () => {
    const world = known('restored');
    await launchedBefore(world);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.status.instance?.id).toBe(world.instanceId);
    expect(world.launches).toHaveLength(1);
  });

  it('goes only after that instance', async () => {
    const world = known('restored-end', { deleting: true });
    await launchedBefore(world);
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it.each<[string, MachineFacts]>([
    ['is old', {}],
    ['is of the future: clocks differ', { metadata: { creationTimestamp: '2099-01-01T00:00:00Z' } }],
    ['came with a phase of ours', { status: { phase: 'Provisioning' } }],
  ])('is looked up once before its launch where it %s', async (_what, facts) => {
    const world = known('looked', facts);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.lookUps).toHaveLength(1);
    expect(world.cloud.calls('launch', 'describe').at(-1)?.action).toBe('launch');
  });

  it('is new, and not looked up, where a set made it just now', async () => {
    const { world } = await provisioned(temporal, 'new');
    expect(world.lookUps).toEqual([]);
  });

  it.each([
    ['once where it is old to the API server, and Temporal’s clock is behind', 70, 100, 1],
    ['never where it is new to the API server, and Temporal’s clock is ahead', -70, 10, 0],
  ])('is looked up %s', async (_what, serverAheadSeconds, ageSeconds, looks) => {
    temporal.clock.set(serverAheadSeconds * 1000);
    const madeAt = (await temporal.now()) + (serverAheadSeconds - ageSeconds) * 1000;
    const world = known('aged', {
      metadata: { creationTimestamp: new Date(madeAt).toISOString(), finalizers: [] },
    });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.lookUps).toHaveLength(looks);
  });

  it('is looked up before its launch where it is new, and a Node names it', async () => {
    const creationTimestamp = new Date(await temporal.now()).toISOString();
    const world = known('named', { metadata: { creationTimestamp, finalizers: [] } });
    world.kube.put(aNode({ annotations: { [MACHINE_ANNOTATION]: 'default/named' } }));
    await launchedBefore(world);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase !== undefined && world.status.phase !== 'Provisioning');
    expect([world.status.instance?.id, world.launches.length]).toEqual([world.instanceId, 1]);
  });

  it('does not go while the look-up fails: its instance runs, and nothing names it', async () => {
    const world = known('unseen-end', { deleting: true });
    await launchedBefore(world);
    // One look-up makes a call that is throttled three times.
    world.cloud.fail({ ...THROTTLED, times: 12 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.step === 'SettleLaunch');
    expect(world.object).toBeDefined();
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('goes, and says so, where its spec names no cloud to look in: as it is nothing could be launched for it', async () => {
    const world = known('nowhere', { deleting: true, value: { region: 7 } });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'FailedDelete').map(({ message }) => message)).toEqual([
      expect.stringContaining('nothing was launched on record and the spec names no cloud'),
    ]);
    expect(world.lookUps).toEqual([]);
  });

  it('launches nothing while the look-up fails', async () => {
    const world = known('unseen');
    world.cloud.fail(THROTTLED);
    await temporal.startMachine(world);
    await temporal.until(() => world.lookUps.length >= 2, { within: 60 });
    await temporal.pass(60);
    expect(world.lookUps.length).toBeLessThan(15);
    expect([world.status.launch, world.launches]).toEqual([undefined, []]);
    world.cloud.fail();
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 400 });
    expect(world.instances).toHaveLength(1);
  });

  it('launches nothing beside an instance that may not be adopted, says so, and looks again slowly and on a change', async () => {
    const world = known('beside');
    const { id } = await world.cloud.launch({ cluster: 'c1', name: 'beside' });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InstanceOfAnother');
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'InstanceOfAnother' });
    expect(world.status.waiting?.message).toContain(id);
    await temporal.pass(700);
    expect(world.lookUps.length).toBeLessThanOrEqual(4);
    expect(world.launches).toHaveLength(0);
    await world.cloud.end(id);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(world.launches).toHaveLength(1);
  });

  it('launches nothing beside it either, where the Machine named it and does so no more', async () => {
    const world = known('named-before');
    const { providerID } = await world.cloud.launch({ cluster: 'c1', name: 'named-before' });
    await world.edit({ spec: { providerID } });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InstanceOfAnother');
    await world.edit({ spec: { providerID: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(600);
    expect(world.status.waiting?.reason).toBe('InstanceOfAnother');
    expect(world.launches).toEqual([]);
  });

  it('gets that instance, and no second one, where it could not be recorded at first', async () => {
    const world = known('unrecorded');
    await launchedBefore(world);
    failOnce(world, 'recordInstance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 60 });
    expect([world.status.instance?.id, world.launches.length]).toEqual([world.instanceId, 1]);
  });

  it('goes only after that instance, where it could not be recorded before the deletion', async () => {
    const world = known('unrecorded-end');
    await launchedBefore(world);
    failOnce(world, 'recordInstance', () => world.delete());
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('goes only after that instance, where the deletion cannot record it at first', async () => {
    const world = known('unrecorded-going', { deleting: true });
    await launchedBefore(world);
    failOnce(world, 'writeMachineStatus');
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('goes only after an instance that it claimed, although looks show it as nobody’s', async () => {
    const world = claiming('claimed');
    await world.cloud.launch({ cluster: 'c1', name: 'claimed' });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InstanceOfAnother', { within: 60 });
    // From now on its tags are shown.
    world.kube.put(aCluster({ name: 'c1' }));
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated']);
  });

  it('goes without an instance that it claimed, where looks show it as nobody’s for as long as they may be wrong', async () => {
    const world = claiming('claimed-in-vain');
    const { id } = await world.cloud.launch({ cluster: 'c1', name: 'claimed-in-vain' });
    const startedAt = temporal.clock.now();
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(temporal.clock.now() - startedAt).toBeGreaterThanOrEqual(
      DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000,
    );
    expect(world.cloud.calls('terminate')).toEqual([]);
    expect(world.events).toContainEqual(expect.objectContaining({ message: expect.stringContaining(id) }));
  });

  it('goes without an instance that may not be adopted, and says so', async () => {
    const world = known('beside-end', { deleting: true });
    const { id } = await world.cloud.launch({ cluster: 'c1', name: 'beside-end' });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('terminate')).toEqual([]);
    expect(world.events).toContainEqual(expect.objectContaining({ message: expect.stringContaining(id) }));
  });
});
