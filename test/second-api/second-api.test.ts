import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { pino } from 'pino';
import type { StoredObject } from '../../k8s/dialects/kind.ts';
import { isOurs, type CustomResourceDefinition } from '../../k8s/install/api-group.ts';
import { readClusterRoles } from '../../k8s/install/cluster-roles.ts';
import { installInto } from '../../k8s/install/install.ts';
import { resumeObjects } from '../../k8s/install/resume.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../k8s/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import { given } from '../../providers/given.ts';
import { explain } from '../../starters/cli/explanation/explanation.ts';
import { findObject, listObjects } from '../../starters/cli/access/find-object.ts';
import { findMachines } from '../../starters/cli/commands/machine/operation.ts';
import { machineRows } from '../../starters/cli/commands/machine/machine-table.ts';
import { ClusterView } from '../../starters/watcher/cluster-view.ts';
import { ReportingWatch } from '../../starters/watcher/reporting-watch.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { Temporal } from '../workflow/temporal.ts';
import { SIMULATED } from '../world/builders/a-machine.ts';
import { aNode } from '../world/builders/a-node.ts';
import { metadataOf, refOf } from '../world/builders/metadata.ts';
import { ApiServer } from '../world/kubernetes/api-server.ts';
import { inForceAtOnce } from '../world/kubernetes/in-force.ts';
import { World } from '../world/world.ts';
import { WITH_ROOMS } from './k8s/dialects/registry.ts';
import { server } from './k8s/dialects/rooms/server.ts';

jest.setTimeout(60_000);

const { apiVersion, kind } = server.resource;

/** A Server as its users write it. */
function aServer(name: string, parts: object = {}) {
  const metadata = metadataOf(name, { creationTimestamp: new Date().toISOString() });
  return { apiVersion, kind, metadata, spec: { hardware: SIMULATED, room: 'cellar' }, ...parts };
}

let world: World;
let temporal: Temporal;

beforeAll(async () => {
  temporal = await Temporal.inRealTime();
  world = new World(temporal.clock, { apis: WITH_ROOMS });
}, 120_000);

afterAll(async () => {
  await temporal.endAll();
  await temporal.stop();
});

const stored = (name: string) => world.kube.peek(server.resource, 'default', name) as StoredObject | undefined;
const read = (name: string) => {
  const object = stored(name);
  return object && server.read(object);
};
const access = { namespace: 'default', apis: WITH_ROOMS };
const cli = () => ({ ...access, kube: world.kube.client });

/** Starts the life of a Server that is there. */
async function begin(ref: ObjectRef) {
  const handle = await temporal.startMachine({ ref, activities: world.activities });
  return { handle, look: () => handle.signal(changedSignal) };
}

