import { expect, describe, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { UNAVAILABLE } from './cloud-failures.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;

const tokens = ({ launches }: MachineWorld) => launches.map((call) => call.token);

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
