import { describe, expect, it, jest } from '@jest/globals';
import { tokenOf } from '../k8s/launch-token.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { CLUSTER_LABEL, FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import type { PreparedLaunch } from '../k8s/model/machine.ts';
import { MACHINE_CLASSES, MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Provider } from '../providers/provider.ts';
import { aLaunch, type LaunchFacts } from '../test/world/builders/a-launch.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { aMachineClass } from '../test/world/builders/a-machine-class.ts';
import { aUserDataSecret } from '../test/world/builders/a-secret.ts';
import { before, describeRequest, isWrite } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import type { KubeObject } from '../test/world/kubernetes/kube-object.ts';
import type { PrepareLaunch } from '../workflows/machine/launch-activities.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';
import { seenStatusOf } from './seen-versions.ts';

const STATUS = { addresses: [], conditions: [] };

/** A Machine, and how a launch of it is prepared. */
function unprepared(facts: MachineFacts = {}) {
  const world = new World(ownClock());
  const target = world.addMachine(facts);
  return {
    world,
    target,
    prepare: (more: Partial<PrepareLaunch> = {}) =>
      world.run((own) => own.prepareLaunch({ ...target, attempt: 1, replace: false, status: STATUS, ...more })),
    /** As it is stored. */
    stored: () => world.kube.peek(MACHINES, 'default', 'm'),
    writes: () => world.requests.filter(isWrite).map(describeRequest),
  };
}

const refuse = (message: string) => {
  throw new KubeError(500, 'InternalError', message);
};

/** Of the Machine m. */
const launchOf = ({ ref }: MachineTarget, facts: LaunchFacts = {}): PreparedLaunch => aLaunch(ref, facts);

