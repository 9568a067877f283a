import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { DONE } from '../answer.ts';
import { preTerminateHooks } from './pre-terminate-hooks.ts';
import type { LifecycleHook } from '../../../k8s/model/machine.ts';
import { EXCLUDED_LABEL, type Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { drainedMachine, nodeOf } from '../../../test/workflow/drained-machine.ts';
import { balancedMachine, statesOf } from '../../../test/workflow/machine-stages.ts';
import { MADE_AT } from '../../../test/world/builders/metadata.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

const GUARD: LifecycleHook = { point: 'preDrain', name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' };
const COPY: LifecycleHook = { point: 'preTerminate', name: 'example.com/CopyLogs', owner: 'log-copier' };

/** As they stand in the spec. */
function specOf(...hooks: LifecycleHook[]) {
  const at = (point: LifecycleHook['point']) =>
    hooks.filter((hook) => hook.point === point).map(({ name, owner }) => ({ name, owner }));
  return { lifecycleHooks: { preDrain: at('preDrain'), preTerminate: at('preTerminate') } };
}

async function runsWith(temporal: Temporal, name: string, ...hooks: LifecycleHook[]) {
  const { world, handle } = await balancedMachine(temporal, name, (w) => w.edit({ spec: specOf(...hooks) }));
  await temporal.until(() => isBehindAll(world));
  return { world, handle };
}

function isBehindAll({ cloud, instanceId }: MachineWorld): boolean {
  const { 'lb-1': first, 'lb-2': second } = cloud.balancers.behind;
  return first?.[0] === instanceId && second?.[0] === instanceId;
}

/** Nothing was taken from the instance, nor was it asked to end. */
const isUntouched = (world: MachineWorld) =>
  isBehindAll(world) && world.cloud.calls('terminate').length === 0 && statesOf(world)[0] === 'running';

describe('the deletion of a Machine with lifecycle hooks', () => {
  let temporal: Temporal;
  useTemporal((started) => (temporal = started));

  it('waits at each point, says which hook and whose, and ends when they are removed', async () => {
    const { world, handle } = await runsWith(temporal, 'guarded', GUARD, COPY);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(7 * 3600);
    expect(world.status).toMatchObject({ phase: 'Deleting', waiting: { step: 'LifecycleHooks' } });
    expect(world.status.waiting?.message).toContain('EtcdQuorumOperator of clusteroperator/etcd');
    expect(world.condition('Drainable')).toMatchObject({ status: 'False', reason: 'HookPresent' });
    expect(world.condition('Drainable')?.message).toContain('EtcdQuorumOperator of clusteroperator/etcd');
    expect(isUntouched(world)).toBe(true);

    await world.edit({ spec: specOf(COPY) });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Terminable') !== undefined);
    expect(world.condition('Drainable')).toBeUndefined();
    expect(world.condition('Terminable')?.message).toContain('example.com/CopyLogs of log-copier');
    expect(isUntouched(world)).toBe(true);

    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('terminate')).toHaveLength(1);
    expect(world.cloud.balancers.behind).toEqual({});
  });

  /** Nothing else is to come. */
  async function longAfter({ clock }: MachineWorld): Promise<void> {
    clock.after(3_600_000, () => {});
    await temporal.pass(3600);
  }

  it('tells at each point since when it waits there, and not for the other', async () => {
    const { world, handle } = await runsWith(temporal, 'told-since', GUARD, COPY);
    // Nothing is told between the two.
    await world.edit({ spec: { deletionPolicy: 'unsafe' } });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Drainable') !== undefined);
    const first = world.status.waiting?.since;
    expect(first).toBe(world.condition('Drainable')?.lastTransitionTime);
    await longAfter(world);
    await world.edit({ spec: specOf(COPY) });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Terminable') !== undefined);
    const second = world.status.waiting?.since;
    expect(second).toBe(world.condition('Terminable')?.lastTransitionTime);
    expect(Date.parse(second ?? '') - Date.parse(first ?? '')).toBeGreaterThanOrEqual(3_600_000);
    await longAfter(world);
    await world.edit({ spec: specOf(COPY, { ...COPY, name: 'example.com/Later' }) });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.message.includes('Later') === true);
    expect(world.status.waiting?.since).toBe(second);
  });

  it('waits for nobody where no instance can exist', async () => {
    const known = { spec: specOf(GUARD, COPY), deleting: true };
    const world = new MachineWorld('nothing', temporal.clock, { known });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('holds an instance that the Machine only names, too', async () => {
    const world = new MachineWorld('named', temporal.clock, { known: { spec: specOf(COPY) } });
    const { providerID } = await world.cloud.launch({ machineUid: world.ref.uid });
    await world.edit({ spec: { providerID } });
    await world.delete();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    expect([world.cloud.calls('terminate'), statesOf(world)]).toEqual([[], ['running']]);
  });

  it('keeps its Node cordoned, whoever uncordons it, as it was: load balancers leave it out still', async () => {
    const { world, handle } = await drainedMachine(temporal, 'kept-closed', { spec: specOf(COPY) });
    const node = () => world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node;
    await temporal.until(() => world.condition('Terminable') !== undefined);
    const { labels } = node().metadata;
    expect(labels).toHaveProperty([EXCLUDED_LABEL]);
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { spec: { unschedulable: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => node().spec?.unschedulable === true);
    expect(node().metadata.labels).toEqual(labels);
    expect(world.condition('Drained')).toMatchObject({ status: 'True', reason: 'DrainSucceeded' });
  });

  it('cordons no Node that was not to be drained', async () => {
    const spec = { ...specOf(COPY), deletionPolicy: 'unsafe' };
    const { world, handle } = await drainedMachine(temporal, 'never-closed', { spec });
    await temporal.until(() => world.condition('Terminable') !== undefined);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(60);
    expect(world.requests.filter(({ verb, resource }) => verb === 'apply' && resource.kind === 'Node')).toEqual([]);
  });

  it('is not held by a hook that comes when the termination was asked for', async () => {
    const { world, handle } = await runsWith(temporal, 'late');
    world.cloud.behave({ terminateMs: 8000 });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.cloud.calls('terminate').length === 1);
    await world.edit({ spec: specOf(COPY) });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});

it('an instance that was asked to end waits for no hook, and no condition says that it did', () => {
  const machine = { hooks: [COPY], deletedAt: MADE_AT };
  const status = { instance: { id: 'i-1', state: 'running' } } as const;
  const pass = aPass({ machine, memory: { isEndAskedFor: true }, status });
  pass.setCondition({ type: 'Terminable', status: 'False', reason: 'HookPresent', message: 'as it was said before' });
  expect(preTerminateHooks(pass)).toBe(DONE);
  expect(pass.status.conditions).toEqual([]);
});
