import { describe, expect, it } from '@jest/globals';
import { lastTaskOf } from '../../../test/workflow/history-budget.ts';
import { busyMachine, relax } from '../../../test/workflow/drained-machine.ts';
import {
  eventsOf,
  provisioned,
  runningMachine,
  silentLaunch,
  statesOf,
} from '../../../test/workflow/machine-stages.ts';
import { answerLost, before } from '../../../test/world/kubernetes/request.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('before a Machine goes, its history says what tells that nothing is left', () => {
  it('so a proof by absence is in it before the last step begins', async () => {
    const { world, handle } = await provisioned(temporal, 'proved-absent');
    world.cloud.vanish(world.instanceId);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    const { events } = await handle.fetchHistory();
    expect(lastTaskOf(events ?? [])).toEqual(['observeMachine', 'letGo']);
  });

  it.each([false, true])(
    'so nobody suspects an orphan where it had failed for that before (an answer is lost: %s)',
    async (isLost) => {
      const { world, handle } = await runningMachine(temporal, `failed-absent-${isLost}`);
      world.cloud.vanish(world.instanceId);
      await temporal.signal(handle, inspectSignal);
      await temporal.until(() => world.status.phase === 'Failed', { within: 400, step: 5 });
      if (isLost) world.onRequest = answerLost({ verb: 'jsonPatch' });
      await world.delete();
      await temporal.signal(handle, changedSignal);
      await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
      expect(eventsOf(world, 'SuspectedOrphan')).toEqual([]);
    },
  );

  it('and so is the end of a launch of unknown outcome, after which nobody suspects an orphan', async () => {
    const { world, handle } = await silentLaunch(temporal, 'void', 'nothing');
    await world.delete();
    // It takes effect and is not answered, as when the worker dies.
    world.onRequest = answerLost({ verb: 'jsonPatch' });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'SuspectedOrphan')).toEqual([]);
  });
});

it('says why the object cannot go yet, and lets it go later', async () => {
  const { world, handle } = await provisioned(temporal, 'api-trouble');
  world.nodeRegisters();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.phase === 'Running');
  world.onRequest = before({ verb: 'delete', resource: NODES, nth: 1 }, () => {
    throw new KubeError(500, 'InternalError', 'a webhook is down');
  });
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.step === 'Release');
  expect(world.status).toMatchObject({ phase: 'Deleting', waiting: { reason: 'KubernetesUnavailable' } });
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.cloud.calls('terminate')).toHaveLength(1);
});

const THEIRS = 'example.com/theirs';

/** Somebody else's finalizer beside ours. */
const holdByOthers = (world: MachineWorld) =>
  world.edit({ metadata: { finalizers: [...(world.object?.metadata.finalizers ?? []), THEIRS] } });

describe('a Machine that others hold', () => {
  it('is left with nothing but its object, and that goes when they let it', async () => {
    const { world, handle } = await busyMachine(temporal, 'held-by-others', {
      pods: [{ name: 'web-1', labels: { app: 'web' } }],
      budgets: { web: 1 },
    });
    await holdByOthers(world);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await relax(world, 'web', 0);
    await temporal.until(() => world.status.waiting?.reason === 'HeldByFinalizers', { within: 120 });
    expect([world.kube.all(PODS), world.nodes, statesOf(world)]).toEqual([[], [], ['terminated']]);
    expect(world.object?.metadata.finalizers).toEqual([THEIRS]);
    await world.edit({ metadata: { finalizers: null } });
    expect(world.object).toBeUndefined();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('says that it is being deleted, and who holds it, also where all of its end took no longer than a moment', async () => {
    const { world, handle } = await runningMachine(temporal, 'held-at-once');
    await holdByOthers(world);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.object?.metadata.finalizers?.join() === THEIRS);
    await temporal.until(() => world.status.phase === 'Deleting');
    const words = expect.stringContaining(THEIRS);
    expect(world.status).toMatchObject({
      instance: { state: 'terminated' },
      waiting: { step: 'Finalizers', reason: 'HeldByFinalizers', message: words },
    });
    expect(world.condition('Deleting')).toMatchObject({ status: 'True', reason: 'DeletionUnderWay', message: words });
    expect(eventsOf(world, 'Delete')).toHaveLength(1);
    // The watcher tells it that its finalizer went.
    await temporal.signal(handle, changedSignal);
    await temporal.pass(1);
    await world.edit({ metadata: { finalizers: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'SuspectedOrphan')).toEqual([]);
  });

  it('tells that its instance has ended also where that was proved by absence: its set makes another', async () => {
    const { world, handle } = await provisioned(temporal, 'held-absent');
    await holdByOthers(world);
    world.cloud.vanish(world.instanceId);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'HeldByFinalizers', { within: 600 });
    expect(world.status.instance?.state).toBe('terminated');
  });

  it('says it where its workflow has no past, and is no suspect when it goes', async () => {
    const { world } = await runningMachine(temporal, 'held-without-past');
    await temporal.endAll();
    await holdByOthers(world);
    await world.delete();
    await world.cloud.end(world.instanceId);
    await world.edit({ metadata: { finalizers: [THEIRS] } });
    expect(world.status.phase).toBe('Running');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Deleting');
    expect(world.status).toMatchObject({ waiting: { reason: 'HeldByFinalizers' }, instance: { state: 'terminated' } });
    await world.edit({ metadata: { finalizers: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'SuspectedOrphan')).toEqual([]);
  });

  it('is a suspect still where somebody took our finalizer off while its instance runs', async () => {
    const { world } = await runningMachine(temporal, 'held-unprotected');
    await temporal.endAll();
    await holdByOthers(world);
    await world.delete();
    await world.edit({ metadata: { finalizers: [THEIRS] } });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Deleting');
    expect(world.status.instance?.state).toBe('running');
    await world.edit({ metadata: { finalizers: null } });
    await temporal.signal(handle, changedSignal);
    const { suspectedOrphan } = await temporal.resultOf(handle);
    expect(suspectedOrphan).toContain(world.instanceId);
  });
});
