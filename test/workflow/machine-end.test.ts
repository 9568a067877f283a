import { describe, expect, it } from '@jest/globals';
import { MACHINE_PHASE } from '../../workflows/search-attributes.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { NO_CAPACITY, THROTTLED } from './cloud-failures.ts';
import { lastTaskOf } from './history-budget.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

const DELETED = { deletedAt: '2026-01-02T00:00:00Z' };

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** Silence is followed by a wait that is long enough for a deletion to come in between. */
const SLOWLY = { backoff: { ...DEFAULT_MACHINE_SETTINGS.backoff, soon: { first: 600, most: 600 } } };

async function provisioned(name: string) {
  const world = new MachineWorld(name, temporal.now);
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  return { world, handle };
}

function order(world: MachineWorld, ...names: string[]): string[] {
  const seen = world.calls.map((c) => c.name as string).filter((n) => names.includes(n));
  return seen.filter((name, i) => name !== seen[i - 1]);
}

describe('a Machine that is deleted', () => {
  it('goes only when its instance is gone: terminate, look, Node, finalizer', async () => {
    const { world, handle } = await provisioned('gone');
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

  it('settles a launch of unknown outcome first, and terminates what came of it', async () => {
    const world = new MachineWorld('unknown-launch', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredInstance';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(order(world, 'findInstances', 'terminateInstance', 'letGo')).toEqual([
      'findInstances',
      'terminateInstance',
      // A call that was never answered may have made a second one.
      'findInstances',
      'letGo',
    ]);
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
    expect(world.launches).toHaveLength(1);
  });

  it('looks over the whole window when a launch of unknown outcome made nothing', async () => {
    const world = new MachineWorld('unknown-nothing', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredNothing';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    const called = world.launches[0]?.at ?? 0;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.calls.at(-1)?.at ?? 0) - called).toBeGreaterThanOrEqual(360_000);
    expect(world.called('findInstances')).toBeGreaterThanOrEqual(3);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('goes at once when every launch was refused', async () => {
    const world = new MachineWorld('refused', temporal.now);
    world.fateOf = () => NO_CAPACITY;
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting !== undefined);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('findInstances') + world.called('terminateInstance')).toBe(0);
  });

  it('counts an instance that the cloud forgot as gone only after three looks over five minutes', async () => {
    const { world, handle } = await provisioned('forgotten');
    world.instances = [];
    world.change(DELETED);
    const since = await temporal.now();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect((world.calls.at(-1)?.at ?? 0) - since).toBeGreaterThanOrEqual(300_000);
    expect(world.called('lookAtInstance')).toBe(3);
  });
});

describe('before a Machine goes, its history says what tells that nothing is left', () => {
  it('so a proof by absence is in it before the last step begins', async () => {
    const { world, handle } = await provisioned('proved-absent');
    world.instances = [];
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    const { events } = await handle.fetchHistory();
    expect(lastTaskOf(events ?? [])).toEqual(['observeMachine', 'letGo']);
  });

  it('and so is the end of a launch of unknown outcome, after which nobody suspects an orphan', async () => {
    const world = new MachineWorld('void', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredNothing';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.change(DELETED);
    // The first try takes effect and is not answered, as when the worker dies.
    const letGo = world.letGo.bind(world);
    world.letGo = async (request) => {
      await letGo(request);
      return { outcome: 'failed', message: 'the worker dies' };
    };
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('reportSuspectedOrphan')).toBe(0);
  });
});

it('a termination that the cloud did not take is asked for again, and said', async () => {
  const { world, handle } = await provisioned('throttled-end');
  world.terminationFailure = THROTTLED;
  world.change(DELETED);
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === (THROTTLED.cloudCode ?? THROTTLED.code));
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.called('terminateInstance')).toBe(2);
});

it('says why the object cannot go yet, and lets it go later', async () => {
  const { world, handle } = await provisioned('api-trouble');
  world.looksUntilTerminated = 1;
  world.letGoFailure = 'DELETE nodes/node-1: 500 a webhook is down';
  world.change(DELETED);
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.step === 'Release');
  expect(world.status).toMatchObject({ phase: 'Deleting', waiting: { reason: 'KubernetesUnavailable' } });
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.called('terminateInstance')).toBe(1);
});

it('a deletion whose instance ends soon takes one workflow task', async () => {
  const { world, handle } = await provisioned('soon');
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
    const { world, handle } = await provisioned('vanished');
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    const result = await temporal.resultOf(handle);
    expect(result.outcome).toBe('vanished');
    expect(result.suspectedOrphan).toContain('i-vanished-1');
    expect(world.called('reportSuspectedOrphan')).toBe(1);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('is no suspect when its instance was proved gone before', async () => {
    const { world, handle } = await provisioned('proved-gone');
    world.setInstanceState('terminated');
    await temporal.signal(handle, 'inspect');
    await temporal.until(() => world.status.phase === 'Failed');
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'vanished' });
  });

  it('is a suspect also where a workflow without a past saw only its deletion', async () => {
    const { world } = await provisioned('forced');
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
    const { world, handle } = await provisioned(name);
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

describe('a Machine that only names an instance', () => {
  /** It never came to record the instance: deleted before its first look. */
  function naming(name: string): MachineWorld {
    const world = new MachineWorld(name, temporal.now);
    world.change({ providerID: world.addInstance().providerID, ...DELETED });
    return world;
  }

  it('does not end it while nobody can tell whose it is', async () => {
    const world = naming('throttled');
    world.lookFailure = THROTTLED;
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.step === 'Terminate');
    await temporal.pass(600);
    expect(world.called('terminateInstance')).toBe(0);
    world.lookFailure = undefined;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('terminateInstance')).toBe(1);
  });

  it('goes without it where it is another Machine’s', async () => {
    const world = naming('copied');
    world.foreign = 'instance i-copied-1 belongs to the Machine default/original';
    const handle = await temporal.startMachine(world);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('terminateInstance')).toBe(0);
  });
});

describe('a launch that a deletion settles', () => {
  it('is not taken for gone because the cloud does not know its instance yet', async () => {
    const world = new MachineWorld('lagging', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredInstance';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.terminateLags = 1;
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.instances.map((i) => i.state)).toEqual(['terminated']);
  });
});
