import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { NO_CAPACITY, NOT_SENT, THROTTLED, UNAVAILABLE } from './cloud-failures.ts';
import { MachineWorld, type LaunchFate } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;

/** A machine that comes up in a cloud without tokens, whose first call comes to this. */
async function launched(name: string, first: LaunchFate): Promise<MachineWorld> {
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
      const world = await launched(`lookup-${what.replaceAll(' ', '-')}`, fate);
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
    const world = await launched('lookup-late', { failure: THROTTLED, hiddenForMs: WINDOW_MS });
    expect(tokens(world)).toEqual(['token-1']);
    expect(world.status.instance?.id).toBe('i-lookup-late-1');
    expect(world.condition('MachineCreation')?.message).toContain('was found');
  });

  it('goes on as everywhere after a refusal that proves that its call made nothing', async () => {
    const world = await launched('lookup-full', NO_CAPACITY);
    expect(tokens(world)).toEqual(['token-1', 'token-2']);
    expect(betweenCalls(world)).toBeLessThan(WINDOW_MS);
    expect(world.called('findInstances')).toBe(0);
  });

  it('is called under the same attempt where it is certain that it was not', async () => {
    const world = await launched('lookup-not-sent', { outcome: 'notCalled', because: 'NotSent', failure: NOT_SENT });
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
