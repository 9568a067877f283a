import { describe, expect, it } from '@jest/globals';
import { MISMATCH, THROTTLED, UNAVAILABLE } from '../../test/workflow/cloud-failures.ts';
import { MachineWorld } from '../../test/workflow/machine-world.ts';
import { DELETED, SLOWLY } from '../../test/workflow/stages.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { changedSignal } from '../signals.ts';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;
const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;

async function silentLaunch(name: string, fate: 'unansweredInstance' | 'unansweredNothing') {
  const world = new MachineWorld(name, temporal.now, SLOWLY);
  world.fateOf = (call) => (call === 1 ? fate : 'instance');
  const handle = await temporal.startMachine(world);
  await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
  return { world, handle };
}

/** Another instance, which somebody names in the Machine. */
function nameAnother(world: MachineWorld): string {
  const { id, providerID } = world.addInstance();
  world.instances = world.instances.map((i) => (i.id === id ? { ...i, machineUid: 'of-another' } : i));
  world.foreignInstances.add(id);
  world.change({ providerID });
  return id;
}

function stateOf(world: MachineWorld, id: string): string | undefined {
  return world.instances.find((i) => i.id === id)?.state;
}

describe('a providerID that appears while nobody knows what the launch came to', () => {
  it('gives way to the instance that the launch made; the other one is named, and not touched', async () => {
    const { world, handle } = await silentLaunch('replaced', 'unansweredInstance');
    const other = nameAnother(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.status.instance?.id).toBe('i-replaced-1');
    expect(world.object?.providerID).toContain('i-replaced-1');
    expect(world.events).toContainEqual(expect.objectContaining({ reason: 'ProviderIDReplaced' }));
    expect(world.condition('MachineCreation')?.message).toContain(other);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('is adopted when it is proved that the launch made nothing, and not before', async () => {
    const { world, handle } = await silentLaunch('void', 'unansweredNothing');
    const called = world.launches[0]?.at ?? 0;
    const other = nameAnother(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'LaunchOutcomeUnknown');
    expect(world.status.instance).toBeUndefined();
    await temporal.until(() => world.status.instance !== undefined, { within: 1200, step: 5 });
    expect(world.status.instance?.id).toBe(other);
    expect((await temporal.now()) - called).toBeGreaterThanOrEqual(WINDOW_MS + CALL_MS);
    expect(world.launches).toHaveLength(1);
  });

  it('does not keep a deletion from ending what the launch made, and only that', async () => {
    const { world, handle } = await silentLaunch('ended', 'unansweredInstance');
    const other = nameAnother(world);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(stateOf(world, 'i-ended-1')).toBe('terminated');
    expect(stateOf(world, other)).toBe('running');
    expect(world.events).toContainEqual(expect.objectContaining({ reason: 'ProviderIDReplaced' }));
  });

  it('is settled also where only the Machine tells of the launch', async () => {
    const { world } = await silentLaunch('forgotten', 'unansweredInstance');
    await temporal.endAll();
    nameAnother(world);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.status.instance?.id).toBe('i-forgotten-1');
  });
});

describe('a look-up that fails', () => {
  /** So many look-ups fail; what the launch made shows when three would have been enough. */
  const FAILED = 6;

  function failing(world: MachineWorld): void {
    world.findFailureOf = (look) => (look <= FAILED ? THROTTLED : undefined);
  }

  it('is no empty one, while the launch is wanted', async () => {
    const world = new MachineWorld('wanted', temporal.now);
    world.fateOf = (call) => (call === 1 ? { failure: MISMATCH, hiddenForMs: WINDOW_MS } : 'instance');
    failing(world);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 10 });
    expect(world.called('findInstances')).toBeGreaterThan(FAILED);
    expect(world.instances).toHaveLength(1);
    expect(world.launches).toHaveLength(1);
  });

  it('is no empty one, while the Machine is deleted', async () => {
    const { world, handle } = await silentLaunch('deleted', 'unansweredInstance');
    failing(world);
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('findInstances')).toBeGreaterThan(FAILED);
    expect(stateOf(world, 'i-deleted-1')).toBe('terminated');
  });

  it('is no empty one, before a providerID that appeared is adopted', async () => {
    const { world, handle } = await silentLaunch('named', 'unansweredInstance');
    failing(world);
    nameAnother(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 10 });
    expect(world.status.instance?.id).toBe('i-named-1');
  });
});

