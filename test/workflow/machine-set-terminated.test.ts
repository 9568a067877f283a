import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
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
  const { kube, start } = realMachineSet(temporal, 'terminated', { replicas: 0 });
  for (let i = 0; i < 1000; i += 1) kube.add(`m-${i}`);
  kube.onRequest = ({ verb }) => (verb === 'list' ? delay(LOOK_MS).then(() => undefined) : undefined);
  const handle = await start();
  while (kube.living.length === 1000) await delay(20);
  await handle.terminate('a person wants it to stop');
  await delay(3000);
  const left = kube.living.length;
  expect(left).toBeGreaterThan(300);
  await delay(1500);
  expect(kube.living).toHaveLength(left);
}, 60_000);
