import { describe, expect, it } from '@jest/globals';
import { tokenOf } from '../k8s/launch-token.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import type { PreparedLaunch } from '../k8s/model/machine.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { ProviderError, type Provider } from '../providers/provider.ts';
import { ActivityWorld, type GivenMachine } from '../test/unit/activity-world.ts';
import { createCloudActivities, targetOf, type MachineFacts } from '../test/unit/cloud-activities.ts';
import type { FakeObject } from '../test/unit/fake-kube.ts';
import { before } from '../test/world/kubernetes/request.ts';
import type { MachineTarget, PrepareLaunch } from '../workflows/machine/machine-activities.ts';

/** The spec names a place of its own. */
const SPEC = { secretName: 'of-the-spec', region: 'region-of-the-spec' };
const STATUS = { addresses: [], conditions: [] };

function providerStatusOf(object: FakeObject | undefined): Record<string, unknown> {
  return (object?.status?.['providerStatus'] ?? {}) as Record<string, unknown>;
}

/** The token of an attempt of the Machine m. */
function ownToken(attempt: number): string {
  return tokenOf(targetOf('m').ref.uid, attempt);
}

describe('the preparation of a launch', () => {
  function unprepared(facts: MachineFacts = {}, wrap?: (provider: Provider) => Provider) {
    const world = createCloudActivities(wrap);
    world.addMachine('m', { spec: SPEC, ...facts });
    const prepare = (more: object = {}) =>
      world.run((own) => own.prepareLaunch({ ...targetOf('m'), attempt: 1, replace: false, status: STATUS, ...more }));
    return { ...world, prepare };
  }

  it('puts our finalizer on the Machine before the launch is written', async () => {
    const { prepare, kube } = unprepared();
    kube.change('Machine', 'm', (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } }));
    const writes: string[] = [];
    kube.beforeWrite = (write) => void writes.push(write);
    await expect(prepare()).resolves.toMatchObject({ outcome: 'prepared', found: false });
    expect(kube.all('Machine')[0]?.metadata.finalizers).toContain(FINALIZER);
    expect(writes).toEqual(['apply Machine m', 'apply Machine m/status']);
    expect(providerStatusOf(kube.all('Machine')[0])['launch']).toMatchObject({ attempt: 1 });
  });

  it('answers the launch that stands in the status already', async () => {
    const { prepare, kube } = unprepared({ launched: {} });
    await expect(prepare()).resolves.toMatchObject({
      outcome: 'prepared',
      found: true,
      launch: { token: ownToken(1) },
    });
    const { launch } = providerStatusOf(kube.all('Machine')[0]);
    const replacing = { replace: true, status: { ...STATUS, launch } };
    await expect(prepare(replacing)).resolves.toMatchObject({ outcome: 'prepared', found: false });
  });

  it('tells what is wrong with a spec, and leaves nothing rejected that nobody waits for', async () => {
    const wrong = (field: string) => new ProviderError('InvalidArgument', `${field} is wrong`, { field });
    const { prepare } = unprepared({}, (provider) => ({
      ...provider,
      resolve: () => Promise.reject(wrong('subnet')),
      credentialsOf: () => {
        throw wrong('credentialsSecret');
      },
      accountOf: async () => '1',
    }));
    const stray: unknown[] = [];
    const note = (reason: unknown) => void stray.push(reason);
    process.on('unhandledRejection', note);
    await expect(prepare()).resolves.toMatchObject({ outcome: 'invalid', field: 'subnet' });
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(stray).toEqual([]);
  });

  it('keeps what was given up where it replaces a launch that nobody called', async () => {
    const { prepare, kube } = unprepared({ launched: {} });
    kube.change('Machine', 'm', (object) => {
      const launch = { ...(providerStatusOf(object)['launch'] as PreparedLaunch), callsGivenUp: 3 };
      return { ...object, status: { providerStatus: { launch } } };
    });
    const { launch } = providerStatusOf(kube.all('Machine')[0]);
    const replacing = { replace: true, status: { ...STATUS, launch } };
    await expect(prepare(replacing)).resolves.toMatchObject({ found: false, launch: { callsGivenUp: 3 } });
    await expect(prepare({ attempt: 2 })).resolves.not.toHaveProperty('launch.callsGivenUp');
  });

  it.each<[string, MachineFacts, (object: FakeObject) => FakeObject]>([
    ['an instance is recorded', { instanceId: 'i-1' }, (object) => object],
    [
      'it names an instance',
      {},
      (object) => ({ ...object, spec: { ...object.spec, providerID: 'fake:///zone-a/i-1' } }),
    ],
    ['it is paused', { paused: true }, (object) => object],
    ['it is being deleted', { deleting: true }, (object) => object],
  ])('writes nothing where %s', async (_what, facts, edit) => {
    const { prepare, kube } = unprepared(facts);
    kube.change('Machine', 'm', edit);
    kube.beforeWrite = (write) => {
      throw new Error(write);
    };
    await expect(prepare()).resolves.toEqual({ outcome: 'changed' });
  });
});