describe('a Server of a second API', () => {
  test('comes up: it is launched once, recorded in the words of its API, and linked to its Node', async () => {
    const object = aServer('up');
    world.kube.put(object);
    const { look } = await begin(refOf(object));
    await temporal.until(() => read('up')?.machine.status.instance !== undefined);
    const { hostRef } = (stored('up') as unknown as { spec: { hostRef: string } }).spec;
    expect(stored('up')).toMatchObject({
      metadata: { finalizers: [server.finalizer], labels: { 'rooms.example.com/rack': expect.any(String) } },
      status: { stage: 'Provisioned', host: { power: expect.any(String) }, order: { attempt: 1 } },
    });
    world.kube.put(aNode({ name: 'node-up', providerID: hostRef }));
    await look();
    await temporal.until(() => read('up')?.machine.status.phase === 'Running');
    expect(stored('up')).toMatchObject({ status: { kubelet: { name: 'node-up' } } });
    expect(world.cloud.instances).toHaveLength(1);
  });

  test('is listed, found and explained beside the Machines of the first', async () => {
    world.addMachine({ name: 'other' });
    const found = await listObjects(cli(), 'machine', { namespace: 'default' });
    const rows = machineRows(
      found.map((one) => one.read),
      { now: Date.now(), isWide: false, withNamespace: false },
    );
    expect(rows.map(([name, phase, node]) => [name, phase, node])).toEqual([
      ['NAME', 'PHASE', 'NODE'],
      ['other', '', ''],
      ['up', 'Running', 'node-up'],
    ]);
    const { read: one } = await findObject(cli(), 'machine', 'up');
    expect(explain(one)).toMatchObject({ phase: 'Running', waitsFor: 'nothing', node: 'node-up' });
    await expect(findObject(cli(), 'machine', 'upp')).rejects.toThrow(
      'there is no Machine or Server default/upp; did you mean up?',
    );
  });

  test('of the name of another is told apart from it', async () => {
    world.kube.put(aServer('other'));
    await expect(findObject(cli(), 'machine', 'other')).rejects.toThrow(
      'default/other is the name of 2 objects: say machine.machine.openshift.io/other or server.rooms.example.com/other',
    );
    const kindOf = async (named: string) => (await findObject(cli(), 'machine', named)).kind.resource.kind;
    for (const named of ['machine.machine.openshift.io/other', 'Machine/other', 'machines/other']) {
      expect(await kindOf(named)).toBe('Machine');
    }
    expect(await kindOf('server.rooms.example.com/other')).toBe('Server');
    await expect(kindOf('servers.machine.openshift.io/other')).rejects.toThrow(
      'could not read servers.machine.openshift.io/other: servers.machine.openshift.io is none of the kinds that are meant here, which are machine.machine.openshift.io, server.rooms.example.com',
    );
    await expect(kindOf('server/up-not')).rejects.toThrow('there is no Server default/up-not');
    const machines = await findMachines(cli(), ['server/other', 'up', 'servers.rooms.example.com/other']);
    expect(machines.map(({ read: one }) => one.machine.ref.name)).toEqual(['other', 'up']);
  });

  test('that came with the status of another drops it, leaves that one’s instance alone, and launches its own', async () => {
    const original = stored('up') as StoredObject & { readonly spec: object; readonly status: object };
    const { instance } = read('up')?.machine.status ?? {};
    const copy = aServer('copy', { spec: original.spec, status: original.status });
    world.kube.put(copy);
    expect(read('copy')?.machine).toMatchObject({ copied: { instanceId: instance?.id } });
    expect(read('copy')?.machine.status).not.toHaveProperty('instance');
    await begin(refOf(copy));
    await temporal.until(() => read('copy')?.machine.status.instance !== undefined);
    expect(read('copy')?.machine.status.instance?.id).not.toBe(instance?.id);
    expect(world.events).toContainEqual(
      expect.objectContaining({ involvedObject: expect.objectContaining({ name: 'copy' }), reason: 'CopiedStatus' }),
    );
    expect(world.cloud.instance(instance?.id ?? '')?.state).toBe('running');
    await world.kube.others.delete(server.resource, 'default', 'copy', { uid: copy.metadata.uid });
  });

  test('whose record of its launch cannot be read is malformed, and launches nothing by it', () => {
    const { machine } = server.read(aServer('unreadable', { status: { stage: 'Provisioned', order: { attempt: 0 } } }));
    expect(machine.malformed).toEqual({
      message: "status.order must have required property 'token'",
      isStatusReadable: false,
    });
    expect(machine.status).toEqual({ addresses: [], conditions: [] });
  });

  test('is told what is wrong with it under the names of its own fields', async () => {
    const wrong = (name: string, spec: object) => {
      const object = aServer(name, { spec: { hardware: SIMULATED, room: 'cellar', ...spec } });
      world.kube.put(object);
      return begin(refOf(object));
    };
    const saying = async (name: string) => {
      const told = (): string => {
        const { conditions = [], waiting } = read(name)?.machine.status ?? {};
        return [...conditions.map(({ message }) => message), waiting?.message ?? ''].join('\n');
      };
      await temporal.until(() => told().includes('spec.'));
      return told();
    };
    await wrong('malformed-type', { hardware: { ...SIMULATED, instanceType: 7 } });
    await wrong('without-secret', { hardware: { ...SIMULATED, userDataSecret: { name: 'nowhere' } } });
    await wrong('with-other-id', { hostRef: 'simulated:///zone-a/no id' });
    expect(await saying('malformed-type')).toContain('spec.hardware.instanceType');
    expect(await saying('without-secret')).toContain(
      'spec.hardware.userDataSecret.name: Secret default/nowhere does not exist',
    );
    expect(await saying('with-other-id')).toContain('"no id", which spec.hostRef or the status names');
  });

  test('goes: its instance ends, its Node goes, and it is let go', async () => {
    const object = aServer('down');
    world.kube.put(object);
    const { handle, look } = await begin(refOf(object));
    await temporal.until(() => read('down')?.machine.providerID !== undefined);
    const { providerID } = read('down')?.machine ?? {};
    world.kube.put(aNode({ name: 'node-down', ...given({ providerID }) }));
    await look();
    await temporal.until(() => read('down')?.machine.status.phase === 'Running');
    const id = read('down')?.machine.status.instance?.id ?? '';
    await world.kube.others.delete(server.resource, 'default', 'down', { uid: object.metadata.uid });
    await look();
    await temporal.resultOf(handle, 60);
    expect(stored('down')).toBeUndefined();
    expect(world.cloud.instance(id)?.state).toBe('terminated');
  });

  test('that cannot be read is malformed, by its own definition', () => {
    const { machine } = server.read(aServer('broken', { spec: { hardware: 7 } }));
    expect(machine.malformed).toEqual({ message: 'spec.hardware must be object', isStatusReadable: true });
  });

  test('is watched, and wakes its own workflow', async () => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: 'c', server: 'http://127.0.0.1:1', skipTLSVerify: true }, { name: 'u' });
    const listed = Promise.withResolvers<void>();
    const view = new ClusterView({
      watch: new ReportingWatch(config),
      kube: world.kube.client,
      apis: WITH_ROOMS,
      namespace: undefined,
      watchRetryMostMs: 60_000,
      onWakes: () => {},
      onMachine: () => {},
      onListed: () => listed.resolve(),
      clock: systemClock,
      log: pino({ level: 'silent' }),
    });
    view.start();
    await listed.promise;
    await view.stop();
    expect(view.index.refs()).toContainEqual(expect.objectContaining({ kind: 'Server', name: 'up' }));
  });
});

