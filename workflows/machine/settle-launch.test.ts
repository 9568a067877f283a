import { describe, expect, it } from '@jest/globals';
import { ACT_MS } from '../../activities/machine-reader.ts';
import type { SimulatedFailure } from '../../devstack/doubles/cloud/json-front/behaviour.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { notSent } from '../../test/world/world-cloud.ts';
import { MachineWorld } from '../../test/world/machine-world.ts';
import { silentLaunch, SLOWLY } from '../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { changedSignal } from '../signals.ts';
import { DEFAULT_MACHINE_SETTINGS } from './settings.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;
/** What a call may take on a busy machine, in milliseconds. */
const UNDER_WAY_MS = 1000;
const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;

/** Another instance, which somebody names in the Machine. */
async function nameAnother(world: MachineWorld): Promise<string> {
  const { id, providerID } = await world.cloud.launch({ cluster: 'c1', name: world.ref.name });
  world.kube.put(aCluster({ name: 'c1' }));
  await world.edit({ spec: { providerID } });
  return id;
}

const timeOf = ({ at }: { readonly at: string }) => Date.parse(at);

describe('a providerID that appears while nobody knows what the launch came to', () => {
  it('gives way to the instance that the launch made; the other one is named, and not touched', async () => {
    const { world, handle } = await silentLaunch(temporal, 'replaced', 'instance');
    const other = await nameAnother(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    const { instanceId } = world;
    expect(world.status.instance?.id).toBe(instanceId);
    expect(world.object?.spec.providerID).toContain(instanceId);
    expect(world.events).toContainEqual(expect.objectContaining({ reason: 'ProviderIDReplaced' }));
    expect(world.condition('MachineCreation')?.message).toContain(other);
    expect(world.cloud.calls('terminate')).toEqual([]);
  });

  it('is adopted when it is proved that the launch made nothing, and not before', async () => {
    const { world, handle } = await silentLaunch(temporal, 'void', 'nothing');
    const called = Date.parse(world.launches[0]?.at ?? '');
    const other = await nameAnother(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'LaunchOutcomeUnknown');
    expect(world.status.instance).toBeUndefined();
    await temporal.until(() => world.status.instance !== undefined, { within: 1200, step: 5 });
    expect(world.status.instance?.id).toBe(other);
    expect((await temporal.now()) - called).toBeGreaterThanOrEqual(WINDOW_MS + CALL_MS);
    expect(world.launches).toHaveLength(1);
  });

  it('does not keep a deletion from ending what the launch made, and only that', async () => {
    const { world, handle } = await silentLaunch(temporal, 'ended', 'instance');
    const other = await nameAnother(world);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const states = world.cloud.instances.map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [world.instanceId, 'terminated'],
      [other, 'running'],
    ]);
    expect(world.events).toContainEqual(expect.objectContaining({ reason: 'ProviderIDReplaced' }));
  });

  it('is settled also where only the Machine tells of the launch', async () => {
    const { world } = await silentLaunch(temporal, 'forgotten', 'instance');
    await temporal.endAll();
    await nameAnother(world);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.status.instance?.id).toBe(world.instanceId);
  });
});

describe('a look-up that fails', () => {
  /** So many look-ups fail; what the launch made shows when three would have been enough. */
  const FAILED = 6;
  /** Each look-up asks for the uid, the token and the name: the cloud fails them all. */
  const failing: SimulatedFailure = { action: 'describe', code: 'RequestLimitExceeded', times: 4 * FAILED };
  const failed = (world: MachineWorld) => world.lookUps.filter(({ ok }) => !ok);

  it('is no empty one, while the launch is wanted', async () => {
    const world = new MachineWorld('wanted', temporal.clock);
    world.cloud.behave({
      visibleAfterMs: WINDOW_MS,
      failures: [{ action: 'launch', when: 'after', code: 'IdempotentParameterMismatch', times: 1 }, failing],
    });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 10 });
    expect(failed(world)).toHaveLength(FAILED);
    expect(world.lookUps.length).toBeGreaterThan(FAILED);
    expect(world.instances).toHaveLength(1);
    expect(world.launches).toHaveLength(1);
  });

  it('is no empty one, while the Machine is deleted', async () => {
    const { world, handle } = await silentLaunch(temporal, 'deleted', 'instance');
    world.cloud.fail(failing);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(failed(world)).toHaveLength(FAILED);
    expect(world.lookUps.length).toBeGreaterThan(FAILED);
    expect(world.instances.map(({ state }) => state)).toEqual(['terminated']);
  });

  it('is no empty one, before a providerID that appeared is adopted', async () => {
    const { world, handle } = await silentLaunch(temporal, 'named', 'instance');
    world.cloud.fail(failing);
    await nameAnother(world);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 10 });
    expect(world.status.instance?.id).toBe(world.instanceId);
  });
});

