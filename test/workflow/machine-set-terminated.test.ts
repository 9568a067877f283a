import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { before } from '../world/kubernetes/request.ts';
import { realMachineSet } from './real-machine-set.ts';
import { Temporal } from './temporal.ts';

let temporal: Temporal;
beforeAll(async () => {
  temporal = await Temporal.inRealTime();
}, 600_000);
afterAll(() => temporal.stop());

/** How long a look takes here, in milliseconds. */
const LOOK_MS = 300;

it('stops deleting soon after its workflow was terminated, of which only a heartbeat tells', async () => {
  const { world, start } = realMachineSet(temporal, 'terminated', { replicas: 0 });
  for (let i = 0; i < 1000; i += 1) world.add(`m-${i}`);
  world.onRequest = before({ verb: 'list' }, () => delay(LOOK_MS));
  const handle = await start();
  while (world.living.length === 1000) await delay(20);
  await handle.terminate('a person wants it to stop');
  await delay(3000);
  const left = world.living.length;
  expect(left).toBeGreaterThan(300);
  await delay(1500);
  expect(world.living).toHaveLength(left);
}, 60_000);