test('what the processes may do with a Server stands in their roles', async () => {
  const roles = await readClusterRoles(WITH_ROOMS);
  const rules = roles.flatMap(({ name, rules: all }) =>
    all
      .filter(({ apiGroups }) => apiGroups.includes('rooms.example.com'))
      .map(({ resources, verbs }) => [name, ...resources, ...verbs].join(' ')),
  );
  expect(rules).toEqual([
    'millwright-worker servers get list create patch delete',
    'millwright-worker servers/status patch',
    'millwright-watcher servers list watch',
    'millwright-install-take-over servers list patch',
  ]);
  const install = roles.find(({ name }) => name === 'millwright-install');
  const definitions = install?.rules.find(({ verbs }) => verbs.join() === 'get,create,patch');
  expect(definitions?.resourceNames).toContain('servers.rooms.example.com');
});

describe('the definition of a second API', () => {
  test('is installed with the others', async () => {
    const kube = inForceAtOnce(new ApiServer({ apis: WITH_ROOMS }));
    await installInto(kube.client, { apis: WITH_ROOMS });
    const names = kube.all(CUSTOM_RESOURCE_DEFINITIONS).map(({ metadata }) => metadata.name);
    expect(names).toContain('servers.rooms.example.com');
    expect(names).toContain('machines.machine.openshift.io');
  });

  test('that is somebody else’s is refused, and taken over with its Servers paused until they are resumed', async () => {
    const kube = inForceAtOnce(new ApiServer({ apis: WITH_ROOMS }));
    const metadata = { name: 'servers.rooms.example.com' };
    const group = 'rooms.example.com';
    const spec = { group, names: { kind, plural: 'servers' }, versions: [{ name: 'v1alpha1', served: true }] };
    const options = { fieldManager: 'rooms-operator' };
    await kube.others.create(CUSTOM_RESOURCE_DEFINITIONS, undefined, { metadata, spec }, options);
    kube.put(aServer('one'));
    await expect(installInto(kube.client, { apis: WITH_ROOMS })).rejects.toThrow(
      'the API rooms.example.com is here already, and not from Millwright',
    );
    expect(await installInto(kube.client, { apis: WITH_ROOMS, takeOver: true })).toEqual({ tookOver: true, paused: 1 });
    const definitions = kube.all<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS);
    expect(definitions.every(isOurs)).toBe(true);
    expect(await resumeObjects(kube.client, { apis: WITH_ROOMS })).toMatchObject({ machine: 1 });
  });
});
