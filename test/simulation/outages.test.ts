import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import { safetyWorkflowId } from '../../workflows/ids.ts';
import { CALM } from './adversary/disturbances.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { START, Universe } from './universe.ts';

let universe: Universe | undefined;
// The first one of a process bundles the workflows.
beforeAll(async () => (await cluster(0)).universe.end(), 120_000);
afterEach(() => universe?.end());

interface Told {
  readonly from: string;
  readonly until?: string;
  readonly unwatched?: true;
}

/** A quiet cluster, and what its safety workflow knows. */
async function cluster(watchers: number) {
  const made = await Universe.create({
    seed: 'outages',
    weather: CALM,
    assumptions: ASSUMPTIONS,
    cloud: 'tokens',
    workers: 1,
    watchers,
    longHistory: 4096,
    hasCredentials: false,
    allows: () => true,
    onBroken: (_task, { message }) => {
      throw new Error(message ?? 'a workflow broke');
    },
  });
  universe = made;
  let now = 0;
  const pass = async (seconds: number): Promise<void> => {
    now += seconds;
    await made.agenda.runUntil(START + now * 1000);
  };
  /** A process cannot reach the API server for so many seconds. */
  const cut = (name: string, seconds: number): void => {
    const process = made.watchers.get(name);
    if (process !== undefined) made.adversary.cut(process, 'kube', seconds * 1000);
  };
  const told = async (): Promise<Told[]> => {
    const run = made.temporal.require(safetyWorkflowId(made.clusterUid));
    const payload = await made.temporal.query(run, 'outages');
    return fromPayloadsAtIndex<Told[]>(defaultPayloadConverter, 0, [payload]);
  };
  const seconds = (at: string): number => (Date.parse(at) - START) / 1000;
  const timesOf = ({ from, until }: Told): readonly [from: number, until: number | undefined] => [
    seconds(from),
    until === undefined ? undefined : seconds(until),
  ];
  /** Seconds from the start. */
  const outages = async () => (await told()).filter((each) => each.unwatched !== true).map(timesOf);
  /** Likewise of a time in which no watcher was at work. */
  const unwatched = async () => (await told()).filter((each) => each.unwatched === true).map(timesOf);
  return { universe: made, pass, cut, outages, unwatched };
}

it('the safety workflow runs, and knows of no outage where there was none', async () => {
  const { pass, outages, unwatched } = await cluster(2);
  await pass(3600);
  expect(await outages()).toEqual([]);
  expect(await unwatched()).toEqual([]);
});

it('an outage is known while it lasts, and its end when the API server answers again', async () => {
  const { pass, cut, outages } = await cluster(1);
  await pass(100);
  cut('watcher-1', 120);
  await pass(60);
  const [[from, lasting] = []] = await outages();
  expect(from).toBeGreaterThan(90);
  expect(from).toBeLessThanOrEqual(100);
  expect(lasting).toBeUndefined();
  await pass(120);
  const known = await outages();
  expect(known).toHaveLength(1);
  const [[since, until] = []] = known;
  expect(since).toBe(from);
  expect(until).toBeGreaterThan(219);
  expect(until).toBeLessThan(240);
});

it('an outage that a watcher told, and whose end it did not live to see, ends with the next watcher', async () => {
  const { universe: made, pass, cut, outages } = await cluster(1);
  await pass(100);
  cut('watcher-1', 600);
  await pass(60);
  expect(await outages()).toMatchObject([[expect.any(Number), undefined]]);
  // It is started again, and reaches the API server.
  made.watchers.get('watcher-1')?.die();
  cut('watcher-1', 0);
  await pass(120);
  const [[, until] = []] = await outages();
  expect(until).toBeGreaterThan(160);
});

it('a time of 15 seconds or more in which no watcher was at work is known as such, and is none in which the API server was away', async () => {
  const { universe: made, pass, outages, unwatched } = await cluster(1);
  await pass(100);
  const dies = async (): Promise<readonly [died: number, began: number]> => {
    const died = (made.agenda.now - START) / 1000;
    const before = made.watchers.get('watcher-1');
    before?.die();
    while (made.watchers.get('watcher-1') === before) await pass(0.1);
    const began = (made.agenda.now - START) / 1000;
    await pass(60);
    return [died, began];
  };
  const [diedFirst, beganFirst] = await dies();
  expect(beganFirst - diedFirst).toBeLessThan(15);
  expect(await unwatched()).toEqual([]);
  let [died, began] = [diedFirst, beganFirst];
  for (let times = 0; times < 50; times += 1) {
    [died, began] = await dies();
    if (began - died > 20) break;
  }
  expect(began - died).toBeGreaterThan(20);
  const [[from, until] = []] = await unwatched();
  // It renewed its Lease every four seconds; the API server's times have whole seconds.
  expect(from).toBeGreaterThan(died - 6);
  expect(from).toBeLessThanOrEqual(died + 1);
  expect(until).toBeCloseTo(began, 0);
  expect(await outages()).toEqual([]);
});
