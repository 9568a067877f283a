import { describe, expect, it } from '@jest/globals';
import { MACHINE_PHASE } from '../../workflows/search-attributes.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { DELETED, order, provisioned } from './stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a Machine that is deleted', () => {
  it('goes only when its instance is gone: terminate, look, Node, finalizer', async () => {
    const { world, handle } = await provisioned(temporal, 'gone');
    world.nodeRegisters();
    world.looksUntilTerminated = 4;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Deleting');
    expect(world.object).toBeDefined();
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(order(world, 'terminateInstance', 'lookAtInstance', 'letGo')).toEqual([
      'terminateInstance',
      'lookAtInstance',
      'letGo',
    ]);
    expect(world.called('lookAtInstance')).toBe(4);
    expect(world.nodes).toHaveLength(0);
  });
});

it('a deletion whose instance ends soon takes one workflow task', async () => {
  const { world, handle } = await provisioned(temporal, 'soon');
  world.looksUntilTerminated = 1;
  const tasks = async () => {
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
  };
  const before = await tasks();
  world.change(DELETED);
  await temporal.signal(handle, changedSignal);
  await temporal.resultOf(handle);
  expect((await tasks()) - before).toBe(1);
  expect(world.events.map(({ reason }) => reason)).toContain('Delete');
  const { typedSearchAttributes } = await handle.describe();
  expect(typedSearchAttributes.get(MACHINE_PHASE)).toBe('Deleting');
});

describe('a Machine object that is suddenly gone', () => {
  it('is told as a suspected orphan, and the instance is not touched', async () => {
    const { world, handle } = await provisioned(temporal, 'vanished');
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    const result = await temporal.resultOf(handle);
    expect(result.outcome).toBe('vanished');
    expect(result.suspectedOrphan).toContain('i-vanished-1');
    expect(world.called('reportSuspectedOrphan')).toBe(1);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('is no suspect when its instance was proved gone before', async () => {
    const { world, handle } = await provisioned(temporal, 'proved-gone');
    world.setInstanceState('terminated');
    await temporal.signal(handle, 'inspect');
    await temporal.until(() => world.status.phase === 'Failed');
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'vanished' });
  });

  it('is a suspect also where a workflow without a past saw only its deletion', async () => {
    const { world } = await provisioned(temporal, 'forced');
    await temporal.endAll();
    world.looksUntilTerminated = 100;
    world.change(DELETED);
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.called('terminateInstance') === 1);
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    const { suspectedOrphan } = await temporal.resultOf(handle);
    expect(suspectedOrphan).toContain('i-forced-1');
  });
});

describe('a Machine object that goes while its instance ends', () => {
  async function ending(name: string) {
    const { world, handle } = await provisioned(temporal, name);
    world.looksUntilTerminated = 100;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.called('terminateInstance') === 1);
    return { world, handle };
  }

  it('is no suspect when the instance has ended: a worker may have died right after the last step', async () => {
    const { world, handle } = await ending('died-after');
    world.setInstanceState('terminated');
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('reportSuspectedOrphan')).toBe(0);
  });

  it('is one when the cloud does not show the instance', async () => {
    const { world, handle } = await ending('not-shown');
    world.instances = [];
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    const { suspectedOrphan } = await temporal.resultOf(handle);
    expect(suspectedOrphan).toContain('i-not-shown-1');
  });
});
