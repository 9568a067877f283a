import type { StoredObject } from '../k8s/dialects/kind.ts';
import { APIS } from '../k8s/dialects/registry.ts';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { CLUSTER_LABEL } from '../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { CLUSTERS, MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { NODES, type Resource } from '../k8s/resources.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { VirtualClock } from '../providers/virtual-clock-for-tests.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import { ACT_MS, active, MachineReader } from './machine-reader.ts';

const { apiVersion, kind } = MACHINES;
const ref = { apiVersion, kind, namespace: 'ns', name: 'm', uid: 'u' };
const TARGET = { ref, clusterUid: 'ours' };

let clock: VirtualClock;
let reads: string[];
let reader: MachineReader;
let isClusterPaused: boolean;
let stored: { metadata: Record<string, unknown>; spec: Record<string, unknown> };

beforeEach(() => {
  clock = new VirtualClock();
  reads = [];
  isClusterPaused = false;
  stored = {
    metadata: { name: 'm', namespace: 'ns', uid: 'u', generation: 1, finalizers: ['first'], resourceVersion: '7' },
    spec: { providerSpec: { value: { kind: 'X' } } },
  };
  const kube = {
    get: async ({ kind: asked }: Resource, _namespace: string, name: string) => {
      reads.push(`${asked} ${name}`);
      if (asked === MACHINES.kind) return machine();
      const spec = { paused: isClusterPaused };
      const metadata = { name, namespace: 'ns', uid: name };
      if (asked === CLUSTERS.kind) return { apiVersion, kind: asked, metadata, spec };
      throw new KubeError(404, 'NotFound', `no ${name}`);
    },
    list: async ({ kind: asked }: Resource) => {
      reads.push(`all of ${asked}`);
      return { items: asked === MACHINES.kind ? [machine()] : [], resourceVersion: '' };
    },
  } as unknown as KubeClient;
  reader = new MachineReader({ kube, apis: APIS, providers: createProviderRegistry([]), clusterUid: 'ours', clock });
});

function machine(): StoredObject {
  return structuredClone({ apiVersion, kind, ...stored }) as unknown as StoredObject;
}

/** A write that is answered with the Machine as it is stored. */
const write = () => reader.writing(ref, async () => machine());
const failureOf = (step: Promise<unknown>) =>
  step.then(
    () => 'none',
    (error: { type?: string }) => error.type,
  );

describe('the look with which a pass began', () => {
  test('counts for three seconds, or for less where less is asked for', async () => {
    await reader.read(ref);
    await clock.pass(1500);
    expect(reader.recent(ref)).toMatchObject({ meta: { finalizers: ['first'], resourceVersion: '7' } });
    expect(reader.recent(ref, ACT_MS)).toBeUndefined();
    await clock.pass(1500);
    expect(reader.recent(ref)).toBeUndefined();
  });

  test('is as old as it is, whatever the clock of the host is set to', async () => {
    await reader.read(ref);
    await clock.pass(1500);
    clock.set(-3_600_000);
    expect(reader.recent(ref, ACT_MS)).toBeUndefined();
    clock.set(7_200_000);
    expect(reader.recent(ref)).toBeDefined();
  });

  test('is shared by its steps, and read anew by those that ask for the Machine as it is now', async () => {
    await reader.read(ref);
    await reader.seen(TARGET);
    expect(reads).toEqual(['Machine m']);
    await reader.live(TARGET);
    await clock.pass(ACT_MS);
    await reader.seen(TARGET, ACT_MS);
    expect(reads).toHaveLength(3);
  });

  test('is no way around a Machine of another cluster, one that is malformed, or paused', async () => {
    await reader.read(ref);
    expect(await failureOf(reader.seen({ ...TARGET, clusterUid: 'theirs' }))).toBe('ForeignCluster');
    stored.metadata['annotations'] = { [PAUSED_ANNOTATION]: '' };
    await reader.read(ref);
    expect(await failureOf(reader.seen(TARGET))).toBe('none');
    expect(await failureOf(reader.seen(TARGET).then(active))).toBe(OBJECT_CHANGED);
    stored.spec['providerSpec'] = 'text';
    await reader.read(ref);
    expect(await failureOf(reader.seen(TARGET))).toBe(OBJECT_CHANGED);
  });
});

describe('a write', () => {
  test('keeps everybody from going by what was there before it', async () => {
    await reader.read(ref);
    const end = Promise.withResolvers<StoredObject>();
    const writing = reader.writing(ref, () => end.promise);
    expect(reader.recent(ref)).toBeUndefined();
    end.resolve(machine());
    await writing;
  });

  test('is gone on from with its answer, no longer than from the look', async () => {
    await reader.read(ref);
    await clock.pass(2000);
    Object.assign(stored.metadata, { finalizers: ['second'], resourceVersion: '8' });
    await write();
    expect(reader.recent(ref)).toMatchObject({ meta: { finalizers: ['second'], resourceVersion: '8' } });
    await clock.pass(1000);
    expect(reader.recent(ref)).toBeUndefined();
  });

  test('is not gone on from where there was no look', async () => {
    await write();
    expect(reader.recent(ref)).toBeUndefined();
  });

  test.each<[string, () => void]>([
    ['another spec', () => void (stored.metadata['generation'] = 2)],
    ['another Cluster', () => void (stored.metadata['labels'] = { [CLUSTER_LABEL]: 'other' })],
    ['what is malformed', () => void (stored.spec['providerSpec'] = 'text')],
  ])('is not gone on from where it is answered with %s', async (_what, change) => {
    await reader.read(ref);
    change();
    await write();
    expect(reader.recent(ref)).toBeUndefined();
  });

  test('leaves nothing of a look that somebody had meanwhile: which of both is newer is not known', async () => {
    await reader.read(ref);
    await reader.writing(ref, async () => {
      await reader.read(ref);
      return machine();
    });
    expect(reader.recent(ref)).toBeUndefined();
  });

  test.each([404, 409])('that finds the Machine gone or changed (%i) means a new look', async (status) => {
    await reader.read(ref);
    const failing = reader.writing(ref, () => Promise.reject(new KubeError(status, 'NotFound', 'no')));
    expect(await failureOf(failing)).toBe(OBJECT_CHANGED);
    expect(reader.recent(ref)).toBeUndefined();
  });

  test('is gone on from with the pause of the Cluster, as it was seen', async () => {
    stored.metadata['labels'] = { [CLUSTER_LABEL]: 'c' };
    isClusterPaused = true;
    const looked = reader.read(ref);
    await clock.pass(100);
    await looked;
    await write();
    expect(reader.recent(ref)?.machine).toMatchObject({ paused: true, pausedBy: 'Cluster ns/c' });
  });
});

test('those who ask at the same time share one read of the Cluster, of all Machines, and of all Nodes', async () => {
  stored.metadata['labels'] = { [CLUSTER_LABEL]: 'c' };
  const looks = Promise.all([reader.live(TARGET), reader.live(TARGET), reader.all(), reader.all()]);
  const nodes = Promise.all([reader.nodes(), reader.nodes()]);
  await clock.pass(1000);
  await looks;
  await nodes;
  const of = (what: string) => reads.filter((read) => read === what).length;
  expect([of('Machine m'), of('Cluster c'), of('all of Machine'), of(`all of ${NODES.kind}`)]).toEqual([2, 1, 1, 1]);
});
