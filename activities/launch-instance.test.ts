import { describe, expect, it, jest } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import type { MachineObject } from '../k8s/api/machine.openshift.io/machine.ts';
import type { MachineStatus, PreparedLaunch } from '../k8s/model/machine.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { SECRETS } from '../k8s/resources.ts';
import { delay } from '../providers/clock.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { readMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { aUserDataSecret } from '../test/world/builders/a-secret.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { prepared, UID, USER_DATA } from '../test/world/prepared-call.ts';
import { notSent, refused } from '../test/world/world-cloud.ts';
import { createMachineDeps } from './deps.ts';
import { createLaunchInstance } from './launch-instance.ts';

describe('a call to launch', () => {
  it('is sent with what was frozen, also where the spec has other credentials by now', async () => {
    const { call, cloud, launches } = prepared();
    expect(await call()).toMatchObject({ outcome: 'instance', found: false, instance: { machineUid: UID } });
    expect(launches()).toMatchObject([{ bearer: 'frozen' }]);
    expect(cloud.instances).toMatchObject([{ machine: UID, token: tokenOf(UID, 1) }]);
  });

  it('is preceded by a look-up where one was asked for, and not sent where that finds the instance', async () => {
    const { call, cloud, launch, launches } = prepared();
    const { id } = await cloud.launch({}, launch.token);
    expect(await call(true)).toMatchObject({ outcome: 'instance', found: true, instance: { id } });
    expect(launches()).toEqual([]);
    expect(new Set(cloud.asked('describe').map(({ bearer }) => bearer))).toEqual(new Set(['frozen']));
  });

  it('takes the instance with the uid of its Machine for its own, whatever the token of that', async () => {
    const { call, cloud, launches } = prepared();
    const { id } = await cloud.launch({ cluster: 'c1', name: 'm', machineUid: UID }, 'of another attempt');
    expect(await call(true)).toMatchObject({ outcome: 'instance', found: true, instance: { id } });
    expect(launches()).toEqual([]);
  });

  it('does not take an instance that only bears the name for its own', async () => {
    const { call, cloud } = prepared();
    await cloud.launch({ cluster: 'c1', name: 'm', machineUid: 'another' });
    expect(await call(true)).toMatchObject({ outcome: 'instance', found: false, instance: { machineUid: UID } });
  });

  it('is preceded by a look-up, even if it is the first, where it was prepared for a cloud without tokens', async () => {
    const { call, cloud, launches } = prepared('lookup', { tokens: false });
    expect(await call()).toMatchObject({ outcome: 'instance', found: false });
    expect(cloud.requests.map(({ action }) => action)).toEqual(['describe', 'describe', 'describe', 'launch']);
    expect(await call()).toMatchObject({ outcome: 'instance', found: true });
    expect(launches()).toHaveLength(1);
  });

  it.each([false, true])(
    'is not sent where it was prepared for a cloud with tokens that has none by now (a repeat: %s)',
    async (lookFirst) => {
      const { call, cloud } = prepared('token', { tokens: false });
      expect(await call(lookFirst)).toMatchObject({ outcome: 'notCalled', because: 'NotAsPrepared' });
      expect(cloud.requests).toEqual([]);
    },
  );

  it('is not sent where the look-up fails', async () => {
    const { call, cloud, launches } = prepared();
    cloud.onRequest = refused('describe', new ProviderError('Throttled', 'slow down'));
    const failed = { outcome: 'notCalled', because: 'LookFailed', failure: { code: 'Throttled' } };
    expect(await call(true)).toMatchObject(failed);
    expect(launches()).toEqual([]);
  });

  it('is not sent with keys of another account than it was prepared in: its token is another launch there', async () => {
    const { call, world, cloud, launches } = prepared('token', {}, { account: 'home-account' });
    const leadTo = (account: string) =>
      world.replaceWorker({ ...cloud.provider, accountOf: () => Promise.resolve(account) });
    leadTo('other');
    const failure = { cloudCode: 'AccountChanged', message: expect.stringContaining('lead to account other') };
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'LookFailed', failure });
    expect(launches()).toEqual([]);
    leadTo('home-account');
    expect(await call()).toMatchObject({ outcome: 'instance' });
  });

  it('is not sent where the API server cannot say what the Machine is', async () => {
    const { call, world, launches } = prepared();
    world.onRequest = before({ verb: 'get', resource: MACHINES }, () => {
      throw new KubeError(503, 'ServiceUnavailable', 'it starts');
    });
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'LookFailed' });
    expect(launches()).toEqual([]);
  });

  it('is not sent where the user-data is of another version than it was frozen with', async () => {
    const { call, world, launches } = prepared();
    world.kube.put(aUserDataSecret('boot', 'other user-data'));
    const failure = { message: 'Secret default/boot changed after the launch was prepared' };
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'NotAsPrepared', failure });
    expect(launches()).toEqual([]);
  });

  it('is not sent where the user-data is gone', async () => {
    const { call, world, launches } = prepared();
    world.kube.drop(SECRETS, 'default', 'boot');
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'UserDataMissing' });
    expect(launches()).toEqual([]);
  });

  it('tells nothing of the user-data where the cloud repeats it in an error', async () => {
    const { call, cloud, world } = prepared();
    cloud.onRequest = refused('launch', new ProviderError('Internal', `cannot read ${USER_DATA}`));
    const calledAt = world.clock.timeOfDay();
    const answer = await call();
    expect(answer).toMatchObject({ outcome: 'refused', failure: { code: 'Internal' } });
    expect(JSON.stringify(answer)).not.toContain(USER_DATA);
    if (answer.outcome !== 'refused') throw new Error(answer.outcome);
    expect(answer.calledAt).toBeGreaterThanOrEqual(calledAt);
    expect(answer.calledAt).toBeLessThanOrEqual(world.clock.timeOfDay());
  });

  it('leaves in the log what it was answered with, where that is no instance', async () => {
    const { call, cloud, world } = prepared();
    const warn = jest.spyOn(world.deps.log, 'warn');
    cloud.onRequest = refused('launch', new ProviderError('Internal', 'it broke'));
    expect(await call()).toMatchObject({ outcome: 'refused', failure: { message: 'it broke' } });
    const told = { workflowId: expect.any(String), failure: expect.objectContaining({ message: 'it broke' }) };
    expect(warn.mock.calls).toEqual([[told, 'launch was not answered with an instance']]);
  });

  it('answers with sixteen addresses of the instance at most', async () => {
    const { call, cloud, world } = prepared();
    const { provider } = cloud;
    const addresses = Array.from({ length: 17 }, (_one, n) => ({
      type: 'InternalIP' as const,
      address: `10.0.0.${n}`,
    }));
    const launch: typeof provider.launch = async (...asked) => ({ ...(await provider.launch(...asked)), addresses });
    world.replaceWorker({ ...provider, launch });
    expect(await call()).toMatchObject({ outcome: 'instance', instance: { addresses: addresses.slice(0, 16) } });
  });

  it.each([
    ['counts as a launch under way, which others let go first', false],
    ['does not where it looks first: that may take its time', true],
  ])('%s', async (_what, lookFirst) => {
    const { world, request } = prepared();
    const deps = createMachineDeps(world.deps);
    let isOthersTurn = false;
    let wasOthersTurn: boolean | undefined;
    world.onRequest = before({ verb: 'get', resource: MACHINES }, async () => {
      void deps.launches.turn(1000).then(() => (isOthersTurn = true));
      await world.clock.holding(new Promise<void>((resolve) => void setImmediate(resolve)));
      wasOthersTurn = isOthersTurn;
    });
    await world.run(() => createLaunchInstance(deps).launchInstance({ ...request, lookFirst }), { isLocal: false });
    expect(wasOthersTurn).toBe(lookFirst);
  });

  it('that the provider did not send owes nothing', async () => {
    const { call, cloud } = prepared();
    cloud.onRequest = notSent('launch', { cloudCode: 'AwaitingTurn', retryAfterMs: 7000 });
    const failure = { notSent: true, retryAfterMs: 7000 };
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'NotSent', failure });
  });
});

