import { describe, expect, it } from '@jest/globals';
import type { SimulatedBehaviour, SimulatedFailure } from '../../../devstack/doubles/cloud/json-front/behaviour.ts';
import { ProviderError } from '../../../providers/provider-error.ts';
import { aUserDataSecret } from '../../../test/world/builders/a-secret.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { notSent } from '../../../test/world/world-cloud.ts';
import { diesAfter } from '../../../test/world/world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../settings.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;

const isProvisioned = (world: MachineWorld) => () => world.status.phase === 'Provisioned';

/** When it was launched, in milliseconds. */
const launchTimes = ({ launches }: MachineWorld) => launches.map(({ at }) => Date.parse(at));

function secondsBetweenLaunches(world: MachineWorld): number[] {
  const times = launchTimes(world);
  return times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1000);
}

/** The attempts whose tokens the cloud was sent, in their order. */
function attempts(world: MachineWorld): number[] {
  return world.launches.map(({ token }) => [1, 2, 3, 4, 5, 6].find((n) => world.token(n) === token) ?? 0);
}

/** What the spec names does not exist yet. */
const notMadeYet = new ProviderError('InvalidArgument', 'there is no image of this name yet', {
  cloudCode: 'InvalidImageID.NotFound',
  field: 'providerSpec.value.image',
  outsideSpec: true,
  provesNoInstance: true,
});