describe('a Machine that vanishes', () => {
  it('is told as a suspected orphan while nobody knows what its launch came to', async () => {
    const { world, handle } = await silentLaunch(temporal, 'vanished', 'instance');
    world.drop();
    await temporal.signal(handle, changedSignal);
    const result = await temporal.resultOf(handle);
    expect(result.outcome).toBe('vanished');
    expect(result.suspectedOrphan).toContain(world.token(1));
    expect(world.events.filter(({ reason }) => reason === 'SuspectedOrphan')).toHaveLength(1);
  });
});

describe('the looks that prove a launch void', () => {
  it('are made after the answer that proves nothing, and span the window among themselves', async () => {
    const world = new MachineWorld('spread', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'IdempotentParameterMismatch', times: 1 });
    await temporal.startMachine(world);
    await temporal.until(() => world.launches.length === 2, { within: 1200, step: 5 });
    const [first = NaN, second = NaN] = world.launches.map(timeOf);
    const looks = world.lookUps.map(timeOf).filter((at) => at <= second);
    const counted = looks.filter((at) => at >= first + CALL_MS);
    expect(counted.length).toBeGreaterThanOrEqual(3);
    // A look counts from when it was asked for; the ledger tells when it was answered.
    expect((counted.at(-1) ?? 0) - (counted[0] ?? 0)).toBeGreaterThanOrEqual(WINDOW_MS - UNDER_WAY_MS);
    expect(world.launches[1]?.token).toBe(world.token(2));
  });
});

describe('a call that is not sent', () => {
  it('owes nothing: it waits as long as it was told, and is made without a look-up', async () => {
    const world = new MachineWorld('not-sent', temporal.clock);
    const since = await temporal.now();
    world.cloud.onRequest = notSent('launch', { times: 1, cloudCode: 'AwaitingTurn', retryAfterMs: 40_000 });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'AwaitingTurn');
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 120 });
    expect(world.launches).toHaveLength(1);
    expect(Date.parse(world.launches[0]?.at ?? '') - since).toBeGreaterThanOrEqual(40_000);
    expect(world.cloud.calls('describe')).toEqual([]);
  });

  it('lets a deletion go on at once', async () => {
    const world = new MachineWorld('not-sent-deleted', temporal.clock, { settings: SLOWLY });
    world.cloud.onRequest = notSent('launch', { cloudCode: 'CloudNotAnswering', retryAfterMs: 90_000 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.cloud.calls('launch', 'describe', 'terminate')).toEqual([]);
  });

  it('because the Machine changed is followed by a look at the Machine at once, and again ever more seldom', async () => {
    const world = new MachineWorld('changed', temporal.clock);
    const waits: (string | undefined)[] = [];
    let isChanged = true;
    // While a call is made ready somebody takes the finalizer, and puts it back right afterwards.
    world.onActivity = async (name, run) => {
      if (name !== 'launchInstance') return run();
      waits.push(world.status.waiting?.reason);
      const { finalizers = [] } = world.object?.metadata ?? {};
      if (isChanged) await world.edit({ metadata: { finalizers: [] } });
      // The look with which the pass began does not count any more.
      await temporal.clock.goAhead(ACT_MS);
      const answer = await run();
      if (isChanged) await world.edit({ metadata: { finalizers } });
      return answer;
    };
    await temporal.startMachine(world);
    await temporal.until(() => waits.length >= 3);
    expect(waits.slice(0, 3)).toEqual([undefined, undefined, 'Aborted']);
    await temporal.pass(600);
    expect(waits.length).toBeLessThan(20);
    expect(world.cloud.calls('launch', 'describe')).toEqual([]);
    isChanged = false;
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 120 });
    expect(world.launches.map(({ token }) => token)).toEqual([world.token(1)]);
  });
});

describe('a call that was given up after silence', () => {
  it('is told so in the Machine before the next one is made: one that is still on its way is not sent', async () => {
    const { world } = await silentLaunch(temporal, 'given-up', 'nothing');
    expect(world.status.launch).toMatchObject({ attempt: 1, callsGivenUp: 1 });
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.launches).toHaveLength(2);
  });

  it('is told by a workflow without a past, too', async () => {
    const { world } = await silentLaunch(temporal, 'unknown-past', 'nothing');
    await temporal.endAll();
    await temporal.startMachine(world);
    await temporal.until(() => world.status.launch?.callsGivenUp === 2);
  });

  it('keeps the record that somebody took from the status', async () => {
    const { world, handle } = await silentLaunch(temporal, 'wiped', 'instance');
    world.overwrite({ status: {} });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.launch?.token === world.token(1));
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 1200, step: 5 });
    expect(world.instances).toHaveLength(1);
  });
});