describe('a call to launch that the cloud does not answer', () => {
  /** A call that hangs for so long, in milliseconds, and after a second of it this comes. */
  async function hanging(ms: number, facts: (launch: PreparedLaunch) => MachineFacts) {
    const made = prepared();
    const { world, cloud, change, launch, call } = made;
    cloud.onRequest = async (request, carryOut) => {
      if (request.action === 'launch') {
        await delay(world.clock, 1000);
        change(facts(launch));
        await delay(world.clock, ms - 1000);
      }
      return carryOut();
    };
    const startedAt = world.clock.now();
    const told: (readonly [ms: number, status: MachineStatus])[] = [];
    world.kube.store.onChange(() => {
      const stored = world.kube.peek(MACHINES, 'default', 'm') as MachineObject | undefined;
      const status = stored && readMachine(stored).status;
      if (status?.waiting !== undefined) told.push([world.clock.now() - startedAt, status]);
    });
    const answer = await call();
    return { ...made, answer, told };
  }

  it.each<[string, string, (launch: PreparedLaunch) => MachineFacts]>([
    ['is deleted', 'DeletionUnderWay', (launch) => ({ launch, deleting: true })],
    ['is to be deleted', 'PreparingDeletion', (launch) => ({ launch, spec: { delete: true } })],
  ])('has the Machine say within seconds what it waits for, where that %s', async (_what, reason, facts) => {
    const { answer, told, world, launch } = await hanging(8000, facts);
    const [[after, status] = []] = told;
    expect(after).toBeLessThan(4000);
    expect(status).toMatchObject({ launch, waiting: { step: 'SettleLaunch', reason: 'LaunchOutcomeUnknown' } });
    expect(status?.conditions).toMatchObject([
      { type: 'Deleting', status: 'True', reason },
      { type: 'InstanceExists', status: 'Unknown', reason: 'LaunchOutcomeUnknown' },
    ]);
    expect(told).toHaveLength(1);
    const { resourceVersion } = world.kube.require(MACHINES, 'default', 'm').metadata;
    expect(answer).toMatchObject({ outcome: 'instance', seen: { version: resourceVersion } });
  });

  it.each<[string, number, (launch: PreparedLaunch) => MachineFacts]>([
    ['nobody deletes it', 8000, (launch) => ({ launch })],
    ['the answer comes soon', 2500, (launch) => ({ launch, deleting: true })],
    ['it is paused', 8000, (launch) => ({ launch, deleting: true, paused: true })],
    ['another launch is on record', 8000, (launch) => ({ launch: { ...launch, attempt: 2 }, deleting: true })],
  ])('says nothing where %s', async (_what, ms, facts) => {
    const { answer, told } = await hanging(ms, facts);
    expect(told).toEqual([]);
    expect(answer).not.toHaveProperty('seen');
  });
});

