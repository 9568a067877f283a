import { describe, expect, it } from '@jest/globals';
import { delay } from '../providers/clock.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { hung, type CloudRequest } from '../test/world/world-cloud.ts';
import { World } from '../test/world/world.ts';

/** What a cloud may keep a workflow task waiting, in milliseconds. */
const MOST_MS = 2000;
/** What the activity's reads of Kubernetes may take besides, in milliseconds. */
const READS_MS = 20;
/** What it may where it is known not to answer, in milliseconds. */
const SLOW_MS = 100;
const NOT_YET = { outcome: 'failed', failure: { code: 'Unavailable', cloudCode: 'CloudNotAnswering' } };

/** A Machine with its instance, and one that has none. */
async function worldOfTwo() {
  const world = new World(ownClock());
  const { cloud, clock } = world;
  const loadBalancers = [{ name: 'front', type: 'simulated' }];
  const { target, id } = await world.addLaunched({ launch: { parameters: { loadBalancers } } });
  const fresh = world.addMachine({ name: 'fresh' });
  return {
    world,
    cloud,
    hang: (isMeant: (request: CloudRequest) => boolean = () => true) => void (cloud.onRequest = hung(isMeant)),
    /** The cloud takes so long for each answer. */
    slow: (ms: number) => {
      cloud.onRequest = async (_request, carryOut) => {
        await delay(clock, ms);
        return carryOut();
      };
    },
    /** The answer, and how long it took in milliseconds. */
    timed: async <T>(answer: Promise<T>): Promise<readonly [T, number]> => {
      const startedAt = clock.now();
      return [await answer, clock.now() - startedAt];
    },
    look: (of = { ...target, id }) => world.run((own) => own.lookAtInstance(of)),
    end: (of = { ...target, id }, lookAfterMs = 10) =>
      world.run((own) => own.terminateInstance({ ...of, isKnownOwn: true, lookAfterMs })),
    detach: () => world.run((own) => own.detachLoadBalancers({ ...target, id })),
    endSurplus: () => world.run((own) => own.endSurplusInstance({ ...target, id: 'i-00000000000000002', keep: id })),
    lookForLeftover: () => {
      const credentials = { namespace: 'default', region: 'sim-1' };
      return world.run((own) => own.lookAtLeftover({ ...target, id, cloud: { provider: 'simulated', credentials } }));
    },
    find: () => world.run((own) => own.findInstances({ ...fresh, clusterName: 'c1', token: 't' })),
    prepare: (of = fresh) => {
      const status = { addresses: [], conditions: [] };
      return world.run((own) => own.prepareLaunch({ ...of, attempt: 1, replace: false, status }));
    },
  };
}

type It = Awaited<ReturnType<typeof worldOfTwo>>;