describe('a launch that does not succeed at once', () => {
  it('goes on by itself when capacity comes back, a new attempt each time, no more often than the schedule', async () => {
    const world = new MachineWorld('capacity', temporal.clock);
    world.cloud.behave({ capacity: 0 });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InsufficientInstanceCapacity');
    expect(world.status.waiting?.retryClass).toBe('exhausted');
    expect(world.status.waiting?.retryClass).toBe('exhausted');
    await temporal.pass(600);
    expect(world.status.phase).toBe('Provisioning');
    world.cloud.behave({});
    await temporal.until(isProvisioned(world), { within: 700, step: 10 });
    const waits = [60, 120, 240, 480];
    expect(world.launches).toHaveLength(waits.length + 1);
    secondsBetweenLaunches(world).forEach((seconds, i) => expect(seconds).toBeGreaterThanOrEqual(waits[i] ?? 600));
    expect(attempts(world)).toEqual([1, 2, 3, 4, 5]);
    expect(world.events.filter((e) => e.reason === 'FailedCreate')).toHaveLength(1);
  });

  it('repeats a throttled call under the same token, which needs no look-up, ever more slowly', async () => {
    const world = new MachineWorld('throttled', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'RequestLimitExceeded', times: 4 });
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 300, step: 2 });
    expect(attempts(world)).toEqual([1, 1, 1, 1, 1]);
    expect(world.cloud.calls('describe')).toEqual([]);
    secondsBetweenLaunches(world).forEach((seconds, i) => expect(seconds).toBeGreaterThanOrEqual(5 * 2 ** i * 0.75));
  });

  it('looks first after silence, and finds the instance that the silent call had made', async () => {
    const world = new MachineWorld('silent', temporal.clock);
    world.onActivity = diesAfter('launchInstance');
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world));
    expect([attempts(world), world.instances]).toEqual([[1], [expect.anything()]]);
    expect(world.lookUps).not.toEqual([]);
    expect(world.condition('MachineCreation')?.message).toContain('was found');
  });

  it('does not take a refusal for proof while an earlier call is unanswered: look-ups over the window settle it', async () => {
    const world = new MachineWorld('refused-after-silence', temporal.clock);
    world.cloud.fail(
      { action: 'launch', answer: 'reset', times: 1 },
      { action: 'launch', code: 'InsufficientInstanceCapacity', times: 1 },
    );
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 900, step: 5 });
    const [, refused = NaN, next = NaN] = launchTimes(world);
    expect(attempts(world)).toEqual([1, 1, 2]);
    expect(next - refused).toBeGreaterThanOrEqual(360_000);
    expect(world.lookUps.length).toBeGreaterThanOrEqual(3);
  });

  it('does not call again under a token that the cloud knows with other parameters', async () => {
    const world = new MachineWorld('mismatch', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'IdempotentParameterMismatch', times: 1 });
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 900, step: 5 });
    expect(attempts(world)).toEqual([1, 2]);
  });

  it('waits for a Secret that is missing, and goes on when it is there', async () => {
    const world = new MachineWorld('secretless', temporal.clock);
    await world.setSpec({ userDataSecret: { name: 'user-data' } });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'SecretMissing');
    await temporal.pass(120);
    expect(world.launches).toHaveLength(0);
    world.kube.put(aUserDataSecret('user-data'));
    await temporal.until(isProvisioned(world), { within: 300, step: 5 });
    expect(world.launches).toHaveLength(1);
  });

  it('names the field of an invalid spec and waits, without a timer, until the spec changes', async () => {
    const world = new MachineWorld('invalid', temporal.clock);
    await world.setSpec({ zone: 'zone-x' });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    expect(world.condition('MachineCreation')?.message).toContain('providerSpec.value.zone: "zone-x" does not exist');
    const asked = world.requests.length;
    await temporal.pass(86_400);
    expect([world.requests.length, world.launches]).toEqual([asked, []]);
    await world.setSpec({ zone: 'zone-b' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(isProvisioned(world));
  });

  it('tries again, seldom, where what is wrong may be mended outside the spec', async () => {
    const world = new MachineWorld('mended-elsewhere', temporal.clock);
    world.cloud.onRequest = async ({ action }, carryOut) => {
      const answer = await carryOut();
      if (action === 'launch' && world.launches.length === 1) throw notMadeYet;
      return answer;
    };
    world.cloud.fail({ action: 'launch', code: 'InvalidParameterValue', times: 1 });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    expect(world.status.waiting?.nextTry).toBeDefined();
    await temporal.until(isProvisioned(world), { within: 700, step: 10 });
    expect(attempts(world)).toEqual([1, 2]);
  });

  it('waits for another spec when the cloud itself calls this one invalid', async () => {
    const world = new MachineWorld('cloud-invalid', temporal.clock);
    world.cloud.fail({ action: 'launch', code: 'InvalidInstanceType', times: 1 });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    await temporal.pass(86_400);
    expect(world.launches).toHaveLength(1);
    await world.setSpec({ instanceType: 'sim.large' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(isProvisioned(world));
    expect(attempts(world)).toEqual([1, 2]);
  });
});

/** A machine that comes up in a cloud without tokens, where some calls fail. */
async function withoutTokens(name: string, behaviour: SimulatedBehaviour): Promise<MachineWorld> {
  const world = new MachineWorld(name, temporal.clock, { tokens: false });
  world.cloud.behave(behaviour);
  await temporal.startMachine(world);
  await temporal.until(isProvisioned(world), { within: 2400, step: 5 });
  return world;
}

function betweenCalls(world: MachineWorld): number {
  const [first = NaN, second = NaN] = launchTimes(world);
  return second - first;
}

/** The attempt that its instance is of. */
const attemptOf = ({ status }: MachineWorld) => status.launch?.attempt;

describe('a launch in a cloud without tokens', () => {
  it.each<[string, SimulatedFailure]>([
    ['silence', { action: 'launch', answer: 'hang', times: 1 }],
    ['throttling', { action: 'launch', code: 'RequestLimitExceeded', times: 1 }],
    ['a server error', { action: 'launch', code: 'ServiceUnavailable', times: 1 }],
  ])(
    'is called again after %s only when look-ups over the window proved that it made nothing',
    async (...[, failure]) => {
      const world = await withoutTokens('lookup', { failures: [failure] });
      expect([world.launches.length, attemptOf(world)]).toEqual([2, 2]);
      expect(betweenCalls(world)).toBeGreaterThanOrEqual(CALL_MS + WINDOW_MS);
      expect(world.lookUps.length).toBeGreaterThanOrEqual(3);
      expect(world.instances).toHaveLength(1);
    },
  );

  it('finds what a call made, however late the cloud shows it, and does not call again', async () => {
    const failures: SimulatedFailure[] = [{ action: 'launch', when: 'after', code: 'RequestLimitExceeded', times: 1 }];
    const world = await withoutTokens('lookup-late', { failures, visibleAfterMs: WINDOW_MS });
    expect([world.launches.length, attemptOf(world)]).toEqual([1, 1]);
    expect(world.status.instance?.id).toBe(world.instanceId);
    expect(world.condition('MachineCreation')?.message).toContain('was found');
  });

  it('goes on as everywhere after a refusal that proves that its call made nothing', async () => {
    const failures: SimulatedFailure[] = [{ action: 'launch', code: 'InsufficientInstanceCapacity', times: 1 }];
    const world = await withoutTokens('lookup-full', { failures });
    expect([world.launches.length, attemptOf(world)]).toEqual([2, 2]);
    expect(betweenCalls(world)).toBeLessThan(WINDOW_MS);
    // Before each call, since Temporal may have forgotten one.
    expect(world.lookUps).toHaveLength(2);
  });

  it('is called under the same attempt where it is certain that it was not', async () => {
    const world = new MachineWorld('lookup-not-sent', temporal.clock, { tokens: false });
    world.cloud.onRequest = notSent('launch', { times: 1, cloudCode: 'AwaitingTurn', retryAfterMs: 20_000 });
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 120 });
    expect([world.launches.length, attemptOf(world)]).toEqual([1, 1]);
  });

  it('says while it waits that it is settled by look-ups only, and why', async () => {
    const world = new MachineWorld('lookup-says', temporal.clock, { tokens: false });
    world.cloud.fail({ action: 'launch', code: 'ServiceUnavailable' });
    await temporal.startMachine(world);
    const why = 'settled by look-ups only, because a repeat would be a new call to this cloud';
    await temporal.until(() => world.status.waiting?.message.includes(why) === true);
  });
});
