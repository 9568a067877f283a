import { describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { aLaunch } from '../test/world/builders/a-launch.ts';
import { straight } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { hung, refused, WorldCloud, type CloudPassage } from '../test/world/world-cloud.ts';
import { delay, type Clock } from './clock.ts';
import { guardProvider, type GuardedCalls, type GuardOptions } from './guarded-provider.ts';
import { ProviderError } from './provider-error.ts';
import type { Credentials, Provider } from './provider.ts';

const NEAR: Credentials = { namespace: 'ns', secretName: 'near' };
const FAR: Credentials = { namespace: 'ns', secretName: 'far' };
/** There is none of that id. */
const ID = 'i-00000000000000001';
const FAR_HANGS = hung(({ bearer }) => bearer === 'far');

/** A guarded cloud, in time that passes only while something is waited for. */
function guardedCloud(options: GuardOptions = {}) {
  const clock = ownClock(undefined, () => 0);
  const readSecret = async (_namespace: string, name: string) => ({ token: Buffer.from(name) });
  const cloud = new WorldCloud({ clock, readSecret });
  const turns: string[] = [];
  const notSent: string[] = [];
  const provider = guardProvider(cloud.provider, clock, {
    onBreaker: ({ credentials, group }: GuardedCalls, isOpen) =>
      turns.push(`${credentials.secretName ?? ''} ${group} ${isOpen ? 'open' : 'closed'}`),
    onNotSent: (_name, operation) => notSent.push(operation),
    ...options,
  });
  return { clock, cloud, provider, turns, notSent };
}

const machine = { namespace: 'ns', name: 'm', uid: 'u' };
const owner = { clusterName: 'c1', clusterUid: 'this', ...machine };
const launchIn = (credentials: Credentials) => ({
  owner,
  token: 't',
  parameters: aLaunch(machine, { parameters: { credentials } }).parameters,
});
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => fail(),
    (error: ProviderError) => error,
  );

function fail(): never {
  throw new Error('it was answered');
}

describe('a provider whose cloud hangs', () => {
  it('is not asked any more after three time-outs, says when it is next, and only with those credentials', async () => {
    const { clock, cloud, provider, turns, notSent } = guardedCloud();
    cloud.onRequest = FAR_HANGS;
    for (let call = 0; call < 3; call += 1) await failureOf(provider.describe(FAR, [ID]));
    const refusal = await failureOf(provider.describe(FAR, [ID]));
    expect(refusal).toMatchObject({ code: 'Unavailable', retryClass: 'soon' });
    expect(refusal.details).toEqual({ cloudCode: 'CloudNotAnswering', retryAfterMs: 30_000, notSent: true });
    expect(cloud.asked('describe')).toHaveLength(3);
    expect(await provider.describe(NEAR, [ID])).toEqual([]);
    expect([turns, notSent]).toEqual([['far looks open'], ['describe']]);

    await clock.goAhead(30_000);
    cloud.onRequest = straight;
    expect(await provider.describe(FAR, [ID])).toEqual([]);
    expect(turns).toEqual(['far looks open', 'far looks closed']);
  });

  it('is told of a launch that it never left: nothing can have come of it', async () => {
    const { cloud, provider } = guardedCloud();
    cloud.onRequest = FAR_HANGS;
    for (let call = 0; call < 3; call += 1) await failureOf(provider.launch(launchIn(FAR)));
    expect((await failureOf(provider.launch(launchIn(FAR)))).details).toMatchObject({ notSent: true });
    expect(cloud.asked('launch')).toHaveLength(3);
  });

  it('is asked for what it does answer: looks go on while launches hang', async () => {
    const { cloud, provider } = guardedCloud();
    cloud.onRequest = hung(({ action }) => action === 'launch');
    for (let call = 0; call < 5; call += 1) await failureOf(provider.launch(launchIn(FAR)));
    expect(await provider.describe(FAR, [ID])).toEqual([]);
    expect(await failureOf(provider.terminate(FAR, ID))).toMatchObject({ code: 'NotFound' });
    const reboot = provider.reboot?.({ credentials: FAR, id: ID }) ?? Promise.resolve();
    expect(await failureOf(reboot)).toMatchObject({ code: 'NotFound' });
  });

  it('is tried by one call at a time', async () => {
    const { clock, cloud, provider } = guardedCloud();
    cloud.onRequest = FAR_HANGS;
    for (let call = 0; call < 3; call += 1) await failureOf(provider.describe(FAR, [ID]));
    await clock.goAhead(30_000);
    const tried = failureOf(provider.describe(FAR, [ID]));
    expect((await failureOf(provider.describe(FAR, [ID]))).details).toMatchObject({ retryAfterMs: 10_000 });
    expect(await tried).toMatchObject({ code: 'DeadlineExceeded' });
    expect(cloud.asked('describe')).toHaveLength(4);
  });

  it.each([
    ['answers with errors', new ProviderError('Internal', 'no', { cloudCode: 'InternalError' })],
    ['refuses the connection', new ProviderError('Unavailable', 'ECONNREFUSED')],
    ['was not called, for its limits', new ProviderError('Throttled', 'later', { notSent: true })],
  ])('is asked on where it %s: that is no hang', async (_how, error) => {
    const { cloud, provider } = guardedCloud();
    cloud.onRequest = refused('describe', error);
    for (let call = 0; call < 10; call += 1) await failureOf(provider.describe(FAR, [ID]));
    expect(cloud.asked('describe')).toHaveLength(10);
  });

  it('is taken for hanging where connections are not even made', async () => {
    const { clock, cloud, provider } = guardedCloud();
    const unconnected: CloudPassage = async () => {
      await delay(clock, 5000);
      throw new ProviderError('Unavailable', 'no answer');
    };
    cloud.onRequest = unconnected;
    for (let call = 0; call < 5; call += 1) await failureOf(provider.describe(FAR, [ID]));
    expect(cloud.asked('describe')).toHaveLength(3);
  });

  it('has so many launches under way and no more, and turns the others away at once', async () => {
    const { clock, cloud, provider } = guardedCloud({ mostCalls: 4 });
    cloud.onRequest = FAR_HANGS;
    for (let call = 0; call < 4; call += 1) void failureOf(provider.launch(launchIn(FAR)));
    await clock.goAhead(2000);
    const refusal = await failureOf(provider.launch(launchIn(FAR)));
    expect(refusal.details).toMatchObject({ cloudCode: 'CloudNotAnswering', notSent: true, retryAfterMs: 10_000 });
    expect(cloud.asked('launch')).toHaveLength(4);
    expect(await provider.launch(launchIn(NEAR))).toMatchObject({ machineUid: 'u' });
  });
});

