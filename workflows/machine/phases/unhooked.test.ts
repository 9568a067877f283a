import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { DONE } from '../answer.ts';
import { unhooked } from './unhooked.ts';
import type { LifecycleHook } from '../../../k8s/model/machine.ts';
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

  it('waits before anything is detached or terminated, says which and whose, and ends when they are removed', async () => {
    const { world, handle } = await runsWith(temporal, 'guarded', GUARD, COPY);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(7 * 3600);
    expect(world.status).toMatchObject({ phase: 'Deleting', waiting: { step: 'LifecycleHooks' } });
    for (const { name, owner } of [GUARD, COPY]) {
      expect(world.status.waiting?.message).toContain(`${name} of ${owner}`);
    }
    const [drainable, terminable] = [world.condition('Drainable'), world.condition('Terminable')];
    expect(drainable).toMatchObject({ status: 'False', reason: 'HookPresent' });
    expect(drainable?.message).toContain('EtcdQuorumOperator of clusteroperator/etcd');
    expect(terminable).toMatchObject({ status: 'False', reason: 'HookPresent' });
    expect(terminable?.message).toContain('example.com/CopyLogs of log-copier');
    expect(isUntouched(world)).toBe(true);

    await world.edit({ spec: specOf(COPY) });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Drainable') === undefined);
    expect(isUntouched(world)).toBe(true);

    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('terminate')).toHaveLength(1);
    expect(world.cloud.balancers.behind).toEqual({});
  });

  it('waits for nobody where no instance can exist', async () => {
    const world = new MachineWorld('nothing', temporal.clock, { known: { spec: specOf(GUARD), deleting: true } });
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

describe('a Machine', () => {
  it.each([
    ['that lives', { hooks: [GUARD, COPY] }, {}],
    ['whose instance was asked to end', { hooks: [COPY], deletedAt: MADE_AT }, { isEndAskedFor: true }],
  ])('%s waits for no hook, and says of none that it did', (_what, machine, memory) => {
    const pass = aPass({ machine, memory, status: { instance: { id: 'i-1', state: 'running' } } });
    for (const type of ['Drainable', 'Terminable'] as const) {
      pass.setCondition({ type, status: 'False', reason: 'HookPresent', message: 'the controller before us said so' });
    }
    expect(unhooked(pass)).toBe(DONE);
    expect(pass.status.conditions).toEqual([]);
  });
});
