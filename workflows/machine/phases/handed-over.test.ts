import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { busyMachine, relax } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { before } from '../../../test/world/kubernetes/request.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
const evictions = ({ requests }: MachineWorld) => requests.filter(({ subresource }) => subresource === 'eviction');
const COPIED = { lifecycleHooks: { preTerminate: [{ name: 'Copy', owner: 'the archive' }] } };
const deletions = ({ requests }: MachineWorld) =>
  requests.filter(({ verb, resource }) => verb === 'delete' && resource.plural === MACHINES.plural);

describe('a Machine that is to be deleted by its spec', () => {
  it('is prepared while it is there, and then deleted without a second drain', async () => {
    const { world, handle } = await busyMachine(temporal, 'prepared', { pods: [WEB], budgets: { web: 1 } });
    await world.edit({ spec: { delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    expect([statesOf(world), deletions(world).length]).toEqual([['running'], 0]);
    await relax(world, 'web', 0);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([statesOf(world), deletions(world).length]).toEqual([['terminated'], 1]);
    expect(eventsOf(world, 'DrainSucceeded')).toHaveLength(1);
    expect(new Set(evictions(world).map(({ name }) => name))).toEqual(new Set(['web-1']));
  });

  it('stays as long as a hook holds its termination, and can be aborted until then', async () => {
    const lifecycleHooks = { preTerminate: [{ name: 'Copy', owner: 'the archive' }] };
    const { world, handle } = await busyMachine(temporal, 'hooked');
    await world.edit({ spec: { delete: true, lifecycleHooks } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    expect(world.condition('Terminable')).toMatchObject({ status: 'False' });
    await temporal.pass(60);
    expect(deletions(world)).toEqual([]);
    await world.edit({ spec: { delete: false } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(world.status.phase).toBe('Running');
  });

  it('is not completed any more where a hook came right before the Machine was deleted', async () => {
    const { world, handle } = await busyMachine(temporal, 'hooked-late');
    const told: unknown[] = [];
    world.onActivity = async (name, run) => {
      if (name === 'deleteMachine' && told.length === 0) {
        told.push(world.status.preparation);
        await world.edit({ spec: { lifecycleHooks: { preTerminate: [{ name: 'Copy', owner: 'the archive' }] } } });
      }
      return run();
    };
    await world.edit({ spec: { delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    expect([told, world.status.preparation]).toEqual([['completed'], 'started']);
    expect(eventsOf(world, 'Delete')).toHaveLength(1);
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('says that the API server refuses to delete it, and why, until it does not', async () => {
    const { world, handle } = await busyMachine(temporal, 'refused');
    const told: unknown[] = [];
    world.kube.store.onChange(() => {
      const { preparation } = world.status;
      if (preparation !== told.at(-1)) told.push(preparation);
    });
    let isRefused = true;
    world.onRequest = before({ verb: 'delete', resource: MACHINES }, () => {
      if (isRefused) throw new KubeError(403, 'Forbidden', 'admission webhook "keep" denied the request');
    });
    await world.edit({ spec: { delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'failed');
    await temporal.until(() => deletions(world).length > 2, { within: 900 });
    expect(world.status).toMatchObject({
      preparation: 'failed',
      waiting: { reason: 'KubernetesRefused', message: expect.stringContaining('admission webhook "keep" denied') },
    });
    isRefused = false;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(told).toEqual(['completed', 'failed', 'completed']);
  });

  it('is never launched where it was not', async () => {
    const world = new MachineWorld('unborn', temporal.clock);
    await world.edit({ spec: { delete: true } });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([world.cloud.calls('launch'), deletions(world).length]).toEqual([[], 1]);
  });

  it('is told as deleted also where nothing ever held it', async () => {
    const world = new MachineWorld('unborn-unheld', temporal.clock, { known: { metadata: { finalizers: [] } } });
    await world.edit({ spec: { delete: true } });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(deletions(world)).toHaveLength(1);
  });

  it('is held by no hook of its termination where it was never launched', async () => {
    const world = new MachineWorld('unborn-hooked', temporal.clock);
    await world.edit({ spec: { delete: true, ...COPIED } });
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([world.cloud.calls('launch'), deletions(world).length]).toEqual([[], 1]);
  });

  it('is deleted ever more seldom where it changes under that again and again', async () => {
    const { world, handle } = await busyMachine(temporal, 'restless');
    let isRestless = true;
    world.onRequest = before({ verb: 'delete', resource: MACHINES }, () => {
      if (isRestless) throw new KubeError(409, 'Conflict', 'the object has been modified');
    });
    await world.edit({ spec: { delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.step === 'DeleteMachine');
    expect(world.status.waiting?.message).toContain('the object has been modified');
    expect(deletions(world)).toHaveLength(2);
    await temporal.pass(600);
    expect(deletions(world).length).toBeLessThan(60);
    isRestless = false;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('is told that an abort comes too late after the Machine has got its deletionTimestamp', async () => {
    const { world, handle } = await busyMachine(temporal, 'late', { pods: [WEB], budgets: { web: 1 } });
    await world.edit({ spec: { delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await world.delete();
    await world.edit({ spec: { delete: false } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Deleting')?.reason === 'AbortTooLate');
    expect(eventsOf(world, 'AbortTooLate')).toHaveLength(1);
    await relax(world, 'web', 0);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});

it('an unsafe deletion skips the drain, and waits for hooks', async () => {
  const lifecycleHooks = { preDrain: [{ name: 'Guard', owner: 'the archive' }] };
  const { world, handle } = await busyMachine(temporal, 'unsafe', { pods: [WEB], budgets: { web: 1 } });
  await world.edit({ spec: { deletionPolicy: 'unsafe', lifecycleHooks } });
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
  expect(world.status.waiting?.message).toMatch(/^the deletion waits until its hooks are removed: /);
  await world.edit({ spec: { lifecycleHooks: null } });
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(evictions(world)).toEqual([]);
  expect(eventsOf(world, 'DrainSkipped')[0]?.message).toContain('the deletionPolicy of the Machine is unsafe');
});

it('a Machine that only names its instance is not deleted before it is known whose that is: its hooks hold it', async () => {
  const world = new MachineWorld('only-named', temporal.clock, { known: {} });
  const { id, providerID } = await world.cloud.launch({ machineUid: world.ref.uid });
  world.cloud.fail({ action: 'describe', answer: 'reset', times: 3 });
  await world.edit({ spec: { providerID, delete: true, ...COPIED } });
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.waiting !== undefined);
  expect(deletions(world)).toEqual([]);
  await temporal.until(() => world.status.waiting?.reason === 'HookPresent', { within: 120 });
  expect([deletions(world), world.status.instance?.id]).toEqual([[], id]);
  await world.edit({ spec: { lifecycleHooks: null } });
  await temporal.signal(handle, changedSignal);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.cloud.calls('terminate')[0]?.instance).toBe(id);
});