describe('the preparation of a launch', () => {
  it('puts our finalizer on the Machine before the launch is written', async () => {
    const { prepare, stored, writes } = unprepared({ metadata: { finalizers: [] } });
    expect(await prepare()).toMatchObject({ outcome: 'prepared', found: false });
    expect(writes()).toEqual(['apply machines default/m', 'apply machines/status default/m']);
    const launch = { attempt: 1 };
    expect(stored()).toMatchObject({ metadata: { finalizers: [FINALIZER] }, status: { providerStatus: { launch } } });
  });

  it('freezes the account that the credentials lead to', async () => {
    const { world, prepare, stored } = unprepared();
    world.replaceWorker({ ...world.cloud.provider, accountOf: () => Promise.resolve('home-account') });
    expect(await prepare()).toMatchObject({ outcome: 'prepared', launch: { account: 'home-account' } });
    expect(stored()).toMatchObject({ status: { providerStatus: { launch: { account: 'home-account' } } } });
  });

  it('says in the log that looks count in any account where nobody tells which it is', async () => {
    const { world, prepare, target } = unprepared();
    world.replaceWorker({ ...world.cloud.provider, accountOf: () => Promise.resolve(undefined) });
    const warn = jest.spyOn(world.deps.log, 'warn');
    expect(await prepare()).toMatchObject({ outcome: 'prepared' });
    const told = expect.stringContaining('nobody tells which account');
    expect(warn.mock.calls).toEqual([[{ object: target.ref }, told]]);
  });

  it.each<[string, () => Pick<Provider, 'accountOf'>]>([
    ['is told', () => ({ accountOf: () => Promise.resolve('home-account') })],
    ['is nothing that the cloud has', () => ({})],
  ])('says nothing of that where the account %s', async (_what, told) => {
    const { world, prepare } = unprepared();
    const provider = { ...world.cloud.provider };
    Reflect.deleteProperty(provider, 'accountOf');
    world.replaceWorker({ ...provider, ...told() });
    const warn = jest.spyOn(world.deps.log, 'warn');
    expect(await prepare()).toMatchObject({ outcome: 'prepared' });
    expect(warn.mock.calls).toEqual([]);
  });

  it('freezes which version of the user-data goes with it', async () => {
    const { world, prepare } = unprepared({ value: { userDataSecret: { name: 'boot' } } });
    world.kube.put(aUserDataSecret('boot'));
    const userData = { name: 'boot', uid: 'uid-of-boot', resourceVersion: String(world.kube.store.version) };
    expect(await prepare()).toMatchObject({ outcome: 'prepared', launch: { userData } });
  });

  it('is one write by the look with which the pass began, where our finalizer is there', async () => {
    const { world, prepare, target, writes } = unprepared();
    await world.run((own) => own.observeMachine(target));
    world.onRequest = before({ verb: 'get', resource: MACHINES }, () => refuse('there is no other look'));
    expect(await prepare()).toMatchObject({ outcome: 'prepared' });
    expect(writes()).toEqual(['apply machines/status default/m']);
  });

  it('answers the launch that stands in the status already', async () => {
    const { prepare, target } = unprepared({ launch: {} });
    const launch = { token: tokenOf(target.ref.uid, 1) };
    expect(await prepare()).toMatchObject({ outcome: 'prepared', found: true, launch });
    const replacing = { replace: true, status: { ...STATUS, launch: launchOf(target) } };
    expect(await prepare(replacing)).toMatchObject({ outcome: 'prepared', found: false });
  });

  it('answers in which version the status has the launch: the next write goes over that', async () => {
    const { prepare, stored } = unprepared();
    const written = await prepare();
    const seen = seenStatusOf(stored() as KubeObject);
    expect(written).toMatchObject({ found: false, seen });
    expect(await prepare()).toMatchObject({ found: true, seen });
  });

  it('tells what is wrong with a spec, and leaves nothing rejected that nobody waits for', async () => {
    const wrong = (field: string) =>
      new ProviderError('InvalidArgument', `${field} is wrong`, { field, outsideSpec: true });
    const { world, prepare } = unprepared();
    world.replaceWorker({
      ...world.cloud.provider,
      resolve: () => Promise.reject(wrong('subnet')),
      credentialsOf: () => {
        throw wrong('credentialsSecret');
      },
      accountOf: async () => '1',
    });
    const stray: unknown[] = [];
    const note = (reason: unknown) => void stray.push(reason);
    process.on('unhandledRejection', note);
    const told = { message: 'subnet is wrong', field: 'subnet', outsideSpec: true };
    expect(await prepare()).toEqual({ outcome: 'invalid', ...told });
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(stray).toEqual([]);
  });

  it('tells what has nothing to do with the spec as a failure', async () => {
    const { world, prepare } = unprepared();
    const resolve = () => Promise.reject(new ProviderError('Unavailable', 'not now'));
    world.replaceWorker({ ...world.cloud.provider, resolve });
    expect(await prepare()).toMatchObject({ outcome: 'failed', failure: { message: 'not now' } });
  });

  it('fails for a defect, whatever is wrong with the spec', async () => {
    const { world, prepare } = unprepared();
    const { launchTurns: _none, ...provider } = world.cloud.provider;
    world.replaceWorker({
      ...provider,
      resolve: () => Promise.reject(new ProviderError('InvalidArgument', 'it is wrong')),
      credentialsOf: () => {
        throw new TypeError('a defect');
      },
    });
    await expect(prepare()).rejects.toThrow('a defect');
  });

  it('is refused by the field that names the cluster, where that is empty', async () => {
    const field = `metadata.labels[${CLUSTER_LABEL}]`;
    expect(await unprepared({ cluster: '' }).prepare()).toMatchObject({ outcome: 'invalid', field });
  });

  it('keeps what was given up where it replaces a launch that nobody called', async () => {
    const { prepare, target } = unprepared({ launch: { callsGivenUp: 3 } });
    const replacing = { replace: true, status: { ...STATUS, launch: launchOf(target, { callsGivenUp: 3 }) } };
    expect(await prepare(replacing)).toMatchObject({ found: false, launch: { callsGivenUp: 3 } });
    expect(await prepare({ attempt: 2 })).not.toHaveProperty('launch.callsGivenUp');
  });

  it.each<[string, MachineFacts]>([
    ['an instance is recorded', { instanceId: 'i-1' }],
    ['it names an instance', { providerID: 'simulated:///zone-a/i-1' }],
    ['it is paused', { paused: true }],
    ['it is being deleted', { deleting: true }],
    ['it is to be deleted', { spec: { delete: true } }],
  ])('writes nothing where %s', async (_what, facts) => {
    const { prepare, writes } = unprepared(facts);
    expect(await prepare()).toEqual({ outcome: 'changed' });
    expect(writes()).toEqual([]);
  });
});

