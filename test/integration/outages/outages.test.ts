import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../until.ts';
import { Fleet, prepareTypes } from './fleet.ts';
import { startOutageStack, type OutageStack } from './outage-stack.ts';
import { rollsThrough, troubles } from './rolls.ts';

/** How long a server is away, in milliseconds. */
const SHORT_MS = 5000;
const LONG_MS = 30_000;
/** Of one test, in milliseconds: the fleet's way up, the outage, and what comes after. */
const TEST_MS = 240_000;
const ROLL_MS = 720_000;

let outages: OutageStack;

beforeAll(async () => {
  outages = await startOutageStack();
  await prepareTypes(outages);
}, 180_000);

afterAll(async () => {
  await outages?.end();
}, 60_000);

afterEach(() => {
  expect(outages.unexpectedExits).toEqual([]);
});

describe('20 machines are rolled with 3 besides: no budget is violated, the ledger never shows more than 23, and at the end 20 new ones,', () => {
  test.each(troubles().map(([words, trouble], n) => ({ words, trouble, namespace: `rolled-${n + 1}` })))(
    'while $words',
    ({ trouble, namespace }) => rollsThrough(outages, namespace, trouble),
    ROLL_MS,
  );
});

describe('while ten machines run and ten provision, all twenty end Running, none doubled and none touched,', () => {
  test(
    'when Temporal is killed and comes back',
    () =>
      survives('temporal-killed', async () => {
        await outages.stack.kill('temporal');
        await delay(SHORT_MS);
        await outages.stack.restart('temporal');
      }),
    TEST_MS,
  );

  test(
    'when Temporal comes back with its database lost',
    () =>
      survives('temporal-lost', async () => {
        const { stack } = outages;
        await stack.kill('temporal');
        for (const suffix of ['', '-wal', '-shm'])
          await rm(`${stack.files.temporalDatabase}${suffix}`, { force: true });
        await stack.restart('temporal');
      }),
    TEST_MS,
  );

  test(
    'when the API server is away for 30 seconds',
    () =>
      survives('api-server-away', async () => {
        await outages.stack.kill('kube-apiserver');
        await delay(LONG_MS);
        await outages.stack.restart('kube-apiserver');
      }),
    TEST_MS,
  );

  test(
    'when the cloud is away for 30 seconds',
    () =>
      survives('cloud-away', async () => {
        await outages.stack.kill('simulated-cloud');
        await delay(LONG_MS);
        await outages.stack.restart('simulated-cloud');
      }),
    TEST_MS,
  );

  test(
    'when the cloud answers nothing for 30 seconds, in which more machines are asked for',
    () =>
      survives('cloud-silent', async (fleet) => {
        await outages.silenceCloud(LONG_MS);
        await fleet.create('during', 5);
        await delay(LONG_MS);
      }),
    TEST_MS,
  );

  test(
    'when the watcher is killed, and what was asked for meanwhile is done when it is back',
    () =>
      survives('watcher-killed', async (fleet) => {
        await fleet.create('leaving', 1);
        const [leaving] = await until(
          'leaving-1 has an instance',
          () => fleet.machines('leaving'),
          ([machine]) => machine?.spec.providerID !== undefined,
        );
        await outages.stack.kill('watcher');
        await fleet.create('during', 2);
        await fleet.delete('leaving-1');
        await delay(SHORT_MS);
        const phases = (await fleet.machines('during')).map(({ status }) => status?.phase);
        expect(phases).toEqual([undefined, undefined]);
        await outages.stack.restart('watcher');
        await until(
          'leaving-1 is gone',
          () => fleet.machines('leaving'),
          (machines) => machines.length === 0,
        );
        const { instances } = await outages.readLedger();
        expect(instances.filter(({ machine }) => machine === leaving?.metadata.uid)).toMatchObject([
          { state: 'terminated' },
        ]);
      }),
    TEST_MS,
  );

  test(
    'when the worker is killed and started again',
    () =>
      survives('worker-killed', async () => {
        await outages.stack.kill('worker');
        await outages.stack.restart('worker');
      }),
    TEST_MS,
  );
});

/** Twenty machines, the outage, and what must hold after it. */
async function survives(namespace: string, outage: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await Fleet.bringUp(outages, namespace);
  const before = await fleet.traces('running');
  await outage(fleet);
  await fleet.untilAllRun();
  expect(await fleet.traces('running')).toEqual(before);
  expect(await fleet.doubles()).toEqual([]);

  // And life goes on: who comes after the outage is served as before.
  await fleet.create('after', 1);
  await fleet.untilAllRun(15_000);
}
