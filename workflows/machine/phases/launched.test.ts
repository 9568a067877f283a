import { describe, expect, it } from '@jest/globals';
import {
  INVALID_TYPE,
  MISMATCH,
  NO_CAPACITY,
  NOT_SENT,
  THROTTLED,
  UNAVAILABLE,
} from '../../../test/workflow/cloud-failures.ts';
import { MachineWorld, type LaunchFate } from '../../../test/workflow/machine-world.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../settings.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;

const isProvisioned = (world: MachineWorld) => () => world.status.phase === 'Provisioned';

function secondsBetweenLaunches({ launches }: MachineWorld): number[] {
  return launches.slice(1).map((call, index) => (call.at - (launches[index]?.at ?? 0)) / 1000);
}

describe('a launch that does not succeed at once', () => {
  it('goes on by itself when capacity comes back, a new attempt each time, no more often than the schedule', async () => {
    const world = new MachineWorld('capacity', temporal.now);
    let exhausted = true;
    world.fateOf = () => (exhausted ? NO_CAPACITY : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InsufficientInstanceCapacity');
    expect(world.status.waiting?.retryClass).toBe('exhausted');
    await temporal.pass(600);
    expect(world.status.phase).toBe('Provisioning');
    exhausted = false;
    await temporal.until(isProvisioned(world), { within: 700, step: 10 });
    const waits = [60, 120, 240, 480];
    expect(world.launches).toHaveLength(waits.length + 1);
    secondsBetweenLaunches(world).forEach((seconds, i) => expect(seconds).toBeGreaterThanOrEqual(waits[i] ?? 600));
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2', 'token-3', 'token-4', 'token-5']);
    expect(world.events.filter((e) => e.reason === 'FailedCreate')).toHaveLength(1);
  });

  it('repeats a throttled call under the same token, which needs no look-up, ever more slowly', async () => {
    const world = new MachineWorld('throttled', temporal.now);
    world.fateOf = (call) => (call <= 4 ? THROTTLED : 'instance');
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 300, step: 2 });
    expect(world.launches.map((c) => c.token)).toEqual(Array(5).fill('token-1'));
    expect(world.launches.map((c) => c.trustToken)).toEqual([undefined, true, true, true, true]);
    secondsBetweenLaunches(world).forEach((seconds, i) => expect(seconds).toBeGreaterThanOrEqual(5 * 2 ** i * 0.75));
  });

  it('looks first after silence, and finds the instance that the silent call had made', async () => {
    const world = new MachineWorld('silent', temporal.now);
    world.fateOf = (call) => (call === 1 ? 'unansweredInstance' : 'instance');
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world));
    expect(world.launches.map((c) => [c.token, c.lookFirst])).toEqual([
      ['token-1', false],
      ['token-1', true],
    ]);
    expect(world.instances).toHaveLength(1);
    expect(world.condition('MachineCreation')?.message).toContain('was found');
  });

  it('does not take a refusal for proof while an earlier call is unanswered: look-ups over the window settle it', async () => {
    const world = new MachineWorld('refused-after-silence', temporal.now);
    world.fateOf = (call) => (['unansweredNothing', NO_CAPACITY] as const)[call - 1] ?? 'instance';
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 900, step: 5 });
    const [, refused, next] = world.launches;
    expect(next).toMatchObject({ token: 'token-2', attempt: 2 });
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(360_000);
    expect(world.called('findInstances')).toBeGreaterThanOrEqual(3);
  });

  it('does not call again under a token that the cloud knows with other parameters', async () => {
    const world = new MachineWorld('mismatch', temporal.now);
    world.fateOf = (call) => (call === 1 ? MISMATCH : 'instance');
    await temporal.startMachine(world);
    await temporal.until(isProvisioned(world), { within: 900, step: 5 });
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2']);
  });

  it('waits for a Secret that is missing, and goes on when it is there', async () => {
    const world = new MachineWorld('secretless', temporal.now);
    world.hasSecret = false;
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'SecretMissing');
    await temporal.pass(120);
    expect(world.launches).toHaveLength(0);
    world.hasSecret = true;
    await temporal.until(isProvisioned(world), { within: 300, step: 5 });
    expect(world.launches).toHaveLength(1);
  });

  it('names the field of an invalid spec and waits, without a timer, until the spec changes', async () => {
    const world = new MachineWorld('invalid', temporal.now);
    world.invalidSpecs.set('spec-1', { field: 'providerSpec.value.zone', message: 'no such zone' });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    expect(world.condition('MachineCreation')?.message).toBe('providerSpec.value.zone: no such zone');
    await temporal.pass(86_400);
    expect(world.called('prepareLaunch')).toBe(1);
    world.change({ specHash: 'spec-2', generation: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(isProvisioned(world));
  });

  it('tries again, seldom, where what is wrong may be mended outside the spec', async () => {
    const world = new MachineWorld('mended-elsewhere', temporal.now);
    world.fateOf = (call) => (call === 1 ? { ...INVALID_TYPE, outsideSpec: true } : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    expect(world.status.waiting?.nextTry).toBeDefined();
    await temporal.until(isProvisioned(world), { within: 700, step: 10 });
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2']);
  });

  it('waits for another spec when the cloud itself calls this one invalid', async () => {
    const world = new MachineWorld('cloud-invalid', temporal.now);
    world.fateOf = (call) => (call === 1 ? INVALID_TYPE : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    await temporal.pass(86_400);
    expect(world.launches).toHaveLength(1);
    world.change({ specHash: 'spec-2', generation: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(isProvisioned(world));
    expect(world.launches.at(-1)?.token).toBe('token-2');
  });
});

/** A machine that comes up in a cloud without tokens, whose first call comes to this. */
async function withoutTokens(name: string, first: LaunchFate): Promise<MachineWorld> {
  const world = new MachineWorld(name, temporal.now);
  world.idempotency = 'lookup';
  world.fateOf = (call) => (call === 1 ? first : 'instance');
  await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 5 });
  return world;
}

function betweenCalls({ launches: [first, second] }: MachineWorld): number {
  return (second?.at ?? 0) - (first?.at ?? 0);
}

const tokens = ({ launches }: MachineWorld) => launches.map((call) => call.token);

describe('a launch in a cloud without tokens', () => {
  it.each([
    ['silence', 'unansweredNothing'],
    ['throttling', THROTTLED],
    ['a server error', UNAVAILABLE],
  ] as const)(
    'is called again after %s only when look-ups over the window proved that it made nothing',
    async (...[what, fate]) => {
      const world = await withoutTokens(`lookup-${what.replaceAll(' ', '-')}`, fate);
      expect(tokens(world)).toEqual(['token-1', 'token-2']);
      expect(world.launches.map(({ lookFirst, trustToken }) => [lookFirst, trustToken])).toEqual([
        [false, undefined],
        [false, undefined],
      ]);
      expect(betweenCalls(world)).toBeGreaterThanOrEqual(CALL_MS + WINDOW_MS);
      expect(world.called('findInstances')).toBeGreaterThanOrEqual(3);
      expect(world.instances).toHaveLength(1);
    },
  );

  it('finds what a call made, however late the cloud shows it, and does not call again', async () => {
    const world = await withoutTokens('lookup-late', { failure: THROTTLED, hiddenForMs: WINDOW_MS });
    expect(tokens(world)).toEqual(['token-1']);
    expect(world.status.instance?.id).toBe('i-lookup-late-1');
    expect(world.condition('MachineCreation')?.message).toContain('was found');
  });

  it('goes on as everywhere after a refusal that proves that its call made nothing', async () => {
    const world = await withoutTokens('lookup-full', NO_CAPACITY);
    expect(tokens(world)).toEqual(['token-1', 'token-2']);
    expect(betweenCalls(world)).toBeLessThan(WINDOW_MS);
    expect(world.called('findInstances')).toBe(0);
  });

  it('is called under the same attempt where it is certain that it was not', async () => {
    const world = await withoutTokens('lookup-not-sent', {
      outcome: 'notCalled',
      because: 'NotSent',
      failure: NOT_SENT,
    });
    expect(tokens(world)).toEqual(['token-1', 'token-1']);
    expect(world.called('findInstances')).toBe(0);
  });

  it('says while it waits that it is settled by look-ups only, and why', async () => {
    const world = new MachineWorld('lookup-says', temporal.now);
    world.idempotency = 'lookup';
    world.fateOf = () => UNAVAILABLE;
    await temporal.startMachine(world);
    const why = 'settled by look-ups only, because a repeat would be a new call to this cloud';
    await temporal.until(() => world.status.waiting?.message.includes(why) === true);
  });
});

describe('a launch that was prepared for a cloud with tokens, which has none by now', () => {
  const failure = { ...UNAVAILABLE, code: 'FailedPrecondition', message: 'every call is a new one by now' } as const;
  const notAsPrepared = { outcome: 'notCalled', because: 'NotAsPrepared', failure } as const;

  it('is prepared anew while nobody called', async () => {
    const world = new MachineWorld('anew', temporal.now);
    world.fateOf = (call) => (call === 1 ? notAsPrepared : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(tokens(world)).toEqual(['token-1', 'token-1']);
    expect(world.called('prepareLaunch')).toBe(2);
  });

  it('is settled by look-ups where a call may have taken effect', async () => {
    const world = new MachineWorld('settled', temporal.now);
    world.fateOf = (call) => (['unansweredNothing', notAsPrepared] as const)[call - 1] ?? 'instance';
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 5 });
    expect(tokens(world)).toEqual(['token-1', 'token-1', 'token-2']);
    expect((world.launches[2]?.at ?? 0) - (world.launches[0]?.at ?? 0)).toBeGreaterThanOrEqual(CALL_MS + WINDOW_MS);
  });
});

it('a machine of a cloud without zones and types comes up, and nothing speaks of them', async () => {
  const world = new MachineWorld('metal', temporal.now);
  world.hasPlacement = false;
  await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  expect(world.events.map(({ message }) => message)).toContain('Created instance i-metal-1');
  expect(JSON.stringify(world.status)).not.toContain('undefined');
});
