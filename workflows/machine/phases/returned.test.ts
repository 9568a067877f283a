import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { writeCause } from '../../../k8s/model/cause.ts';
import { DRAIN_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { DRAINED_FOR_ANNOTATION, drainedFor } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { before } from '../../../test/world/kubernetes/request.ts';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { busyMachine, nodeOf, type Fleet } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, statesOf } from '../../../test/workflow/machine-stages.ts';
import { aPod } from '../../../test/world/builders/a-pod.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import type { KubeObject } from '../../../test/world/kubernetes/kube-object.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { OBJECT_CHANGED } from '../../failure-types.ts';
import { changedSignal } from '../../signals.ts';
import { DONE } from '../answer.ts';
import { returned } from './returned.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
const BLOCKED: Fleet = { pods: [WEB], budgets: { web: 1 } };

/** How a deletion is asked for once more, after it was taken back. */
const ASKED_AGAIN: [string, (world: MachineWorld) => Promise<unknown>][] = [
  ['asked for again', (world) => world.edit({ spec: { delete: true } })],
  ['deleted', (world) => world.delete()],
];

const nodeIn = (world: MachineWorld) => world.kube.peek(NODES, undefined, nodeOf(world));
const evictions = ({ requests }: MachineWorld) => requests.filter(({ subresource }) => subresource === 'eviction');
const isThere = (world: MachineWorld) => world.kube.peek(MACHINES, 'default', world.ref.name) !== undefined;

/** Somebody writes into the spec of a Machine whose Node cannot be drained yet. */
async function blocked(name: string, spec: object, fleet: Fleet = BLOCKED) {
  const { world, handle } = await busyMachine(temporal, name, fleet);
  const wish = async (wanted: object) => {
    await world.edit({ spec: wanted });
    await temporal.signal(handle, changedSignal);
  };
  await wish(spec);
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  return { world, handle, wish };
}

it('a Machine that lives waits for no hook and is not drained, and no condition says that it does', async () => {
  const hooks = (['preDrain', 'preTerminate'] as const).map((point) => ({ point, name: 'Guard', owner: 'somebody' }));
  const deletion = { preTerminateHookStartTime: '2026-01-01T00:00:00Z' };
  const pass = aPass({ machine: { hooks }, status: { phase: 'Deleting', deletion } });
  for (const type of ['Drainable', 'Terminable'] as const) {
    pass.setCondition({ type, status: 'False', reason: 'HookPresent', message: 'the controller before us said so' });
  }
  await expect(returned(pass)).resolves.toBe(DONE);
  expect(pass.status.conditions).toEqual([]);
  expect(pass.status).not.toHaveProperty('deletion');
  expect(pass.status.phase).toBe('Provisioning');
});

it('a cause that came to nothing is taken off, and one that was written just now is left: the deletion may follow', async () => {
  const { world, handle } = await busyMachine(temporal, 'came-to-nothing', BLOCKED);
  const note = async (age: number) => {
    const value = writeCause('5 are asked for', world.clock.timeOfDay() - age);
    await world.edit({ metadata: { annotations: { 'millwright.dev/cause': value } } });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(10);
    return world.object?.metadata.annotations?.['millwright.dev/cause'];
  };
  await expect(note(0)).resolves.toContain('5 are asked for');
  await expect(note(600_000)).resolves.toBeUndefined();
});

