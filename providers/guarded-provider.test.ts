import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ScriptedCloud, silence } from '../test/unit/scripted-cloud.ts';
import { systemClock } from './clock.ts';
import { guardProvider, type GuardedCalls, type GuardOptions } from './guarded-provider.ts';
import { ProviderError, type Credentials, type Provider } from './provider.ts';
import { VirtualClock } from './virtual-clock-for-tests.ts';

const NEAR: Credentials = { namespace: 'ns', region: 'near' };
const FAR: Credentials = { namespace: 'ns', region: 'far' };

/** A guarded cloud, in time that only the test lets pass. */
function guardedCloud(options: GuardOptions = {}) {
  const cloud = new ScriptedCloud();
  const clock = new VirtualClock();
  const turns: string[] = [];
  const notSent: string[] = [];
  const provider = guardProvider(cloud.provider, clock, {
    onBreaker: ({ credentials, group }: GuardedCalls, isOpen) =>
      turns.push(`${credentials.region ?? ''} ${group} ${isOpen ? 'open' : 'closed'}`),
    onNotSent: (_name, operation) => notSent.push(operation),
    ...options,
  });
  const timesOut =
    (ms: number, code: 'DeadlineExceeded' | 'Unavailable' = 'DeadlineExceeded') =>
    () => {
      clock.standStill(ms);
      throw new ProviderError(code, 'no answer');
    };
  return { cloud, provider, turns, notSent, timesOut, pass: (ms: number) => clock.standStill(ms) };
}

const launchIn = (credentials: Credentials) => ({
  owner: { cluster: 'c', clusterUid: 'this', namespace: 'ns', name: 'm', uid: 'u' },
  token: 't',
  parameters: { provider: 'fake', credentials, zone: 'z', instanceType: 't', request: {} },
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
    const { cloud, provider, turns, notSent, timesOut, pass } = guardedCloud();
    cloud.disturb = ({ credentials }) => (credentials.region === 'far' ? timesOut(10_000)() : undefined);
    for (let call = 0; call < 3; call += 1) await failureOf(provider.describe(FAR, ['i-1']));
    const refusal = await failureOf(provider.describe(FAR, ['i-1']));
    expect(refusal).toMatchObject({ code: 'Unavailable', retryClass: 'soon' });
    expect(refusal.details).toEqual({ cloudCode: 'CloudNotAnswering', retryAfterMs: 30_000, notSent: true });
    expect(cloud.called('describe')).toHaveLength(3);
    expect(await provider.describe(NEAR, ['i-1'])).toEqual([]);
    expect([turns, notSent]).toEqual([['far looks open'], ['describe']]);

    pass(30_000);
    cloud.disturb = () => {};
    expect(await provider.describe(FAR, ['i-1'])).toEqual([]);
    expect(turns).toEqual(['far looks open', 'far looks closed']);
  });

  it('is told of a launch that it never left: nothing can have come of it', async () => {
    const { cloud, provider, timesOut } = guardedCloud();
    cloud.disturb = timesOut(30_000);
    for (let call = 0; call < 3; call += 1) await failureOf(provider.launch(launchIn(FAR)));
    expect((await failureOf(provider.launch(launchIn(FAR)))).details).toMatchObject({ notSent: true });
    expect(cloud.called('launch')).toHaveLength(3);
  });

  it('is asked for what it does answer: looks go on while launches hang', async () => {
    const { cloud, provider, timesOut } = guardedCloud();
    cloud.disturb = ({ operation }) => (operation === 'launch' ? timesOut(30_000)() : undefined);
    for (let call = 0; call < 5; call += 1) await failureOf(provider.launch(launchIn(FAR)));
    expect(await provider.describe(FAR, ['i-1'])).toEqual([]);
    expect(await failureOf(provider.terminate(FAR, 'i-1'))).toMatchObject({ code: 'NotFound' });
  });

  it('is tried by one call at a time', async () => {
    const { cloud, provider, timesOut, pass } = guardedCloud();
    cloud.disturb = timesOut(10_000);
    for (let call = 0; call < 3; call += 1) await failureOf(provider.describe(FAR, ['i-1']));
    pass(30_000);
    cloud.disturb = silence;
    void provider.describe(FAR, ['i-1']);
    expect((await failureOf(provider.describe(FAR, ['i-1']))).details).toMatchObject({ retryAfterMs: 10_000 });
    expect(cloud.called('describe')).toHaveLength(4);
  });

  it.each([
    ['answers with errors', () => Promise.reject(new ProviderError('Internal', 'no', { cloudCode: 'InternalError' }))],
    ['refuses the connection', () => Promise.reject(new ProviderError('Unavailable', 'ECONNREFUSED'))],
    [
      'was not called, for its limits',
      () => Promise.reject(new ProviderError('Throttled', 'later', { notSent: true })),
    ],
  ])('is asked on where it %s: that is no hang', async (_how, disturb) => {
    const { cloud, provider } = guardedCloud();
    cloud.disturb = disturb;
    for (let call = 0; call < 10; call += 1) await failureOf(provider.describe(FAR, ['i-1']));
    expect(cloud.called('describe')).toHaveLength(10);
  });

  it('is taken for hanging where connections are not even made', async () => {
    const { cloud, provider, timesOut } = guardedCloud();
    cloud.disturb = timesOut(5000, 'Unavailable');
    for (let call = 0; call < 5; call += 1) await failureOf(provider.describe(FAR, ['i-1']));
    expect(cloud.called('describe')).toHaveLength(3);
  });

  it('has so many launches under way and no more, and turns the others away at once', async () => {
    const { cloud, provider, pass } = guardedCloud({ mostCalls: 4 });
    cloud.disturb = ({ credentials }) => (credentials.region === 'far' ? silence() : undefined);
    for (let call = 0; call < 4; call += 1) void provider.launch(launchIn(FAR));
    await Promise.resolve();
    pass(2000);
    const refusal = await failureOf(provider.launch(launchIn(FAR)));
    expect(refusal.details).toMatchObject({ cloudCode: 'CloudNotAnswering', notSent: true, retryAfterMs: 10_000 });
    expect(cloud.called('launch')).toHaveLength(4);
    expect(await provider.launch(launchIn(NEAR))).toMatchObject({ id: 'i-of-m' });
  });
});