describe('the preparation of a launch, where somebody writes between its look and its write', () => {
  const METADATA = { finalizers: ['example.com/theirs', FINALIZER] };
  const ANOTHER = { specHash: 'another', preparedAt: '2026-01-01T00:00:01.000Z' };

  /** What is answered and stored where this happens right before the first write of the status. */
  async function whileWriting(
    meanwhile: (world: World, target: MachineTarget) => unknown,
    asked: (target: MachineTarget) => Partial<PrepareLaunch> = () => ({}),
  ) {
    const { world, target, prepare, stored } = unprepared({ metadata: METADATA });
    world.onRequest = before({ verb: 'apply', subresource: 'status', nth: 1 }, async () => {
      await meanwhile(world, target);
    });
    return { answer: await prepare(asked(target)), stored: stored() };
  }

  /** Another worker of ours writes this in place of what the status says of the launch and the instance. */
  const writeAs = (world: World, providerStatus: object) =>
    world.kube.others.apply(
      MACHINES,
      'default',
      'm',
      { status: { providerStatus } },
      { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' },
    );
  const patch = (world: World, body: object) => world.kube.others.mergePatch(MACHINES, 'default', 'm', body);

  it('answers the later attempt that another worker prepared, and leaves it there', async () => {
    const { answer, stored } = await whileWriting((world, target) =>
      writeAs(world, { launch: launchOf(target, { attempt: 2, ...ANOTHER }) }),
    );
    expect(answer).toMatchObject({ outcome: 'prepared', found: true, launch: { attempt: 2 } });
    expect(stored).toMatchObject({ status: { providerStatus: { launch: { attempt: 2, specHash: 'another' } } } });
  });

  it('does so as well where it is the same worker that prepared it', async () => {
    const { answer, stored } = await whileWriting((world, target) =>
      world.run((own) => own.prepareLaunch({ ...target, attempt: 2, replace: false, status: STATUS })),
    );
    expect(answer).toMatchObject({ outcome: 'prepared', found: true, launch: { attempt: 2 } });
    expect(stored).toMatchObject({ status: { providerStatus: { launch: { attempt: 2 } } } });
  });

  it('does not replace the launch that has replaced the one that was seen', async () => {
    const { answer, stored } = await whileWriting(
      (world, target) => writeAs(world, { launch: launchOf(target, ANOTHER) }),
      (target) => ({ replace: true, status: { ...STATUS, launch: launchOf(target) } }),
    );
    expect(answer).toMatchObject({ outcome: 'prepared', found: true, launch: { specHash: 'another' } });
    expect(stored).toMatchObject({ status: { providerStatus: { launch: { specHash: 'another' } } } });
  });

  it.each<[string, (world: World) => unknown]>([
    ['an instance is on record', (world) => writeAs(world, { instanceId: 'i-1', instanceState: 'running' })],
    ['it names an instance', (world) => patch(world, { spec: { providerID: 'simulated:///zone-a/i-1' } })],
    ['it is paused', (world) => patch(world, { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } })],
    ['it is being deleted', (world) => world.kube.others.delete(MACHINES, 'default', 'm')],
    ['it is to be deleted', (world) => patch(world, { spec: { delete: true } })],
  ])('writes nothing where %s by then', async (_what, meanwhile) => {
    const { answer, stored } = await whileWriting(meanwhile);
    expect(answer).toEqual({ outcome: 'changed' });
    expect(stored).not.toHaveProperty('status.providerStatus.launch');
  });

  it('puts our finalizer back before it writes, where somebody took it', async () => {
    const { answer, stored } = await whileWriting((world) => patch(world, { metadata: { finalizers: [] } }));
    expect(answer).toMatchObject({ outcome: 'prepared', found: false });
    expect(stored).toMatchObject({ metadata: { finalizers: [FINALIZER] }, status: { providerStatus: { launch: {} } } });
  });

  it('writes after all where nothing changed that it goes by', async () => {
    const { answer, stored } = await whileWriting((world) => patch(world, { metadata: { labels: { by: 'others' } } }));
    expect(answer).toMatchObject({ outcome: 'prepared', found: false });
    expect(stored).toMatchObject({ status: { providerStatus: { launch: { attempt: 1 } } } });
  });

  it('puts our finalizer on none that is another by then, or gone', async () => {
    const meanwhile = { verb: 'apply', resource: MACHINES, nth: 1 } as const;
    const { world, prepare, stored } = unprepared({ metadata: { finalizers: [] } });
    world.onRequest = before(meanwhile, async () => void (await writeAs(world, { instanceId: 'i-1' })));
    expect(await prepare()).toEqual({ outcome: 'changed' });
    expect(stored()).not.toHaveProperty('metadata.finalizers');
    const gone = unprepared({ metadata: { finalizers: [] } });
    gone.world.onRequest = before(meanwhile, () => gone.world.kube.drop(MACHINES, 'default', 'm'));
    await expect(gone.prepare()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(gone.stored()).toBeUndefined();
  });

  it('goes by the MachineClass that took the place of the one that it saw', async () => {
    const { world, prepare } = unprepared({ machineClass: 'medium' });
    world.kube.put(aMachineClass());
    const large = { instanceType: 'sim.large' };
    const younger = aMachineClass({ metadata: { uid: 'uid-of-younger' }, providerSpec: large });
    world.onRequest = before({ verb: 'apply', resource: MACHINE_CLASSES, nth: 1 }, () => world.kube.put(younger));
    expect(await prepare()).toMatchObject({ launch: { parameters: large } });
  });

  it('does not write again what the API server failed to do', async () => {
    const { world, prepare, stored } = unprepared();
    world.onRequest = before({ verb: 'apply', subresource: 'status', nth: 1 }, () => refuse('not now'));
    await expect(prepare()).rejects.toThrow('not now');
    expect(stored()).not.toHaveProperty('status');
  });

  it('fails where somebody writes again and again', async () => {
    const { world, prepare } = unprepared({ metadata: METADATA });
    let writes = 0;
    world.onRequest = before({ verb: 'apply', subresource: 'status' }, async () => {
      await patch(world, { metadata: { labels: { write: String((writes += 1)) } } });
    });
    await expect(prepare()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(writes).toBe(3);
  });
});
