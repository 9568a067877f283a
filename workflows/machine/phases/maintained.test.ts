import { describe, expect, it } from '@jest/globals';
import { isOurCondition, type Node } from '../../../k8s/model/node.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import { busyMachine, nodeOf, type Fleet } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, looks, provisioned, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aMachine } from '../../../test/world/builders/a-machine.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import { aPod } from '../../../test/world/builders/a-pod.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
const podsOf = (world: MachineWorld) => world.kube.all(PODS).map(({ metadata }) => metadata.name);
const isCordoned = (world: MachineWorld) =>
  (world.kube.peek(NODES, undefined, nodeOf(world)) as { spec?: { unschedulable?: boolean } }).spec?.unschedulable ??
  false;

const lifecycleOf = (world: MachineWorld) =>
  ((world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node).status?.conditions ?? [])
    .filter(isOurCondition)
    .map(({ type }) => type);

async function maintained(name: string, fleet: Fleet = { pods: [WEB] }, spec: object = {}) {
  const { world, handle } = await busyMachine(temporal, name, fleet);
  const wish = async (wanted: object) => {
    await world.edit({ spec: wanted });
    await temporal.signal(handle, changedSignal);
  };
  await wish({ maintenance: true, ...spec });
  return { world, handle, wish };
}

describe('a Machine in maintenance', () => {
  it('has its Node cordoned and emptied, and runs on; afterwards its Node takes pods again', async () => {
    const { world, wish } = await maintained('kept');
    await temporal.until(() => world.status.maintenance === true);
    expect([podsOf(world), isCordoned(world), statesOf(world)]).toEqual([[], true, ['running']]);
    expect(world.condition('Maintenance')).toMatchObject({ status: 'True', reason: 'DrainSucceeded' });
    expect(world.status).toMatchObject({ phase: 'Running' });
    expect(world.status).not.toHaveProperty('waiting');
    expect(world.status).not.toHaveProperty('deletion');
    expect(world.status).toHaveProperty('maintenanceDrainStartTime');
    await wish({ maintenance: false });
    await temporal.until(() => !isCordoned(world) && world.status.maintenance === false);
    expect(world.condition('Maintenance')).toMatchObject({
      status: 'False',
      reason: 'EvictionsUnderWay',
      message: expect.stringMatching(/what was asked of its Node and its pods before may take effect until 2026-\S+Z$/),
    });
    await temporal.until(() => world.condition('Maintenance') === undefined);
    expect(world.status).not.toHaveProperty('maintenanceDrainStartTime');
    expect([isCordoned(world), world.condition('Maintenance')]).toEqual([false, undefined]);
    expect(eventsOf(world, 'MaintenanceEnded')).toHaveLength(1);
  });

  it('is over when nothing takes effect any more that was asked last, also where it was over before and began again', async () => {
    const { world, wish } = await maintained('on-and-off');
    await temporal.until(() => world.status.maintenance === true);
    await wish({ maintenance: false });
    await temporal.until(() => !isCordoned(world));
    await temporal.pass(10);
    await wish({ maintenance: true });
    await temporal.until(() => isCordoned(world));
    await temporal.pass(5);
    const endedAt = temporal.clock.now();
    await wish({ maintenance: false });
    await temporal.until(() => !isCordoned(world));
    expect(temporal.clock.now() - endedAt).toBeLessThan(5000);
    await temporal.until(() => eventsOf(world, 'MaintenanceEnded').length > 0);
    expect(temporal.clock.now() - endedAt).toBeGreaterThanOrEqual(25_000);
    expect([isCordoned(world), world.condition('Maintenance')]).toEqual([false, undefined]);
  });

  it('is not reached any more from when its Node is registered anew, until that one is empty', async () => {
    const { world, handle } = await maintained('anew');
    await temporal.until(() => world.status.maintenance === true);
    const told: unknown[] = [];
    world.kube.store.onChange(() => {
      const isOpen = world.kube.peek(NODES, undefined, nodeOf(world)) !== undefined && !isCordoned(world);
      if (isOpen && world.status.nodeRef?.uid === 'another') told.push(world.status.maintenance);
    });
    const { metadata, spec } = world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node;
    const { 'millwright.dev/drained-for': _cordon, ...annotations } = metadata.annotations ?? {};
    const { unschedulable: _closed, ...open } = spec ?? {};
    world.kube.drop(NODES, undefined, nodeOf(world));
    world.kube.put(
      aNode({ name: nodeOf(world), metadata: { uid: 'another', annotations }, spec: open }),
      aPod({ node: nodeOf(world), ...WEB, name: 'web-2' }),
    );
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => podsOf(world).length === 0);
    await temporal.until(() => world.status.maintenance === true);
    expect([isCordoned(world), world.status.nodeRef?.uid]).toEqual([true, 'another']);
    expect(told.filter((one) => one === true)).toEqual([]);
  });

  it('looks again after a short rest where something wakes it right after a look', async () => {
    let looks = 0;
    const { world, handle } = await maintained('woken', { pods: [WEB], budgets: { web: 1 } });
    world.onActivity = async (name, run) => {
      if (name === 'drainNode') looks += 1;
      return run();
    };
    await temporal.until(() => world.condition('Maintenance')?.reason === 'PodsBlocked');
    await temporal.pass(120);
    const before = looks;
    await temporal.until(() => looks > before);
    const looked = looks;
    await temporal.pass(1);
    await temporal.signal(handle, changedSignal);
    expect(Date.parse(world.status.waiting?.nextTry ?? '') - temporal.clock.now()).toBeGreaterThan(6000);
    await temporal.pass(5);
    expect(looks).toBeGreaterThan(looked);
  });

  it('says which pods keep it from that, also while its cloud fails', async () => {
    const { world, handle } = await maintained('blocked', { pods: [WEB], budgets: { web: 1 } });
    await temporal.until(() => world.condition('Maintenance')?.reason === 'PodsBlocked');
    expect(world.status).toMatchObject({ maintenance: false, waiting: { step: 'Drain', reason: 'PodsBlocked' } });
    expect(isCordoned(world)).toBe(true);
    world.cloud.fail({ action: 'describe', code: 'Unavailable' });
    const before = looks(world).length;
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => looks(world).length > before + 1, { within: 120, step: 2 });
    expect(world.status.waiting).toMatchObject({ step: 'Drain', reason: 'PodsBlocked' });
  });

  it('waits for pods that nobody is to disrupt who need not, within the time for its drain', async () => {
    const busy = { ...WEB, metadata: { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } } };
    const { world } = await maintained('spared', { pods: [busy] }, { drain: { timeout: '5m' } });
    await temporal.until(() => world.condition('Maintenance')?.status === 'False');
    await temporal.pass(200);
    expect(podsOf(world)).toEqual(['web-1']);
    await temporal.until(() => world.status.maintenance === true, { within: 300 });
    expect(podsOf(world)).toEqual([]);
  });

  describe('whose time was over before all pods had left', () => {
    const overdue = async (name: string) => {
      const started = await maintained(
        name,
        { pods: [WEB, { name: 'quick' }], stuck: ['web-1'] },
        { drain: { timeout: '1m', onTimeout: 'Force' } },
      );
      await temporal.until(() => started.world.condition('Maintenance')?.reason === 'DrainTimedOut', { within: 90 });
      return started;
    };
    const end = (world: MachineWorld) => world.kube.drop(PODS, 'default', 'web-1');

    it('does not say that its Node is empty, and says which pods are left', async () => {
      const { world } = await overdue('overdue');
      await temporal.pass(60);
      expect(world.status.maintenance).toBe(false);
      expect(world.condition('Maintenance')).toMatchObject({ status: 'False', reason: 'DrainTimedOut' });
      expect(world.condition('Maintenance')?.message).toContain('default/web-1');
      expect(eventsOf(world, 'DrainTimedOut')).toHaveLength(1);
      end(world);
      await temporal.until(() => world.status.maintenance === true, { within: 300 });
      expect(world.condition('Maintenance')).toMatchObject({ status: 'True', reason: 'DrainSucceeded' });
      expect(lifecycleOf(world)).toEqual(['Drained', 'MaintenanceInProgress']);
    });

    it('looks seldom by itself, and at once when its pods have ended', async () => {
      const { world, handle } = await overdue('overdue-too');
      await temporal.pass(20);
      const looks = () => world.requests.filter(({ verb, resource }) => verb === 'list' && resource === PODS).length;
      const before = looks();
      await temporal.pass(200);
      expect(looks()).toBe(before);
      end(world);
      await temporal.signal(handle, changedSignal);
      await temporal.until(() => world.status.maintenance === true, { within: 10 });
    });
  });

  it('is drained again where somebody uncordons it, by a drain with a beginning of its own', async () => {
    const { world, handle } = await maintained('uncordoned');
    await temporal.until(() => world.status.maintenance === true);
    const since = world.status.maintenanceDrainStartTime ?? '';
    await temporal.pass(10);
    const spec = { unschedulable: false };
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { spec }, { fieldManager: 'kubectl' });
    world.kube.put(aPod({ node: nodeOf(world), name: 'late', labels: { app: 'web' } }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => podsOf(world).length === 0);
    expect(isCordoned(world)).toBe(true);
    await temporal.until(() => (world.status.maintenanceDrainStartTime ?? '') > since);
  });

  it('is drained anew when it is deleted, hooks first', async () => {
    const { world, handle, wish } = await maintained('deleted');
    await temporal.until(() => world.status.maintenance === true);
    await wish({ lifecycleHooks: { preDrain: [{ name: 'Guard', owner: 'the archive' }] } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(5);
    await wish({ lifecycleHooks: null });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'DrainSucceeded')).toHaveLength(2);
  });

  it('leaves a Node that another Machine claims, and says so', async () => {
    const { world, handle } = await busyMachine(temporal, 'rivalled-too', { pods: [WEB] });
    world.kube.put(aMachine({ name: 'rival', namespace: 'elsewhere', instanceId: world.instanceId }));
    const annotations = { 'machine.openshift.io/machine': 'elsewhere/rival' };
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { metadata: { annotations } });
    await world.edit({ spec: { maintenance: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Maintenance')?.reason === 'NodeAmbiguous');
    expect(world.condition('Maintenance')?.message).toContain('the Machine elsewhere/rival claims it');
    expect([world.status.maintenance, isCordoned(world), podsOf(world)]).toEqual([false, false, ['web-1']]);
  });

  it('is drained when its Node joins', async () => {
    const { world, handle } = await provisioned(temporal, 'early');
    await world.edit({ spec: { maintenance: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Maintenance')?.reason === 'NodeNotJoined');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.maintenance === true);
    expect(isCordoned(world)).toBe(true);
  });
});