describe('400 machines in a region that hangs, on a worker with 200 places', () => {
  /** Whether five launches elsewhere find places, within half a second of theirs that hang having had two and a half. */
  async function leavesPlaces(wrap: (provider: Provider, clock: Clock) => Provider): Promise<boolean> {
    const { clock, cloud } = guardedCloud();
    cloud.onRequest = FAR_HANGS;
    const provider = wrap(cloud.provider, clock);
    const places = pLimit(200);
    const over = new AbortController();
    const keepTrying = async () => {
      while (!over.signal.aborted) {
        await places(() => failureOf(provider.launch(launchIn(FAR))));
        await delay(clock, 100);
      }
    };
    for (let machine = 0; machine < 400; machine += 1) void keepTrying();
    await delay(clock, 2500);
    const elsewhere = Array.from({ length: 5 }, () => places(() => provider.launch(launchIn(NEAR))));
    const answer = await Promise.race([Promise.all(elsewhere).then(() => true), delay(clock, 500).then(() => false)]);
    over.abort();
    return answer;
  }

  it('leave room for those elsewhere, which they do not without a guard', async () => {
    expect(await leavesPlaces(guardProvider)).toBe(true);
    expect(await leavesPlaces((provider) => provider)).toBe(false);
  });
});

it('what the provider lacks, the guarded one lacks', () => {
  const { clock, cloud } = guardedCloud();
  const { loadBalancing: _without, ...plain } = cloud.provider;
  expect(Object.keys(guardProvider(plain, clock)).sort()).toEqual(Object.keys(plain).sort());
});

it('what is wrong with a spec is said by the provider', async () => {
  const { clock, cloud } = guardedCloud();
  const wrong = (message: string) => new ProviderError('InvalidArgument', message);
  const misread: Provider = {
    ...cloud.provider,
    credentialsOf: () => {
      throw wrong('the region');
    },
    resolve: () => Promise.reject(wrong('the region and two fields more')),
  };
  const guarded = guardProvider(misread, clock);
  expect((await failureOf(guarded.resolve({ owner, providerSpec: {} }))).message).toBe(
    'the region and two fields more',
  );
});