describe('a cloud that hangs keeps no workflow task waiting for longer than two seconds', () => {
  it.each<[string, CloudRequest['action'], (it: It) => Promise<unknown>]>([
    ['look at an instance', 'describe', ({ look }) => look()],
    ['termination', 'terminate', ({ end }) => end()],
    ['detachment from load balancers', 'deregister', ({ detach }) => detach()],
    ['termination of an instance too many', 'describe', ({ endSurplus }) => endSurplus()],
    ['look-up by uid and token', 'describe', ({ find }) => find()],
    ['preparation of a launch', 'catalog', ({ prepare }) => prepare()],
  ])('in a %s', async (_what, hanging, run) => {
    const it = await worldOfTwo();
    it.hang(({ action }) => action === hanging);
    const [answer, tookMs] = await it.timed(run(it));
    expect(answer).toMatchObject(NOT_YET);
    expect(tookMs).toBe(MOST_MS + READS_MS);
  });

  it('in all that is asked of it one after the other, as in one task: the first wait counts for the others', async () => {
    const it = await worldOfTwo();
    it.hang();
    const { look, find, endSurplus, detach, prepare } = it;
    const asked = [look, find, endSurplus, detach, prepare];
    const [answers, tookMs] = await it.timed(
      (async () => {
        const all: unknown[] = [];
        for (const ask of asked) all.push(await ask());
        return all;
      })(),
    );
    expect(answers).toMatchObject(asked.map(() => NOT_YET));
    expect(tookMs).toBeLessThan(MOST_MS + asked.length * (SLOW_MS + READS_MS));
  });

  it('again after a spec was resolved by what is remembered: that tells nothing of the cloud', async () => {
    const { world, hang, look, prepare, cloud, timed } = await worldOfTwo();
    await prepare();
    expect(cloud.asked('catalog')).toHaveLength(1);
    hang();
    await look();
    const other = world.addMachine({ name: 'other' });
    expect(await prepare(other)).toMatchObject({ outcome: 'prepared', found: false });
    expect(cloud.asked('catalog')).toHaveLength(1);
    const [, tookMs] = await timed(look());
    expect(tookMs).toBeLessThan(MOST_MS / 2);
  });

  it('in a look whose doubt it does not answer', async () => {
    const { world, cloud, hang, look, timed } = await worldOfTwo();
    await world.addLaunched({ name: 'other' });
    for (const { id } of cloud.instances) cloud.vanish(id);
    hang(({ filters }) => (filters?.instanceIds?.length ?? 0) > 1);
    const [answer, tookMs] = await timed(look());
    expect(answer).toMatchObject(NOT_YET);
    expect(tookMs).toBe(MOST_MS + READS_MS);
  });

  it.each([1000, 5000])(
    'in the look %i ms after a termination: what the cloud said of that counts',
    async (afterMs) => {
      const { cloud, hang, end, timed } = await worldOfTwo();
      cloud.behave({ terminateMs: 60_000 });
      hang(({ action }) => action === 'describe');
      const [answer, tookMs] = await timed(end(undefined, afterMs));
      expect(answer).toEqual({ outcome: 'asked', state: 'shutting-down' });
      expect(tookMs).toBeLessThanOrEqual(MOST_MS + READS_MS);
    },
  );

  it('in the look at what a vanished Machine left, which is tried again by a timer', async () => {
    const { hang, lookForLeftover, timed } = await worldOfTwo();
    hang();
    const [answer, tookMs] = await timed(lookForLeftover().catch((error: unknown) => error));
    expect(answer).toMatchObject({ type: 'Unavailable', nextRetryDelay: 6000 });
    expect(tookMs).toBe(MOST_MS);
  });
});

describe('a cloud that takes its time', () => {
  it('answers the look that is repeated, without a call of its own, and says how old that is', async () => {
    const { world, cloud, slow, look } = await worldOfTwo();
    for (const { id } of cloud.instances) cloud.vanish(id);
    slow(3000);
    const askedAt = world.clock.now();
    expect(await look()).toMatchObject(NOT_YET);
    await world.clock.goAhead(2500);
    const agoMs = world.clock.now() - askedAt;
    expect(agoMs).toBeGreaterThanOrEqual(4500);
    expect(await look()).toEqual({ outcome: 'absent', agoMs });
    expect(cloud.asked('describe')).toHaveLength(1);
  });

  it('is asked for a termination once: who asks again gets the answer', async () => {
    const { world, cloud, slow, end } = await worldOfTwo();
    cloud.behave({ terminateMs: 60_000 });
    slow(3000);
    expect(await end()).toMatchObject(NOT_YET);
    await world.clock.goAhead(2500);
    slow(0);
    expect(await end()).toEqual({ outcome: 'asked', state: 'shutting-down' });
    expect(cloud.asked('terminate')).toHaveLength(1);
  });

  it('keeps hardly anybody waiting once it is known to', async () => {
    const { world, hang, look, end, timed } = await worldOfTwo();
    const { target, id } = await world.addLaunched({ name: 'other' });
    hang();
    await look();
    for (const ask of [look, end]) {
      const [answer, tookMs] = await timed<unknown>(ask({ ...target, id }));
      expect(answer).toMatchObject(NOT_YET);
      expect(tookMs).toBeLessThan(MOST_MS / 2);
    }
  });
});