describe('a call to launch goes by what the Machine says right before it', () => {
  it.each<[string, (launch: PreparedLaunch) => MachineFacts, string]>([
    ['is being deleted', (launch) => ({ launch, deleting: true }), 'deleted'],
    ['is to be deleted', (launch) => ({ launch, spec: { delete: true } }), 'to be deleted'],
    ['is paused', (launch) => ({ launch, paused: true }), 'paused'],
    ['lost our finalizer', (launch) => ({ launch, metadata: { finalizers: [] } }), 'finalizer'],
    ['has an instance on record', (launch) => ({ launch, instanceId: 'i-9' }), 'i-9'],
    ['names an instance', (launch) => ({ launch, providerID: 'simulated:///zone-a/i-8' }), 'i-8'],
    ['tells of no launch', () => ({}), 'no launch'],
    [
      'tells of another attempt',
      (launch) => ({ launch: { ...launch, attempt: 2, token: tokenOf(UID, 2) } }),
      'another launch',
    ],
    ['tells of a token that is not its own', (launch) => ({ launch: { ...launch, token: 'another' } }), 'no launch'],
    ['gave the call up', (launch) => ({ launch: { ...launch, callsGivenUp: 1 } }), 'given up'],
  ])('and is not sent where it %s', async (_what, facts, why) => {
    const { call, change, launch, launches } = prepared();
    change(facts(launch));
    const answer = await call();
    expect(launches()).toEqual([]);
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'Changed' });
    expect(JSON.stringify(answer)).toContain(why);
  });

  it('also after a look-up that took its time', async () => {
    const { call, change, launch, launches, cloud } = prepared();
    cloud.onRequest = (request, carryOut) => {
      if (request.action === 'describe') change({ launch, metadata: { finalizers: [] } });
      return carryOut();
    };
    expect(await call(true)).toMatchObject({ outcome: 'notCalled', because: 'Changed' });
    expect(launches()).toEqual([]);
  });

  it('and fails where another object has its name', async () => {
    const { call, change, launch, launches } = prepared();
    change({ launch, metadata: { uid: 'made-anew' } });
    await expect(call()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(launches()).toEqual([]);
  });
});