describe('the preparation of a launch, where somebody writes between its look and its write', () => {
  const METADATA = { finalizers: ['example.com/theirs', FINALIZER] };
  const launchOf = ({ ref }: MachineTarget, attempt: number, more: object = {}): PreparedLaunch => ({
    attempt,
    token: tokenOf(ref.uid, attempt),
    preparedAt: '2026-01-01T00:00:01.000Z',
    specHash: 'another',
    parameters: { provider: 'simulated', credentials: { namespace: 'default' }, zone: 'zone-b', request: {} },
    idempotency: 'token',
    ...more,
  });

  /** A Machine whose first attempt is prepared, and what happens right before the first write of its status. */
  async function whileWriting(
    meanwhile: (world: ActivityWorld, target: MachineTarget) => unknown,
    asked: (target: MachineTarget) => Partial<PrepareLaunch> = () => ({}),
    given: GivenMachine = {},
  ) {
    const world = await ActivityWorld.open();
    try {
      const target = world.machine('m', { metadata: METADATA, ...given });
      const request = { ...target, attempt: 1, replace: false, status: STATUS, ...asked(target) };
      world.kube.onRequest = before({ verb: 'apply', subresource: 'status', nth: 1 }, async () => {
        await meanwhile(world, target);
      });
      const answer = await world.run((own) => own.prepareLaunch(request));
      return { answer, stored: world.stored('m') };
    } finally {
      await world.close();
    }
  }

  /** Another worker of ours writes this in place of what the status says of the launch and the instance. */
  const writeAs = (world: ActivityWorld, providerStatus: object) =>
    world.kube.others.apply(
      MACHINES,
      'default',
      'm',
      { status: { providerStatus } },
      { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' },
    );
  const patch = (world: ActivityWorld, body: object) => world.kube.others.mergePatch(MACHINES, 'default', 'm', body);

  it('answers the later attempt that another worker prepared, and leaves it there', async () => {
    const { answer, stored } = await whileWriting((world, target) => writeAs(world, { launch: launchOf(target, 2) }));
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
    const seen = (target: MachineTarget) => launchOf(target, 1, { preparedAt: '2026-01-01T00:00:00.000Z' });
    const { answer, stored } = await whileWriting(
      (world, target) => writeAs(world, { launch: launchOf(target, 1) }),
      (target) => ({ replace: true, status: { ...STATUS, launch: seen(target) } }),
    );
    expect(answer).toMatchObject({ outcome: 'prepared', found: true, launch: { specHash: 'another' } });
    expect(stored).toMatchObject({ status: { providerStatus: { launch: { specHash: 'another' } } } });
  });

  it.each<[string, (world: ActivityWorld) => unknown]>([
    ['an instance is on record', (world) => writeAs(world, { instanceId: 'i-1', instanceState: 'running' })],
    ['it names an instance', (world) => patch(world, { spec: { providerID: 'simulated:///zone-a/i-1' } })],
    ['it is paused', (world) => patch(world, { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } })],
    ['it is being deleted', (world) => world.kube.others.delete(MACHINES, 'default', 'm')],
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

  it('fails where somebody writes again and again', async () => {
    const world = await ActivityWorld.open();
    const target = world.machine('m', { metadata: METADATA });
    let writes = 0;
    world.kube.onRequest = before({ verb: 'apply', subresource: 'status' }, async () => {
      await patch(world, { metadata: { labels: { write: String((writes += 1)) } } });
    });
    const request = { ...target, attempt: 1, replace: false, status: STATUS };
    await expect(world.run((own) => own.prepareLaunch(request))).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(writes).toBe(3);
    await world.close();
  });
});
