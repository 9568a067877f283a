import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../providers/provider.ts';
import { createCloudActivities, targetOf, type MachineFacts } from '../test/unit/cloud-activities.ts';

const NAME = 'm';
const target = targetOf(NAME);
const FROZEN = { namespace: 'ns', region: 'where-it-was-launched' };

function kitWith(facts: MachineFacts = {}) {
  const kit = createCloudActivities();
  kit.addMachine(NAME, { instanceId: 'i-1', launched: { credentials: FROZEN }, spec: { region: 'moved' }, ...facts });
  kit.cloud.add('i-1');
  return kit;
}

describe('asking for a termination', () => {
  const terminate = (kit: ReturnType<typeof kitWith>) =>
    kit.run((own) => own.terminateInstance({ ...target, id: 'i-1', lookAfterMs: 10 }));

  it('goes to where the launch was frozen, not to where the spec points since', async () => {
    const kit = kitWith();
    expect(await terminate(kit)).toEqual({ outcome: 'asked', state: 'shutting-down' });
    expect(kit.cloud.called('terminate').map(({ credentials }) => credentials)).toEqual([FROZEN]);
  });

  it('is not done for a Machine that is paused by now, that is gone, or that is another cluster’s', async () => {
    const paused = kitWith({ paused: true });
    await expect(terminate(paused)).rejects.toMatchObject({ type: 'ObjectChanged' });
    const elsewhere = kitWith();
    const foreign = { ...target, clusterUid: 'another', id: 'i-1', lookAfterMs: 10 };
    await expect(elsewhere.run((own) => own.terminateInstance(foreign))).rejects.toMatchObject({
      type: 'ForeignCluster',
    });
    const gone = { ...targetOf('gone'), id: 'i-1', lookAfterMs: 10 };
    await expect(elsewhere.run((own) => own.terminateInstance(gone))).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect([...paused.cloud.called('terminate'), ...elsewhere.cloud.called('terminate')]).toEqual([]);
  });

  it('tells an instance that the cloud does not know from a failure', async () => {
    const kit = kitWith();
    kit.cloud.instances.clear();
    expect(await terminate(kit)).toEqual({ outcome: 'unknownInstance' });
    kit.cloud.disturb = () => {
      throw new ProviderError('PermissionDenied', 'not allowed', { cloudCode: 'UnauthorizedOperation' });
    };
    expect(await terminate(kit)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'PermissionDenied', cloudCode: 'UnauthorizedOperation', message: 'not allowed' },
    });
  });

  it('takes the look after it for what has become of the instance, but only where that has ended', async () => {
    const kit = kitWith();
    kit.cloud.disturb = ({ operation }) => {
      if (operation === 'describe') kit.cloud.add('i-1', { state: 'terminated' });
    };
    expect(await terminate(kit)).toEqual({ outcome: 'asked', state: 'terminated' });
    kit.cloud.disturb = ({ operation }) => {
      if (operation === 'describe') kit.cloud.add('i-1', { state: 'running' });
    };
    expect(await terminate(kit)).toEqual({ outcome: 'asked', state: 'shutting-down' });
  });

  it('is a defect, and no failure of the cloud, where something else breaks', async () => {
    const kit = kitWith();
    kit.cloud.disturb = () => {
      throw new TypeError('a defect');
    };
    await expect(terminate(kit)).rejects.toThrow('a defect');
  });
});

