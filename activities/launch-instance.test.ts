import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import type { PreparedLaunch } from '../k8s/model/machine.ts';
import { ProviderError, type Provider } from '../providers/provider.ts';
import { createCloudActivities, targetOf, type MachineFacts } from '../test/unit/cloud-activities.ts';
import type { FakeObject } from '../test/unit/fake-kube.ts';

const USER_DATA = 'the-secret-of-the-user-data';
const USER_DATA_SECRET = 'boot';
/** As frozen at the launch; the spec has moved on to others. */
const FROZEN = { namespace: 'ns', secretName: 'frozen', region: 'frozen-region' };
const SPEC = { secretName: 'of-the-spec', region: 'region-of-the-spec' };

afterEach(() => {
  jest.restoreAllMocks();
});

function secretOf(content: string): FakeObject {
  const data = { userData: Buffer.from(content).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: USER_DATA_SECRET, namespace: 'ns', uid: 's' }, data };
}

/** A Machine m whose first attempt is prepared, and what is needed to call it. */
function prepared(facts: MachineFacts = {}, wrap?: (provider: Provider) => Provider) {
  const world = createCloudActivities(wrap);
  const { kube, cloud, run } = world;
  kube.add(secretOf(USER_DATA));
  const launched = { credentials: FROZEN, userDataSecret: USER_DATA_SECRET };
  world.addMachine('m', { spec: SPEC, launched, ...facts });
  const { resourceVersion = '' } = kube.all('Secret')[0]?.metadata ?? {};
  const stored = providerStatusOf(kube.all('Machine')[0])['launch'] as PreparedLaunch;
  const launch = { ...stored, userData: { name: USER_DATA_SECRET, uid: 's', resourceVersion } };
  setLaunch(launch);
  return { ...world, launch, setLaunch, call };

  function setLaunch(changed: PreparedLaunch | undefined): void {
    kube.change('Machine', 'm', (object) => ({
      ...object,
      status: { ...object.status, providerStatus: { ...providerStatusOf(object), launch: changed } },
    }));
  }

  async function call({ lookFirst = false, asked = launch, info = {} } = {}) {
    const request = { ...targetOf('m'), clusterName: 'c', launch: asked, lookFirst };
    const answer = await run((own) => own.launchInstance(request), { isLocal: false, ...info });
    return { answer, launches: cloud.called('launch') };
  }
}

function providerStatusOf(object: FakeObject | undefined): Record<string, unknown> {
  return (object?.status?.['providerStatus'] ?? {}) as Record<string, unknown>;
}

/** The token of an attempt of the Machine m. */
function ownToken(attempt: number): string {
  return tokenOf(targetOf('m').ref.uid, attempt);
}

function withMetadata(changes: object): (object: FakeObject) => FakeObject {
  return (object) => ({ ...object, metadata: { ...object.metadata, ...changes } });
}