describe('a deletion that is aborted', () => {
  it('stops evicting, takes the cordon off, and says so when nothing that was sent can take effect any more', async () => {
    const { world, wish } = await blocked('aborted', { delete: true });
    expect(world.status).toMatchObject({ phase: 'Deleting', preparation: 'started' });
    expect(nodeIn(world)).toMatchObject({
      metadata: { annotations: { 'millwright.dev/drained-for': 'Machine default/aborted: deletion' } },
      spec: { unschedulable: true },
    });
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborting');
    const sent = evictions(world).length;
    expect(nodeIn(world)?.metadata.name).toBe(nodeOf(world));
    expect(nodeIn(world)?.spec ?? {}).not.toHaveProperty('unschedulable');
    expect(world.status.waiting).toMatchObject({ step: 'Uncordon', reason: 'EvictionsUnderWay' });
    const { message, nextTry } = world.status.waiting ?? {};
    expect(message).toBe(
      `the drain has stopped; what was asked of its Node and its pods before may take effect until ${nextTry}`,
    );
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(world.status).toMatchObject({ phase: 'Running' });
    expect(world.status).not.toHaveProperty('deletion');
    expect(world.status).not.toHaveProperty('waiting');
    expect([world.condition('Drained'), world.condition('Deleting')]).toEqual([undefined, undefined]);
    expect(nodeIn(world)?.metadata.annotations ?? {}).not.toHaveProperty('millwright.dev/drained-for');
    await temporal.pass(120);
    expect([evictions(world).length, isThere(world), statesOf(world)]).toEqual([sent, true, ['running']]);
    expect(eventsOf(world, 'DeletionAborted')[0]?.message).toContain(
      'pods that were already evicted, if any, stay where they went',
    );
  });

  it('is over at once where a hook held it all the time: no pod was asked to go, and none is before that is on record', async () => {
    const { world, handle } = await busyMachine(temporal, 'aborted-before', { pods: [WEB] });
    const wish = async (spec: object) => {
      await world.edit({ spec });
      await temporal.signal(handle, changedSignal);
    };
    const lifecycleHooks = { preDrain: [{ name: 'Quorum', owner: 'etcd' }] };
    await wish({ delete: true, lifecycleHooks });
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(10);
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborting');
    await temporal.pass(5);
    // What was under way when the hook was seen first may come yet.
    expect(world.status.preparation).toBe('aborting');
    await temporal.until(() => world.status.preparation === 'aborted', { within: 12 });
    await wish({ delete: true });
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(30);
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborted', { within: 3 });
    expect([eventsOf(world, 'DeletionAborted').length, evictions(world)]).toEqual([2, []]);
    await wish({ delete: true });
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    const records = async () => {
      const { events = [] } = await handle.fetchHistory();
      return (events ?? []).filter((event) => event.activityTaskCompletedEventAttributes).length;
    };
    const before = await records();
    const whenAsked: number[] = [];
    world.onActivity = async (name, run) => {
      if (name === 'drainNode') whenAsked.push(await records());
      return run();
    };
    await wish({ lifecycleHooks: null });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(whenAsked[0]).toBe(before + 1);
    expect(whenAsked.at(-1)).toBe(before + 1);
  });

  it('waits all the same where its hook went, and pods were asked to go since', async () => {
    const { world, handle } = await busyMachine(temporal, 'aborted-after', BLOCKED);
    const wish = async (spec: object) => {
      await world.edit({ spec });
      await temporal.signal(handle, changedSignal);
    };
    await wish({ delete: true, lifecycleHooks: { preDrain: [{ name: 'Quorum', owner: 'etcd' }] } });
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent');
    await temporal.pass(60);
    await wish({ lifecycleHooks: null });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborting');
    await temporal.pass(20);
    expect(world.status.preparation).toBe('aborting');
    await temporal.until(() => world.status.preparation === 'aborted', { within: 10 });
  });

  it('takes off why it was to go: the next deletion has another cause, or none', async () => {
    const { world, wish } = await blocked('because', { delete: true });
    const cause = { 'millwright.dev/cause': writeCause('ada ran a command', world.clock.timeOfDay()) };
    await world.edit({ metadata: { annotations: cause } });
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(world.object?.metadata.annotations ?? {}).not.toHaveProperty(['millwright.dev/cause']);
  });

  it('leaves the cordon of somebody else', async () => {
    const { world, handle } = await busyMachine(temporal, 'cordoned-before', BLOCKED);
    const cordon = { spec: { unschedulable: true } };
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), cordon, { fieldManager: 'kubectl-cordon' });
    await world.edit({ spec: { delete: true } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await world.edit({ spec: { delete: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(nodeIn(world)?.spec).toMatchObject({ unschedulable: true });
    expect(eventsOf(world, 'DeletionAborted')[0]?.message).toContain('somebody else had cordoned it');
  });

  it('takes the cordon off once more where one that was on its way came after that', async () => {
    const { world, wish } = await blocked('late-cordon', { delete: true });
    const { metadata, spec } = nodeIn(world) as KubeObject & { spec: object };
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborting');
    expect(nodeIn(world)).not.toMatchObject({ spec: { unschedulable: true } });
    const body = { metadata: { annotations: metadata.annotations }, spec };
    await world.kube.others.apply(NODES, undefined, nodeOf(world), body, { fieldManager: DRAIN_FIELD_MANAGER });
    expect(nodeIn(world)).toMatchObject({ spec: { unschedulable: true } });
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(nodeIn(world)).not.toMatchObject({ spec: { unschedulable: true } });
    expect(nodeIn(world)?.metadata.annotations).not.toHaveProperty('millwright.dev/drained-for');
  });

  it('is told of also where whoever had begun it died before the status said so', async () => {
    const { world, handle } = await busyMachine(temporal, 'untold', BLOCKED);
    const annotations = { [DRAINED_FOR_ANNOTATION]: drainedFor(world.ref, 'deletion') };
    const body = { metadata: { annotations }, spec: { unschedulable: true } };
    await world.kube.others.apply(NODES, undefined, nodeOf(world), body, { fieldManager: DRAIN_FIELD_MANAGER });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'aborting');
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(nodeIn(world)).not.toMatchObject({ spec: { unschedulable: true } });
    expect(eventsOf(world, 'DeletionAborted')).toHaveLength(1);
    expect(eventsOf(world, 'MaintenanceEnded')).toEqual([]);
  });

  it('is told of as one also where the Machine changed in the moment in which that was to be written first', async () => {
    const { world, handle } = await busyMachine(temporal, 'untold-changed', BLOCKED);
    const annotations = { [DRAINED_FOR_ANNOTATION]: drainedFor(world.ref, 'deletion') };
    const body = { metadata: { annotations }, spec: { unschedulable: true } };
    await world.kube.others.apply(NODES, undefined, nodeOf(world), body, { fieldManager: DRAIN_FIELD_MANAGER });
    let isChanging = true;
    world.onRequest = before({ verb: 'apply', resource: MACHINES }, () => {
      if (!isChanging) return;
      isChanging = false;
      throw new KubeError(409, 'Conflict', 'the object has been modified');
    });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => eventsOf(world, 'DeletionAborted').length > 0);
    expect([isChanging, eventsOf(world, 'MaintenanceEnded')]).toEqual([false, []]);
    expect(world.status.preparation).toBe('aborted');
  });

  it('does not wait once more where the write of its end met one of somebody else', async () => {
    const { world, wish } = await blocked('met-at-end', { delete: true });
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborting');
    let isMet = false;
    world.onActivity = async (name, run) => {
      if (name !== 'writeMachineStatus' || isMet) return run();
      isMet = true;
      throw ApplicationFailure.nonRetryable('somebody wrote to its status meanwhile', OBJECT_CHANGED);
    };
    await temporal.until(() => isMet, { within: 30 });
    await temporal.until(() => world.status.preparation === 'aborted', { within: 3 });
    await temporal.pass(30);
    expect(eventsOf(world, 'DeletionAborted')).toHaveLength(1);
    expect(world.status.preparation).toBe('aborted');
  });

  it('says that its end is refused, and is not called too late where somebody deletes the Machine then', async () => {
    const { world, handle, wish } = await blocked('refused', { delete: true });
    let isRefused = true;
    world.onRequest = before({ verb: 'apply', resource: NODES }, () => {
      if (isRefused) throw new KubeError(403, 'Forbidden', 'admission webhook "keep" denied the request');
    });
    await wish({ delete: false });
    await temporal.until(() => world.status.waiting?.message.includes('admission webhook "keep" denied') === true);
    expect(world.status.preparation).toBe('aborting');
    await world.delete();
    isRefused = false;
    await wish({ deletionPolicy: 'unsafe' });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'AbortTooLate')).toEqual([]);
  });

  it('can be asked for again, and is then done from its beginning', async () => {
    const { world, handle, wish } = await blocked('again', { delete: true });
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborted');
    await wish({ delete: true });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    expect(nodeIn(world)).toMatchObject({ spec: { unschedulable: true } });
    await world.delete();
    await wish({ deletionPolicy: 'unsafe' });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it.each(ASKED_AGAIN)(
    'is done from its beginning when it is %s before the abort is over: its Node has taken pods since',
    async (how, goAgain) => {
      const name = `returning-${how === 'deleted' ? 'gone' : 'again'}`;
      const { world, handle } = await busyMachine(temporal, name);
      const hook = { name: 'Guard', owner: 'somebody' };
      const change = async (spec: object) => {
        await world.edit({ spec });
        await temporal.signal(handle, changedSignal);
      };
      await change({ delete: true, lifecycleHooks: { preTerminate: [hook] } });
      await temporal.until(() => world.condition('Terminable')?.status === 'False');
      await change({ delete: false, lifecycleHooks: null });
      await temporal.until(() => world.status.waiting?.reason === 'EvictionsUnderWay');
      world.kube.put(aPod({ node: nodeOf(world), ...WEB }));
      await goAgain(world);
      await temporal.signal(handle, changedSignal);
      await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
      expect(evictions(world)).toHaveLength(1);
    },
  );

  it.each(ASKED_AGAIN)(
    'is done from its beginning when it is %s before the abort is on record, and its Node was given back',
    async (how, goAgain) => {
      const name = `unrecorded-${how === 'deleted' ? 'gone' : 'again'}`;
      const { world, handle } = await busyMachine(temporal, name);
      const change = async (spec: object) => {
        await world.edit({ spec });
        await temporal.signal(handle, changedSignal);
      };
      const hooks = { preTerminate: [{ name: 'Guard', owner: 'somebody' }] };
      await change({ delete: true, lifecycleHooks: hooks });
      await temporal.until(() => world.condition('Terminable')?.status === 'False');
      const told: string[] = [];
      world.onActivity = async (activity, run) => {
        const isFirst = !told.includes(activity);
        told.push(activity);
        if (activity === 'writeMachineStatus' && isFirst)
          throw ApplicationFailure.nonRetryable('somebody wrote to its status meanwhile', OBJECT_CHANGED);
        const answer = await run();
        if (activity === 'uncordonNode' && isFirst) {
          world.kube.put(aPod({ node: nodeOf(world), ...WEB }));
          await goAgain(world);
        }
        return answer;
      };
      await change({ delete: false, lifecycleHooks: null });
      await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
      expect([told.indexOf('uncordonNode') >= 0, evictions(world).length]).toEqual([true, 1]);
      expect(eventsOf(world, 'DrainSucceeded')).toHaveLength(2);
    },
  );

  it('leaves a Node cordoned that is in maintenance', async () => {
    const { world, wish } = await blocked('maintained-too', { delete: true, maintenance: true });
    expect(world.condition('Maintenance')).toBeUndefined();
    await wish({ delete: false });
    await temporal.until(() => world.status.preparation === 'aborted');
    expect(nodeIn(world)).toMatchObject({
      metadata: { annotations: { 'millwright.dev/drained-for': 'Machine default/maintained-too: maintenance' } },
      spec: { unschedulable: true },
    });
    expect(world.condition('Maintenance')).toMatchObject({ status: 'False', reason: 'PodsBlocked' });
  });

  it('is none where nothing was to be deleted', async () => {
    const { world, handle } = await busyMachine(temporal, 'never', BLOCKED);
    await world.edit({ spec: { delete: false } });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(60);
    expect(world.status).not.toHaveProperty('preparation');
    expect([eventsOf(world, 'DeletionAborted'), evictions(world)]).toEqual([[], []]);
  });
});
