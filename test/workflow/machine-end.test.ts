import { describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { CAUSE_ANNOTATION, writeSurplusCause } from '../../k8s/model/cause.ts';
import { MACHINE_PHASE } from '../../workflows/search-attributes.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { eventsOf, order, provisioned, runningMachine, statesOf } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

async function eventsIn(handle: WorkflowHandle) {
  const { events } = await handle.fetchHistory();
  return events ?? [];
}

describe('a Machine that is deleted', () => {
  it('goes only when its instance is gone: terminate, look, Node, finalizer', async () => {
    const { world, handle } = await provisioned(temporal, 'gone');
    world.nodeRegisters();
    world.cloud.behave({ terminateMs: 8000 });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Deleting');
    expect([world.object, world.nodes]).toEqual([expect.anything(), [expect.anything()]]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(order(world, 'terminate', 'describe')).toEqual(['terminate', 'describe']);
    expect(world.cloud.calls('describe')).toHaveLength(4);
    expect(world.requests.map(({ verb }) => verb).slice(-2)).toEqual(['delete', 'jsonPatch']);
    expect([world.nodes, world.object]).toEqual([[], undefined]);
  });
});

it('a deletion whose instance ends soon takes one workflow task and 12 events', async () => {
  const { world, handle } = await provisioned(temporal, 'soon');
  const before = await eventsIn(handle);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.resultOf(handle);
  const taken = (await eventsIn(handle)).slice(before.length);
  expect(taken.filter((event) => event.workflowTaskCompletedEventAttributes)).toHaveLength(1);
  expect(taken.length).toBeLessThanOrEqual(12);
  expect(world.events.map(({ reason }) => reason)).toContain('Delete');
  const { typedSearchAttributes } = await handle.describe();
  expect(typedSearchAttributes.get(MACHINE_PHASE)).toBe('Deleting');
});

it.each([
  ['whose Node is not drained', { 'machine.openshift.io/exclude-node-draining': '' }, 12],
  ['whose Node has no pods', {}, 13],
])(
  'a deletion by a set %s takes one workflow task, and as many events as without a Node, or one more',
  async (_what, annotations, most) => {
    const { world, handle } = await runningMachine(temporal, `soon-with-node-${most}`);
    const cause = writeSurplusCause('one is too many', world.clock.timeOfDay());
    await world.edit({ metadata: { annotations: { ...annotations, [CAUSE_ANNOTATION]: cause } } });
    await temporal.pass(60);
    const before = await eventsIn(handle);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    const taken = (await eventsIn(handle)).slice(before.length);
    expect(taken.filter((event) => event.workflowTaskCompletedEventAttributes)).toHaveLength(1);
    expect(taken.length).toBeLessThanOrEqual(most);
    expect(world.nodes).toEqual([]);
  },
);

it('each later look at an instance that ends takes nine events', async () => {
  const { world, handle } = await provisioned(temporal, 'later');
  world.cloud.behave({ terminateMs: 20_000 });
  const before = await eventsIn(handle);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.resultOf(handle);
  const looks = world.cloud.calls('describe').length;
  expect(looks).toBeGreaterThan(3);
  // The first look is one with the request to terminate.
  expect((await eventsIn(handle)).length - before.length).toBeLessThanOrEqual(12 + 9 * (looks - 1));
});

describe('a Machine object that is suddenly gone', () => {
  it('is told as a suspected orphan, and the instance is not touched', async () => {
    const { world, handle } = await provisioned(temporal, 'vanished');
    world.drop();
    await temporal.signal(handle, changedSignal);
    const result = await temporal.resultOf(handle);
    expect(result.outcome).toBe('vanished');
    expect(result.suspectedOrphan).toContain(world.instanceId);
    expect(eventsOf(world, 'SuspectedOrphan')).toHaveLength(1);
    expect(statesOf(world)).toEqual(['running']);
  });

  it('is no suspect when its instance was proved gone before', async () => {
    const { world, handle } = await provisioned(temporal, 'proved-gone');
    await world.cloud.end(world.instanceId);
    await temporal.signal(handle, 'inspect');
    await temporal.until(() => world.status.phase === 'Failed');
    world.drop();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'vanished' });
  });

  it('is a suspect also where a workflow without a past saw only its deletion', async () => {
    const { world } = await provisioned(temporal, 'forced');
    await temporal.endAll();
    world.cloud.behave({ terminateMs: 3_600_000 });
    await world.delete();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.cloud.calls('terminate').length === 1);
    world.drop();
    await temporal.signal(handle, changedSignal);
    const { suspectedOrphan } = await temporal.resultOf(handle);
    expect(suspectedOrphan).toContain(world.instanceId);
  });
});

describe('a paused Machine object that is suddenly gone', () => {
  it('is a suspect also where its workflow began while it was paused', async () => {
    const { world } = await provisioned(temporal, 'paused-and-gone');
    await world.pause();
    await temporal.endAll();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'Paused');
    world.drop();
    await temporal.signal(handle, changedSignal);
    const { suspectedOrphan } = await temporal.resultOf(handle);
    expect(suspectedOrphan).toContain(world.instanceId);
  });
});

describe('a Machine object that goes while its instance ends', () => {
  async function ending(name: string, terminateMs: number) {
    const { world, handle } = await provisioned(temporal, name);
    world.cloud.behave({ terminateMs });
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.cloud.calls('terminate').length === 1 && world.status.phase === 'Deleting');
    return { world, handle };
  }

  it('is no suspect when the instance has ended: a worker may have died right after the last step', async () => {
    const { world, handle } = await ending('died-after', 20_000);
    // Between two looks.
    await temporal.until(() => statesOf(world)[0] === 'terminated');
    expect([statesOf(world), world.status.phase]).toEqual([['terminated'], 'Deleting']);
    world.drop();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'SuspectedOrphan')).toEqual([]);
  });

  it('is one when the cloud does not show the instance', async () => {
    const { world, handle } = await ending('not-shown', 3_600_000);
    world.cloud.vanish(world.instanceId);
    world.drop();
    await temporal.signal(handle, changedSignal);
    const { suspectedOrphan } = await temporal.resultOf(handle);
    expect(suspectedOrphan).toContain(world.instanceId);
  });
});