describe('a call to launch', () => {
  it('is sent with what was frozen, also where the spec has other credentials by now', async () => {
    const { call } = prepared();
    const { answer, launches } = await call();
    expect(answer).toMatchObject({ outcome: 'instance', found: false, instance: { id: 'i-of-m' } });
    expect(launches).toMatchObject([{ credentials: FROZEN }]);
  });

  it('is preceded by a look-up where one was asked for, and not sent where that finds the instance', async () => {
    const { call, cloud, launch } = prepared();
    cloud.add('i-1', { token: launch.token });
    const { answer, launches } = await call({ lookFirst: true });
    expect(answer).toMatchObject({ outcome: 'instance', found: true, instance: { id: 'i-1' } });
    expect(launches).toHaveLength(0);
    expect(cloud.called('findByMachine')).toMatchObject([{ credentials: FROZEN }]);
  });

  it('does not take an instance that only bears the name for its own', async () => {
    const stranger = { findByMachine: async () => [cloudOf.cloud.add('i-stranger', { machineUid: 'another' })] };
    const cloudOf = prepared({}, (provider) => ({ ...provider, ...stranger }));
    const { answer } = await cloudOf.call({ lookFirst: true });
    expect(answer).toMatchObject({ outcome: 'instance', found: false });
  });

  it('is preceded by a look-up, even if it is the first, where it was prepared for a cloud without tokens', async () => {
    const { call, cloud, launch, setLaunch } = prepared({}, (provider) => ({ ...provider, idempotency: 'lookup' }));
    const asked = { ...launch, idempotency: 'lookup' as const };
    setLaunch(asked);
    expect((await call({ asked })).answer).toMatchObject({ outcome: 'instance', found: false });
    const { answer, launches } = await call({ asked });
    expect(answer).toMatchObject({ outcome: 'instance', found: true, instance: { id: 'i-of-m' } });
    expect([launches.length, cloud.called('findByMachine').length]).toEqual([1, 2]);
  });

  it.each([false, true])(
    'is not sent where it was prepared for a cloud with tokens that has none by now (a repeat: %s)',
    async (lookFirst) => {
      const { call, cloud } = prepared({}, (provider) => ({ ...provider, idempotency: 'lookup' }));
      const { answer } = await call({ lookFirst });
      expect(answer).toMatchObject({ outcome: 'notCalled', because: 'NotAsPrepared' });
      expect(cloud.calls).toEqual([]);
    },
  );

  it('is not sent where the look-up fails', async () => {
    const { call, cloud } = prepared();
    cloud.disturb = ({ operation }) => {
      if (operation === 'findByMachine') throw new ProviderError('Throttled', 'slow down');
    };
    const { answer, launches } = await call({ lookFirst: true });
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'LookFailed', failure: { code: 'Throttled' } });
    expect(launches).toHaveLength(0);
  });

  it('is not sent where the API server cannot say what the Machine is', async () => {
    const { call, kube } = prepared();
    kube.beforeRead = (read) => {
      if (read === 'get Machine m') throw new KubeError(503, 'ServiceUnavailable', 'it starts');
    };
    const { answer, launches } = await call();
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'LookFailed' });
    expect(launches).toHaveLength(0);
  });

  it('is not sent where the user-data is of another version than it was frozen with', async () => {
    const { call, kube } = prepared();
    kube.add(secretOf('other user-data'));
    const { answer, launches } = await call();
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'NotAsPrepared' });
    expect(launches).toHaveLength(0);
  });

  it('is not sent where the user-data is gone', async () => {
    const { call, kube } = prepared();
    kube.objects.delete([...kube.objects.keys()].find((key) => key.startsWith('Secret/')) ?? '');
    const { answer, launches } = await call();
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'UserDataMissing' });
    expect(launches).toHaveLength(0);
  });

  it('tells nothing of the user-data where the cloud repeats it in an error', async () => {
    const { call, cloud } = prepared();
    cloud.disturb = () => {
      throw new ProviderError('Internal', `cannot read ${USER_DATA}`);
    };
    const before = Date.now();
    const { answer } = await call();
    expect(answer).toMatchObject({ outcome: 'refused', failure: { code: 'Internal' } });
    expect(JSON.stringify(answer)).not.toContain(USER_DATA);
    if (answer.outcome !== 'refused') throw new Error(answer.outcome);
    expect(answer.calledAt).toBeGreaterThanOrEqual(before);
    expect(answer.calledAt).toBeLessThanOrEqual(Date.now());
  });

  it('that the provider did not send owes nothing', async () => {
    const { call, cloud } = prepared();
    cloud.disturb = () => {
      throw new ProviderError('Throttled', 'its turn did not come', { notSent: true, retryAfterMs: 7000 });
    };
    const { answer } = await call();
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'NotSent', failure: { retryAfterMs: 7000 } });
  });
});