describe('a Machine that vanishes', () => {
  it('is told as a suspected orphan while nobody knows what its launch came to', async () => {
    const { world, handle } = await silentLaunch('vanished', 'unansweredInstance');
    world.object = undefined;
    await temporal.signal(handle, changedSignal);
    const result = await temporal.resultOf(handle);
    expect(result.outcome).toBe('vanished');
    expect(result.suspectedOrphan).toContain('token-1');
    expect(world.called('reportSuspectedOrphan')).toBe(1);
  });
});

describe('the looks that prove a launch void', () => {
  it('are made after the answer that proves nothing, and span the window among themselves', async () => {
    const world = new MachineWorld('spread', temporal.now);
    world.fateOf = (call) => (call === 1 ? MISMATCH : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.launches.length === 2, { within: 1200, step: 5 });
    const [first, second] = world.launches;
    const looks = world.calls.filter((c) => c.name === 'findInstances' && c.at < (second?.at ?? 0)).map((c) => c.at);
    const counted = looks.filter((at) => at >= (first?.at ?? 0) + CALL_MS);
    expect(counted.length).toBeGreaterThanOrEqual(3);
    expect((counted.at(-1) ?? 0) - (counted[0] ?? 0)).toBeGreaterThanOrEqual(WINDOW_MS);
    expect(second?.token).toBe('token-2');
  });
});

describe('a call that is not sent', () => {
  const NOT_SENT = { outcome: 'notCalled', because: 'NotSent' } as const;

  it('owes nothing: it waits as long as it was told, and is made without a look-up', async () => {
    const world = new MachineWorld('not-sent', temporal.now);
    const failure = { ...THROTTLED, retryAfterMs: 40_000 };
    world.fateOf = (call) => (call === 1 ? { ...NOT_SENT, failure } : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'RequestLimitExceeded');
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 120 });
    const [first, second] = world.launches;
    expect([first?.lookFirst, second?.lookFirst]).toEqual([false, false]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(world.called('findInstances')).toBe(0);
  });

  it('lets a deletion go on at once', async () => {
    const world = new MachineWorld('not-sent-deleted', temporal.now, SLOWLY);
    world.fateOf = () => ({ ...NOT_SENT, failure: UNAVAILABLE });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'ServiceUnavailable');
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('findInstances') + world.called('terminateInstance')).toBe(0);
  });

  it('because the Machine changed is followed by a look at the Machine at once, and again ever more seldom', async () => {
    const world = new MachineWorld('changed', temporal.now);
    let isChanged = true;
    const waits: (string | undefined)[] = [];
    world.fateOf = () => {
      waits.push(world.status.waiting?.reason);
      return isChanged ? { outcome: 'notCalled', because: 'Changed', failure: UNAVAILABLE } : 'instance';
    };
    await temporal.startMachine(world);
    await temporal.until(() => world.launches.length >= 3);
    expect(waits.slice(0, 3)).toEqual([undefined, undefined, 'ServiceUnavailable']);
    await temporal.pass(600);
    expect(world.launches.length).toBeLessThan(20);
    expect(world.called('findInstances')).toBe(0);
    isChanged = false;
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 120 });
    expect(new Set(world.launches.map(({ token }) => token)).size).toBe(1);
  });
});

describe('a call that was given up after silence', () => {
  it('is told so in the Machine before the next one is made: one that is still on its way is not sent', async () => {
    const { world } = await silentLaunch('given-up', 'unansweredNothing');
    expect(world.status.launch).toMatchObject({ attempt: 1, callsGivenUp: 1 });
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.launches).toHaveLength(2);
    expect(world.refusedCalls).toEqual([]);
  });

  it('is told by a workflow without a past, too', async () => {
    const { world } = await silentLaunch('unknown-past', 'unansweredNothing');
    await temporal.endAll();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.launch?.callsGivenUp === 2);
  });

  it('keeps the record that somebody took from the status', async () => {
    const { world, handle } = await silentLaunch('wiped', 'unansweredInstance');
    world.change({ status: { addresses: [], conditions: [] } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.launch?.token === 'token-1');
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.instances).toHaveLength(1);
  });
});