describe('a call to launch that comes late', () => {
  it('is not sent when it was asked for longer ago than a call may take, and the clocks may be apart', async () => {
    const { call, launches } = prepared();
    expect(await call(false, 110_000)).toMatchObject({ outcome: 'instance' });
    expect(await call(false, 125_000)).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(launches()).toHaveLength(1);
  });

  it('is not sent when Temporal does not wait for it any more', async () => {
    const { callCancelled, launches } = prepared();
    expect(await callCancelled()).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(launches()).toEqual([]);
  });

  /** The worker stands still for six seconds after so many reads of the user-data, as one of its clocks sees it. */
  function standingStill(times: number, clock: 'timeOfDay' | 'monotonic') {
    const it = prepared();
    let reads = 0;
    it.world.onRequest = before({ verb: 'get', resource: SECRETS, name: 'boot' }, async () => {
      reads += 1;
      if (reads > times) return;
      if (clock === 'monotonic') await it.world.clock.goAhead(6000);
      it.world.clock.set(clock === 'timeOfDay' ? 6000 : -6000);
    });
    return { ...it, reads: () => reads };
  }

  it.each(['timeOfDay', 'monotonic'] as const)(
    'is checked again when its worker stood still between the checks and the call, by its %s clock',
    async (clock) => {
      const { call, launches, reads } = standingStill(1, clock);
      expect(await call()).toMatchObject({ outcome: 'instance' });
      expect([launches().length, reads()]).toEqual([1, 2]);
    },
  );

  it('is not handed to the provider either while it has to be checked again', async () => {
    const { call, world, cloud } = standingStill(1, 'monotonic');
    let handed = 0;
    const launch: typeof cloud.provider.launch = (...asked) => {
      handed += 1;
      return cloud.provider.launch(...asked);
    };
    world.replaceWorker({ ...cloud.provider, launch });
    expect(await call()).toMatchObject({ outcome: 'instance' });
    expect(handed).toBe(1);
  });

  /** Its credentials take so long to read, so many times, as one of the worker's clocks sees it. */
  function slowCredentials(times: number, clock: 'timeOfDay' | 'monotonic') {
    const it = prepared();
    let reads = 0;
    it.world.onRequest = before({ verb: 'get', resource: SECRETS, name: 'frozen' }, async () => {
      reads += 1;
      if (reads > times) return;
      if (clock === 'monotonic') await it.world.clock.goAhead(8000);
      it.world.clock.set(clock === 'timeOfDay' ? 8000 : -8000);
    });
    return { ...it, reads: () => reads };
  }

  it.each(['timeOfDay', 'monotonic'] as const)(
    'is checked again when it took too long from the checks until it could be sent, by the %s clock of its worker',
    async (clock) => {
      const { call, launches, reads } = slowCredentials(1, clock);
      expect(await call()).toMatchObject({ outcome: 'instance' });
      expect([launches().length, reads()]).toEqual([1, 2]);
    },
  );

  it('is not sent when its credentials take too long to read three times', async () => {
    const { call, launches, reads } = slowCredentials(3, 'timeOfDay');
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect([launches(), reads()]).toEqual([[], 3]);
  });

  it('is not sent when Temporal stops waiting for it while its credentials are read', async () => {
    const { world, request, launches } = prepared();
    let cancel = () => {};
    world.onRequest = before({ verb: 'get', resource: SECRETS, name: 'frozen' }, () => cancel());
    const answer = await world.run(
      (own) => own.launchInstance(request),
      { isLocal: false },
      (environment) => (cancel = () => environment.cancel('TIMED_OUT')),
    );
    expect(answer).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(launches()).toEqual([]);
  });

  it('is not sent when its worker stands still three times', async () => {
    expect(await standingStill(2, 'monotonic').call()).toMatchObject({ outcome: 'instance' });
    const { call, launches } = standingStill(3, 'monotonic');
    expect(await call()).toMatchObject({ outcome: 'notCalled', because: 'TooLate' });
    expect(launches()).toEqual([]);
  });
});
