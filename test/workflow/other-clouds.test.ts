import { expect, describe, it } from '@jest/globals';
import { CLUSTER_LABEL } from '../../k8s/dialects/openshift/labels.ts';
import type { Instance, Provider } from '../../providers/provider.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { MachineWorld } from '../world/machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const CALL_MS = DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds * 1000;
const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.consistencyWindowSeconds * 1000;

const tokens = ({ launches }: MachineWorld) => launches.map((call) => call.token);

/** When this activity was done for the first time, a worker takes over to which every launch is a call of its own. */
function withoutTokensAfter(world: MachineWorld, activity: string): void {
  let isDone = false;
  world.onActivity = async (name, run) => {
    const answer = await run();
    if (name === activity && !isDone) {
      isDone = true;
      world.replaceWorker({ ...world.cloud.provider, idempotency: 'lookup' });
    }
    return answer;
  };
}

describe('a launch that was prepared for a cloud with tokens, which has none by now', () => {
  it('is prepared anew while nobody called', async () => {
    const world = new MachineWorld('anew', temporal.clock);
    const prepared: unknown[] = [];
    world.onRequest = async ({ verb, subresource }, carryOut) => {
      const before = world.status.launch?.idempotency;
      const answer = await carryOut();
      const { launch } = world.status;
      if (verb === 'apply' && subresource === 'status' && launch?.idempotency !== before) {
        prepared.push([launch?.token, launch?.idempotency, world.launches.length]);
      }
      return answer;
    };
    withoutTokensAfter(world, 'prepareLaunch');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned');
    expect(prepared).toEqual([
      [world.token(1), 'token', 0],
      [world.token(1), 'lookup', 0],
    ]);
    expect(tokens(world)).toEqual([world.token(1)]);
  });

  it('is settled by look-ups where a call may have taken effect', async () => {
    const world = new MachineWorld('settled', temporal.clock);
    world.cloud.fail({ action: 'launch', answer: 'reset', times: 1 });
    withoutTokensAfter(world, 'launchInstance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 2400, step: 5 });
    expect(tokens(world)).toEqual([world.token(1), world.token(2)]);
    const [first = NaN, second = NaN] = world.launches.map(({ at }) => Date.parse(at));
    expect(second - first).toBeGreaterThanOrEqual(CALL_MS + WINDOW_MS);
  });
});

/** The same cloud, as one that has neither regions, zones nor types. */
function withoutPlacement(provider: Provider): Provider {
  const bare = ({ region: _region, zone: _zone, instanceType: _type, ...instance }: Instance): Instance => instance;
  return {
    ...provider,
    resolve: async (request) => {
      const { zone: _zone, instanceType: _type, ...parameters } = await provider.resolve(request);
      return parameters;
    },
    launch: async ({ parameters, ...request }, signal) => {
      const placed = { ...parameters, zone: 'zone-a', instanceType: 'sim.small' };
      return bare(await provider.launch({ ...request, parameters: placed }, signal));
    },
    describe: async (...args) => (await provider.describe(...args)).map(bare),
  };
}

it('a machine of a cloud without zones and types comes up, and nothing speaks of them', async () => {
  const world = new MachineWorld('metal', temporal.clock);
  world.replaceWorker(withoutPlacement(world.cloud.provider));
  await temporal.startMachine(world);
  await temporal.until(() => world.status.phase === 'Provisioned');
  expect(world.events.map(({ message }) => message)).toContain(`Created instance ${world.instanceId}`);
  expect(JSON.stringify(world.object)).not.toContain('undefined');
  expect(world.object?.metadata.labels).toEqual({ set: 'workers', [CLUSTER_LABEL]: 'c1' });
});