describe('looking at an instance', () => {
  const look = (kit: ReturnType<typeof kitWith>) => kit.run((own) => own.lookAtInstance({ ...target, id: 'i-1' }));

  it('goes to where the launch was frozen', async () => {
    const kit = kitWith();
    expect(await look(kit)).toMatchObject({ outcome: 'found', instance: { id: 'i-1' } });
    expect(kit.cloud.called('describe').map(({ credentials }) => credentials)).toEqual([FROZEN]);
  });

  it('is one call for all that look at the same time with the same credentials, and one for each credential', async () => {
    const kit = kitWith();
    for (const [name, region] of [
      ['a', 'near'],
      ['b', 'near'],
      ['c', 'far'],
    ] as const) {
      kit.addMachine(name, { instanceId: `i-${name}`, launched: { credentials: { namespace: 'ns', region } } });
      kit.cloud.add(`i-${name}`);
    }
    const looks = ['a', 'b', 'c'].map((name) =>
      kit.run((own) => own.lookAtInstance({ ...targetOf(name), id: `i-${name}` })),
    );
    expect((await Promise.all(looks)).map(({ outcome }) => outcome)).toEqual(['found', 'found', 'found']);
    expect(kit.cloud.called('describe').map(({ ids }) => ids)).toEqual([['i-a', 'i-b'], ['i-c']]);
  });

  it('says where an instance was found that no launch of ours made', async () => {
    const kit = createCloudActivities();
    kit.addMachine(NAME, { instanceId: 'i-1', spec: { region: 'near' } });
    kit.cloud.add('i-1', { machineUid: target.ref.uid });
    const cloud = { provider: 'fake', credentials: { namespace: 'ns', region: 'near' } };
    expect(await look(kit)).toMatchObject({ outcome: 'found', cloud });
  });
});

describe('the load balancers of a Machine', () => {
  const LAUNCHED = { credentials: FROZEN, loadBalancers: [{ name: 'of-the-launch', type: 'network' }] };
  const attach = (kit: ReturnType<typeof kitWith>) =>
    kit.run((own) => own.attachLoadBalancers({ ...target, id: 'i-1' }));
  const detach = (kit: ReturnType<typeof kitWith>) =>
    kit.run((own) => own.detachLoadBalancers({ ...target, id: 'i-1' }));

  it('are those of its launch, with the credentials of that, whatever the spec says since', async () => {
    const kit = kitWith({ launched: LAUNCHED, spec: { region: 'moved', loadBalancers: ['of-the-spec'] } });
    expect(await attach(kit)).toEqual({ outcome: 'done', loadBalancers: ['of-the-launch'] });
    expect(kit.cloud.called('register')).toEqual([{ operation: 'register', credentials: FROZEN, ids: ['i-1'] }]);
    expect(await detach(kit)).toEqual({ outcome: 'done', loadBalancers: ['of-the-launch'] });
    expect(kit.cloud.called('deregister')).toMatchObject([{ credentials: FROZEN }]);
    expect(kit.cloud.behind.get('of-the-launch')?.size).toBe(0);
  });

  it('are those of the spec where nothing of ours was launched', async () => {
    const kit = createCloudActivities();
    kit.addMachine(NAME, { instanceId: 'i-1', spec: { region: 'near', loadBalancers: ['of-the-spec'] } });
    expect(await attach(kit)).toEqual({ outcome: 'done', loadBalancers: ['of-the-spec'] });
    expect(kit.cloud.called('register')).toMatchObject([{ credentials: { region: 'near' } }]);
  });

  it('are not called where there are none, or where the cloud has none', async () => {
    const none = kitWith();
    expect(await attach(none)).toEqual({ outcome: 'done', loadBalancers: [] });
    expect(none.cloud.calls).toEqual([]);
    const kit = createCloudActivities(({ loadBalancing: _without, ...provider }) => provider);
    kit.addMachine(NAME, { instanceId: 'i-1', launched: LAUNCHED });
    expect(await detach(kit)).toEqual({ outcome: 'done', loadBalancers: [] });
  });

  it('are left alone while the Machine is paused', async () => {
    const kit = kitWith({ launched: LAUNCHED, paused: true });
    await expect(attach(kit)).rejects.toMatchObject({ type: 'ObjectChanged' });
    await expect(detach(kit)).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(kit.cloud.calls).toEqual([]);
  });

  it('that fail are an answer, and a defect is none', async () => {
    const kit = kitWith({ launched: LAUNCHED });
    kit.cloud.disturb = () => {
      throw new ProviderError('NotFound', 'no such load balancer', { cloudCode: 'LoadBalancerNotFound' });
    };
    expect(await attach(kit)).toMatchObject({ outcome: 'failed', failure: { cloudCode: 'LoadBalancerNotFound' } });
    kit.cloud.disturb = () => {
      throw new TypeError('a defect');
    };
    await expect(attach(kit)).rejects.toThrow('a defect');
  });
});