describe('400 machines in a region that hangs, on a worker with 200 places', () => {
  /** Whether five launches elsewhere find places, within half a second of theirs that hang having had two and a half. */
  async function leavesPlaces(wrap: (provider: Provider) => Provider): Promise<boolean> {
    const { cloud } = guardedCloud();
    cloud.disturb = ({ credentials }) => (credentials.region === 'far' ? silence() : undefined);
    const provider = wrap(cloud.provider);
    const places = pLimit(200);
    const over = new AbortController();
    const keepTrying = async () => {
      while (!over.signal.aborted) {
        await places(() => failureOf(provider.launch(launchIn(FAR))));
        await delay(100);
      }
    };
    for (let machine = 0; machine < 400; machine += 1) void keepTrying();
    await delay(2500);
    const elsewhere = Array.from({ length: 5 }, () => places(() => provider.launch(launchIn(NEAR))));
    const answer = await Promise.race([Promise.all(elsewhere).then(() => true), delay(500).then(() => false)]);
    over.abort();
    return answer;
  }

  it('leave room for those elsewhere, which they do not without a guard', async () => {
    expect(await leavesPlaces((provider) => guardProvider(provider, systemClock))).toBe(true);
    expect(await leavesPlaces((provider) => provider)).toBe(false);
  }, 20_000);
});

it('what the provider lacks, the guarded one lacks', () => {
  const { loadBalancing: _without, ...plain } = new ScriptedCloud().provider;
  expect(Object.keys(guardProvider(plain, systemClock)).sort()).toEqual(Object.keys(plain).sort());
});

it('what is wrong with a spec is said by the provider', async () => {
  const { provider } = new ScriptedCloud();
  const wrong = (message: string) => new ProviderError('InvalidArgument', message);
  const misread: Provider = {
    ...provider,
    credentialsOf: () => {
      throw wrong('the region');
    },
    resolve: () => Promise.reject(wrong('the region and two fields more')),
  };
  const guarded = guardProvider(misread, systemClock);
  const { owner } = launchIn(NEAR);
  expect((await failureOf(guarded.resolve({ owner, providerSpec: {} }))).message).toBe(
    'the region and two fields more',
  );
});
