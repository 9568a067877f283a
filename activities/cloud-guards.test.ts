import { describe, expect, it, jest } from '@jest/globals';
import { ProviderError } from '../providers/provider-error.ts';
import type { Provider } from '../providers/provider.ts';
import { aCredentialsSecret } from '../test/world/builders/a-secret.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { notSent, refused } from '../test/world/world-cloud.ts';
import { World } from '../test/world/world.ts';

/** A Machine with its instance, whose spec names other credentials than those of its launch by now. */
async function launched(facts: MachineFacts = {}) {
  const world = new World(ownClock());
  const { cloud } = world;
  world.kube.put(aCredentialsSecret('frozen'), aCredentialsSecret('moved'));
  const credentials = { namespace: 'default', secretName: 'frozen' };
  const value = { credentialsSecret: { name: 'moved' } };
  const { target, id } = await world.addLaunched({ launch: { parameters: { credentials } }, value, ...facts });
  const terminate = (of = target) =>
    world.run((own) => own.terminateInstance({ ...of, id, isKnownOwn: true, lookAfterMs: 10 }));
  const look = () => world.run((own) => own.lookAtInstance({ ...target, id }));
  const change = (parts: Partial<Provider>) => world.replaceWorker({ ...cloud.provider, ...parts });
  return { world, cloud, target, id, terminate, look, change };
}

describe('asking for a termination', () => {
  it('goes to where the launch was frozen, not to where the spec points since', async () => {
    const { cloud, id, terminate } = await launched();
    cloud.behave({ terminateMs: 60_000 });
    expect(await terminate()).toEqual({ outcome: 'asked', state: 'shutting-down' });
    expect(cloud.asked('terminate')).toEqual([{ action: 'terminate', id, bearer: 'frozen' }]);
  });

  it('is not done for a Machine that is paused by now, that is gone, or that is another cluster’s', async () => {
    const paused = await launched({ paused: true });
    await expect(paused.terminate()).rejects.toMatchObject({ type: 'ObjectChanged' });
    const { cloud, target, terminate } = await launched();
    await expect(terminate({ ...target, clusterUid: 'another' })).rejects.toMatchObject({ type: 'ForeignCluster' });
    const gone = { ...target, ref: { ...target.ref, name: 'gone' } };
    await expect(terminate(gone)).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect([...paused.cloud.requests, ...cloud.requests]).toEqual([]);
  });

  it('tells an instance that the cloud does not know from a failure', async () => {
    const { cloud, id, terminate } = await launched();
    cloud.vanish(id);
    expect(await terminate()).toEqual({ outcome: 'unknownInstance' });
    const denied = new ProviderError('PermissionDenied', 'not allowed', { cloudCode: 'UnauthorizedOperation' });
    cloud.onRequest = refused('terminate', denied);
    expect(await terminate()).toMatchObject({
      outcome: 'failed',
      failure: { code: 'PermissionDenied', cloudCode: 'UnauthorizedOperation', message: 'not allowed' },
    });
  });

  it('takes the look after it for what has become of the instance, but only where that has ended', async () => {
    const { cloud, terminate } = await launched();
    cloud.behave({ terminateMs: 5 });
    expect(await terminate()).toEqual({ outcome: 'asked', state: 'terminated' });
    const late = await launched();
    late.cloud.behave({ terminateMs: 60_000 });
    const { provider } = late.cloud;
    late.change({
      // It shows what was before.
      describe: async (...asked) =>
        (await provider.describe(...asked)).map((instance) => ({ ...instance, state: 'running' })),
    });
    expect(await late.terminate()).toEqual({ outcome: 'asked', state: 'shutting-down' });
  });

  it('is followed by a look no sooner than it is asked to be', async () => {
    const { world, cloud, target, id } = await launched();
    cloud.behave({ terminateMs: 1200 });
    const request = { ...target, id, isKnownOwn: true, lookAfterMs: 1500 } as const;
    expect(await world.run((own) => own.terminateInstance(request))).toEqual({ outcome: 'asked', state: 'terminated' });
  });

  it('is in the log where it failed, but not where it was not sent', async () => {
    const { world, cloud, target, id, terminate } = await launched();
    const warn = jest.spyOn(world.deps.log, 'warn');
    cloud.onRequest = notSent('terminate', { cloudCode: 'AwaitingTurn', retryAfterMs: 7000 });
    expect(await terminate()).toMatchObject({ outcome: 'failed', failure: { notSent: true } });
    expect(warn.mock.calls).toEqual([]);
    cloud.onRequest = refused('terminate', new ProviderError('PermissionDenied', 'not allowed'));
    expect(await terminate()).toMatchObject({ outcome: 'failed' });
    const told = { object: target.ref, instance: id, failure: expect.objectContaining({ message: 'not allowed' }) };
    expect(warn.mock.calls).toEqual([[told, 'could not ask for its termination']]);
  });

  it('is a defect, and no failure of the cloud, where something else breaks', async () => {
    const { terminate, change } = await launched();
    change({ terminate: () => Promise.reject(new TypeError('a defect')) });
    await expect(terminate()).rejects.toThrow('a defect');
  });
});

describe('looking at an instance', () => {
  it('goes to where the launch was frozen', async () => {
    const { cloud, id, look } = await launched();
    expect(await look()).toMatchObject({ outcome: 'found', instance: { id } });
    expect(cloud.asked('describe').map(({ bearer }) => bearer)).toEqual(['frozen']);
  });

  it('is one call for all that look at the same time with the same credentials, and one for each credential', async () => {
    const world = new World(ownClock());
    const ids: string[] = [];
    const looks: (() => Promise<{ readonly outcome: string }>)[] = [];
    for (const [name, region] of Object.entries({ a: 'near', b: 'near', c: 'far' })) {
      const credentials = { namespace: 'default', region };
      const { target, id } = await world.addLaunched({ name, launch: { parameters: { credentials } } });
      ids.push(id);
      looks.push(() => world.run((own) => own.lookAtInstance({ ...target, id })));
    }
    const answers = await Promise.all(looks.map((look) => look()));
    expect(answers.map(({ outcome }) => outcome)).toEqual(['found', 'found', 'found']);
    const asked = world.cloud.asked('describe').map(({ filters }) => filters?.instanceIds);
    expect(asked).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  it('says where an instance was found that no launch of ours made', async () => {
    const world = new World(ownClock());
    const { id } = await world.cloud.launch({ machineUid: 'uid-of-m' });
    const target = world.addMachine({ instanceId: id, value: { region: 'near' } });
    const cloud = { provider: 'simulated', credentials: { namespace: 'default', region: 'near' } };
    const look = await world.run((own) => own.lookAtInstance({ ...target, id }));
    expect(look).toMatchObject({ outcome: 'found', cloud });
  });
});