describe('a call to launch goes by what the Machine says right before it', () => {
  const token = 'another';
  it.each<[string, (world: ReturnType<typeof prepared>) => void, string]>([
    [
      'is being deleted',
      ({ kube }) => kube.change('Machine', 'm', withMetadata({ deletionTimestamp: '2026-01-02T00:00:00Z' })),
      'deleted',
    ],
    [
      'is paused',
      ({ kube }) => kube.change('Machine', 'm', withMetadata({ annotations: { 'cluster.x-k8s.io/paused': '' } })),
      'paused',
    ],
    ['lost our finalizer', ({ kube }) => kube.change('Machine', 'm', withMetadata({ finalizers: [] })), 'finalizer'],
    [
      'has an instance on record',
      ({ kube }) =>
        kube.change('Machine', 'm', (object) => ({
          ...object,
          status: { providerStatus: { ...providerStatusOf(object), instanceId: 'i-9', instanceState: 'running' } },
        })),
      'i-9',
    ],
    [
      'names an instance',
      ({ kube }) =>
        kube.change('Machine', 'm', (object) => ({
          ...object,
          spec: { ...object.spec, providerID: 'fake:///zone-a/i-8' },
        })),
      'i-8',
    ],
    ['tells of no launch', ({ setLaunch }) => setLaunch(undefined), 'no launch'],
    [
      'tells of another attempt',
      ({ setLaunch, launch }) => setLaunch({ ...launch, attempt: 2, token: ownToken(2) }),
      'another launch',
    ],
    ['tells of a token that is not its own', ({ setLaunch, launch }) => setLaunch({ ...launch, token }), 'no launch'],
    ['gave the call up', ({ setLaunch, launch }) => setLaunch({ ...launch, callsGivenUp: 1 }), 'given up'],
  ])('and is not sent where it %s', async (_what, change, why) => {
    const world = prepared();
    change(world);
    const { answer, launches } = await world.call();
    expect(launches).toHaveLength(0);
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'Changed' });
    expect(JSON.stringify(answer)).toContain(why);
  });

  it('also after a look-up that took its time', async () => {
    const world = prepared();
    world.cloud.disturb = ({ operation }) => {
      if (operation === 'findByMachine') world.kube.change('Machine', 'm', withMetadata({ finalizers: [] }));
    };
    const { answer, launches } = await world.call({ lookFirst: true });
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'Changed' });
    expect(launches).toHaveLength(0);
  });

  it('and fails where another object has its name', async () => {
    const world = prepared();
    world.kube.change('Machine', 'm', withMetadata({ uid: 'made-anew' }));
    await expect(world.call()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(world.cloud.called('launch')).toHaveLength(0);
  });
});

describe('a call to launch that comes late', () => {
  it('is not sent when it was asked for longer ago than a call may take, and the clocks may be apart', async () => {
    const { call } = prepared();
    const inTime = await call({ info: { currentAttemptScheduledTimestampMs: Date.now() - 110_000 } });
    expect(inTime.answer.outcome).toBe('instance');
    const late = await call({ info: { currentAttemptScheduledTimestampMs: Date.now() - 125_000 } });
    expect(late.answer).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(late.launches).toHaveLength(1);
  });

  it('is not sent when Temporal does not wait for it any more', async () => {
    const { run, launch, cloud } = prepared();
    const request = { ...targetOf('m'), clusterName: 'c', launch, lookFirst: false };
    const answer = await run(
      (own) => own.launchInstance(request),
      { isLocal: false },
      (environment) => {
        environment.cancel('TIMED_OUT');
      },
    );
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(cloud.called('launch')).toHaveLength(0);
  });

  /** The worker stands still for six seconds after so many reads of the user-data. */
  function standingStill(times: number, clock: 'timeOfDay' | 'monotonic') {
    const world = prepared();
    let stoodStillMs = 0;
    let reads = 0;
    const [target, now] = clock === 'timeOfDay' ? [Date, Date.now] : [performance, performance.now.bind(performance)];
    jest.spyOn(target as { now(): number }, 'now').mockImplementation(() => now() + stoodStillMs);
    world.kube.beforeRead = (read) => {
      if (read !== `get Secret ${USER_DATA_SECRET}`) return;
      reads += 1;
      if (reads <= times) stoodStillMs += 6000;
    };
    return { ...world, reads: () => reads };
  }

  it.each(['timeOfDay', 'monotonic'] as const)(
    'is checked again when its worker stood still between the checks and the call, by its %s clock',
    async (clock) => {
      const world = standingStill(1, clock);
      const { answer, launches } = await world.call();
      expect(answer.outcome).toBe('instance');
      expect(launches).toHaveLength(1);
      expect(world.reads()).toBe(2);
    },
  );

  it('is not sent when its worker stands still every time', async () => {
    const { answer, launches } = await standingStill(10, 'monotonic').call();
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(launches).toHaveLength(0);
  });
});
