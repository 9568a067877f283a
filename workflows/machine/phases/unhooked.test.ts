import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { DONE } from '../answer.ts';
import { unhooked } from './unhooked.ts';
import type { LifecycleHook } from '../../../k8s/model/machine.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

const GUARD: LifecycleHook = { point: 'preDrain', name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' };
const COPY: LifecycleHook = { point: 'preTerminate', name: 'example.com/CopyLogs', owner: 'log-copier' };

async function runsWith(temporal: Temporal, name: string, hooks: readonly LifecycleHook[]) {
  const world = new MachineWorld(name, temporal.now);
  world.loadBalancers = ['front'];
  world.change({ hooks });
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.behind.has('front'));
  return { world, handle };
}

describe('the deletion of a Machine with lifecycle hooks', () => {
  let temporal: Temporal;
  useTemporal((started) => (temporal = started));

  it('waits before anything is detached or terminated, says which and whose, and ends when they are removed', async () => {
    const { world, handle } = await runsWith(temporal, 'guarded', [GUARD, COPY]);
    world.change(DELETED);
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
    expect([...world.behind.keys()]).toEqual(['front']);
    expect(world.called('detachLoadBalancers') + world.called('terminateInstance')).toBe(0);

    world.change({ hooks: [COPY] });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Drainable') === undefined);
    expect(world.called('detachLoadBalancers') + world.called('terminateInstance')).toBe(0);

    const { hooks: _removed, ...unguarded } = world.object ?? fail();
    world.object = unguarded;
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('terminateInstance')).toBe(1);
    expect(world.behind.size).toBe(0);
  });

  it('waits for nobody where no instance can exist', async () => {
    const world = new MachineWorld('nothing', temporal.now);
    world.change({ hooks: [GUARD], ...DELETED });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('holds an instance that the Machine only names, too', async () => {
    const world = new MachineWorld('named', temporal.now);
    world.change({ providerID: world.addInstance().providerID, hooks: [COPY], ...DELETED });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('is not held by a hook that comes when the termination was asked for', async () => {
    const { world, handle } = await runsWith(temporal, 'late', []);
    world.looksUntilTerminated = 4;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('terminateInstance') === 1);
    world.change({ hooks: [COPY] });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});

describe('a Machine', () => {
  it.each([
    ['that lives', { hooks: [GUARD, COPY] }, {}],
    ['whose instance was asked to end', { hooks: [COPY], ...DELETED }, { terminated: { looks: 1 } }],
  ])('%s waits for no hook, and says of none that it did', (_what, machine, memory) => {
    const pass = aPass({ machine, memory, status: { instance: { id: 'i-1', state: 'running' } } });
    for (const type of ['Drainable', 'Terminable'] as const) {
      pass.setCondition({ type, status: 'False', reason: 'HookPresent', message: 'the controller before us said so' });
    }
    expect(unhooked(pass)).toBe(DONE);
    expect(pass.status.conditions).toEqual([]);
  });
});

function fail(): never {
  throw new Error('the object is gone');
}
