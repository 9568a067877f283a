import { describe, expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError, NOT_SERVED } from '../k8s/kube-error.ts';
import { FINALIZER, INSTANCE_STATE_ANNOTATION, PAUSED_ANNOTATION, ZONE_LABEL } from '../k8s/model/labels.ts';
import type { Resource } from '../k8s/resources.ts';
import type { Instance, Provider } from '../providers/provider.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { MachineEvent } from '../workflows/machine/machine-activities.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../workflows/machine/settings.ts';
import type { ActivityDeps } from './deps.ts';
import { tellingRefusals } from './failures.ts';
import { LaunchesFirst } from './launches-first.ts';
import {
  createMachineActivities,
  requireActive,
  requireLooked,
  requireLookedActive,
  requireMachine,
} from './machines.ts';

const API = 'machine.openshift.io/v1beta1';
const REF = { apiVersion: API, kind: 'Machine', namespace: 'ns', name: 'm', uid: 'uid-m' };
const TARGET = { ref: REF, cluster: 'ours' };
const STATUS = { addresses: [], conditions: [] };
const EVENT: MachineEvent = { type: 'Normal', reason: 'Create', message: 'made' };
const INSTANCE: Instance = {
  id: 'i-1',
  providerID: 'fake:///zone-a/i-1',
  state: 'running',
  region: 'r',
  zone: 'zone-a',
  instanceType: 't',
  addresses: [],
};
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'uid-n', creationTimestamp: '' } };
const gone = () => new KubeError(404, 'NotFound', 'it is gone');

interface Stored {
  metadata: Record<string, unknown>;
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

function storedMachine(): Stored {
  return {
    metadata: {
      name: 'm',
      namespace: 'ns',
      uid: 'uid-m',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['theirs', FINALIZER],
    },
    spec: { providerSpec: { value: { kind: 'Fake' } } },
  };
}

/** One Machine as it is stored, the requests that were made about it, and the activities on it. */
function world() {
  const requests: {
    readonly verb: string;
    readonly kind: string;
    readonly body?: unknown;
    readonly options?: object;
  }[] = [];
  const events: MachineEvent[] = [];
  const own = {
    stored: storedMachine(),
    /** What the next request of a verb fails with. */
    failures: new Map<string, Error>(),
    requests,
    events,
    asked: (verb: string) => requests.filter((request) => request.verb === verb),
  };
  const answer = (verb: string, kind: string, body?: unknown, options?: object) => {
    requests.push({
      verb,
      kind,
      ...(body === undefined ? {} : { body }),
      ...(options === undefined ? {} : { options }),
    });
    const failure = own.failures.get(verb);
    own.failures.delete(verb);
    if (failure !== undefined) throw failure;
    if (kind === 'Node') return NODE;
    return structuredClone({ apiVersion: API, kind: 'Machine', ...own.stored });
  };
  const write =
    (verb: string) =>
    async ({ kind }: Resource, _namespace: string, _name: string, body: unknown, options?: object) =>
      answer(verb, kind, body, options);
  const deps = {
    kube: {
      get: async ({ kind }: Resource) => answer('get', kind),
      apply: write('apply'),
      mergePatch: write('mergePatch'),
      jsonPatch: write('jsonPatch'),
    } as unknown as KubeClient,
    providers: createProviderRegistry([{ name: 'fake', providerSpecKinds: ['Fake'] } as unknown as Provider]),
    settings: DEFAULT_MACHINE_SETTINGS,
    cluster: 'ours',
    clusterNames: [],
    events: { record: async (_ref: unknown, event: MachineEvent) => void events.push(event) },
    log: { warn() {}, error() {}, info() {} },
  } as unknown as ActivityDeps;
  const launches = new LaunchesFirst();
  return Object.assign(own, { deps, launches, activities: createMachineActivities(deps, launches, async () => []) });
}

type World = ReturnType<typeof world>;

const pause = ({ stored }: World) => void (stored.metadata['annotations'] = { [PAUSED_ANNOTATION]: '' });
const replace = ({ stored }: World) => void (stored.metadata['uid'] = 'uid-of-another');

/** The type of the failure that a step ends with. */
async function failureOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => 'none',
    (error: { type?: string; message: string }) => error.type ?? error.message,
  );
}

describe('an object of another cluster', () => {
  const foreign = { ...TARGET, cluster: 'theirs' };
  test.each<[string, (world: World) => Promise<unknown>]>([
    ['looked at', ({ activities }) => activities.observeMachine(foreign)],
    [
      'given an instance',
      ({ activities }) => activities.recordInstance({ ...foreign, instance: INSTANCE, status: STATUS }),
    ],
    ['given a finalizer', ({ activities }) => activities.addFinalizer(foreign)],
    ['written to', ({ activities }) => activities.writeMachineStatus({ ...foreign, status: STATUS })],
    ['let go', ({ activities }) => activities.removeFinalizer(foreign)],
    ['required', ({ deps }) => requireMachine(deps, foreign)],
  ])('is not %s', async (_what, step) => {
    const it = world();
    expect(await failureOf(step(it))).toBe('ForeignCluster');
    expect(it.requests).toEqual([]);
  });
});

describe('a look at a Machine', () => {
  test('tells that it is gone where it is, or where another object has its name', async () => {
    const it = world();
    it.failures.set('get', gone());
    expect(await it.activities.observeMachine(TARGET)).toEqual({ found: false });
    replace(it);
    expect(await it.activities.observeMachine(TARGET)).toEqual({ found: false });
  });

  test('takes no other answer for its absence', async () => {
    const it = world();
    it.failures.set('get', new KubeError(404, NOT_SERVED, 'a proxy says so'));
    expect(await failureOf(it.activities.observeMachine(TARGET))).toBe('a proxy says so');
    it.failures.set('get', new KubeError(503, 'Unavailable', 'not now'));
    expect(await failureOf(it.activities.observeMachine(TARGET))).toBe('not now');
  });

  test('shows the Node that it is linked with, but not on the way out', async () => {
    const it = world();
    it.stored.status = { nodeRef: { kind: 'Node', name: 'n', uid: 'uid-n' } };
    expect(await it.activities.observeMachine(TARGET)).toMatchObject({ found: true, node: { name: 'n' } });
    it.stored.metadata['deletionTimestamp'] = '2026-01-02T00:00:00Z';
    expect(await it.activities.observeMachine(TARGET)).not.toHaveProperty('node');
  });

  test.each<[string, string | undefined, (stored: Stored) => void]>([
    ['its providerID', 'fake', ({ spec }) => void (spec['providerID'] = 'fake:///zone-a/i-1')],
    ['its spec', 'fake', () => {}],
    ['nothing that is known', undefined, ({ spec }) => void (spec['providerSpec'] = { value: { kind: 'Unknown' } })],
  ])('names the provider by %s', async (_what, provider, edit) => {
    const it = world();
    edit(it.stored);
    const seen = await it.activities.observeMachine(TARGET);
    expect(seen.found ? seen.provider : 'gone').toBe(provider);
  });
});

describe('what the cloud gave', () => {
  const record = ({ activities }: World) =>
    activities.recordInstance({ ...TARGET, instance: INSTANCE, status: STATUS, event: EVENT });

  test('is written into the Machine that is meant: providerID, labels, finalizer, then the status, then the event', async () => {
    const it = world();
    await record(it);
    const [metadata, status] = it.asked('apply');
    expect(metadata?.body).toMatchObject({
      metadata: {
        uid: 'uid-m',
        finalizers: [FINALIZER],
        labels: { [ZONE_LABEL]: 'zone-a' },
        annotations: { [INSTANCE_STATE_ANNOTATION]: 'running' },
      },
      spec: { providerID: INSTANCE.providerID },
    });
    expect(status).toMatchObject({ body: { metadata: { uid: 'uid-m' } }, options: { subresource: 'status' } });
    expect(it.events).toEqual([EVENT]);
  });

  test.each([
    [404, 'NotFound'],
    [409, 'Conflict'],
  ])('is not written where the Machine is another one by now (%i): it is looked at again', async (status, reason) => {
    const it = world();
    it.failures.set('apply', new KubeError(status, reason, 'another one'));
    expect(await failureOf(record(it))).toBe(OBJECT_CHANGED);
    expect(it.asked('apply')).toHaveLength(1);
    expect(it.events).toEqual([]);
  });

  test('waits for its turn behind launches', async () => {
    const it = world();
    let end = () => {};
    const launching = it.launches.launching(() => new Promise<void>((resolve) => (end = resolve)));
    const recording = record(it);
    await new Promise((resolve) => setImmediate(resolve));
    expect(it.requests).toEqual([]);
    end();
    await Promise.all([launching, recording]);
    expect(it.asked('apply')).toHaveLength(2);
  });

  test('makes what was looked at before out of date', async () => {
    const it = world();
    await it.activities.observeMachine(TARGET);
    await record(it);
    await requireLooked(it.deps, TARGET);
    expect(it.asked('get')).toHaveLength(2);
  });
});

describe('a status', () => {
  test('is written to the object that is meant, with its event', async () => {
    const it = world();
    await it.activities.writeMachineStatus({ ...TARGET, status: STATUS, event: EVENT });
    expect(it.asked('apply')).toMatchObject([
      { body: { metadata: { uid: 'uid-m' } }, options: { subresource: 'status', fieldManager: 'millwright-machine' } },
    ]);
    expect(it.events).toEqual([EVENT]);
  });

  test('that could not be written is looked at again, and what was seen before is not gone by', async () => {
    const it = world();
    await it.activities.observeMachine(TARGET);
    it.failures.set('apply', new KubeError(409, 'Conflict', 'another one'));
    const written = it.activities.writeMachineStatus({ ...TARGET, status: STATUS, event: EVENT });
    expect(await failureOf(written)).toBe(OBJECT_CHANGED);
    expect(it.events).toEqual([]);
    await requireLooked(it.deps, TARGET);
    expect(it.asked('get')).toHaveLength(2);
  });

  test('that the API server refuses is told as its refusal', async () => {
    const it = world();
    it.failures.set('apply', new KubeError(403, 'Forbidden', 'a webhook'));
    const telling = tellingRefusals(it.activities);
    expect(await failureOf(telling.writeMachineStatus({ ...TARGET, status: STATUS }))).toBe(KUBERNETES_REFUSED);
  });
});

describe('our finalizer', () => {
  const putBack = ({ activities }: World) => activities.addFinalizer(TARGET);

  test('is added to those of others, on the object as it was read', async () => {
    const it = world();
    it.stored.metadata['finalizers'] = ['theirs'];
    await putBack(it);
    expect(it.asked('mergePatch').map(({ body }) => body)).toEqual([
      { metadata: { uid: 'uid-m', resourceVersion: '7', finalizers: ['theirs', FINALIZER] } },
    ]);
  });

  test.each<[string, string, (world: World) => void]>([
    ['where it is there', 'none', () => {}],
    ['where another object has the name', 'none', replace],
    ['while the Machine is paused', OBJECT_CHANGED, pause],
  ])('is not added %s', async (_when, failure, arrange) => {
    const it = world();
    if (failure !== 'none') it.stored.metadata['finalizers'] = [];
    arrange(it);
    expect(await failureOf(putBack(it))).toBe(failure);
    expect(it.asked('mergePatch')).toEqual([]);
  });

  test('is looked for again where somebody wrote the object meanwhile', async () => {
    const it = world();
    it.stored.metadata['finalizers'] = [];
    it.failures.set('mergePatch', new KubeError(409, 'Conflict', 'changed'));
    expect(await failureOf(putBack(it))).toBe(OBJECT_CHANGED);
  });

  const takeOff = ({ activities }: World) => activities.removeFinalizer(TARGET);
  const taken = (it: World) => it.asked('jsonPatch').map(({ body }) => body);
  const at = (index: number) => [
    { op: 'test', path: '/metadata/uid', value: 'uid-m' },
    { op: 'test', path: `/metadata/finalizers/${index}`, value: FINALIZER },
    { op: 'remove', path: `/metadata/finalizers/${index}` },
  ];

  test('is the only one that is taken off, of the object that is meant', async () => {
    const it = world();
    await takeOff(it);
    expect(taken(it)).toEqual([at(1)]);
  });

  test('is taken off by the look of a moment ago; where that is not so any more, by another one', async () => {
    const it = world();
    await it.activities.observeMachine(TARGET);
    it.stored.metadata['finalizers'] = [FINALIZER];
    it.failures.set('jsonPatch', new KubeError(422, 'Invalid', 'the test failed'));
    await takeOff(it);
    expect(taken(it)).toEqual([at(1), at(0)]);
    expect(it.asked('get')).toHaveLength(2);
  });

  test.each<[string, string, (world: World) => void]>([
    ['a Machine that is gone', 'none', (it) => it.failures.set('get', gone())],
    ['another object of the name', 'none', replace],
    ['a Machine without it', 'none', ({ stored }) => void (stored.metadata['finalizers'] = ['theirs'])],
    ['a Machine that is paused', OBJECT_CHANGED, pause],
  ])('is not taken off %s', async (_what, failure, arrange) => {
    const it = world();
    arrange(it);
    expect(await failureOf(takeOff(it))).toBe(failure);
    expect(taken(it)).toEqual([]);
  });

  test('was taken off where the object is gone by then; any other failure is one', async () => {
    const it = world();
    it.failures.set('jsonPatch', gone());
    expect(await failureOf(takeOff(it))).toBe('none');
    it.failures.set('jsonPatch', new KubeError(500, 'InternalError', 'not now'));
    expect(await failureOf(takeOff(it))).toBe('not now');
    await it.activities.observeMachine(TARGET);
    it.failures.set('jsonPatch', new KubeError(500, 'InternalError', 'not now'));
    expect(await failureOf(takeOff(it))).toBe('not now');
  });
});

describe('a step that goes by the Machine', () => {
  test.each<[string, (world: World) => void]>([
    ['is gone', (it) => it.failures.set('get', gone())],
    ['is another object by now', replace],
    ['is malformed', ({ stored }) => void (stored.spec['providerSpec'] = 'text')],
  ])('is not taken where it %s', async (_what, arrange) => {
    const it = world();
    arrange(it);
    expect(await failureOf(requireMachine(it.deps, TARGET))).toBe(OBJECT_CHANGED);
  });

  test('is not taken by a look of a moment ago either where that showed a malformed Machine', async () => {
    const it = world();
    it.stored.spec['providerSpec'] = 'text';
    await it.activities.observeMachine(TARGET);
    it.stored = storedMachine();
    expect(await failureOf(requireLooked(it.deps, TARGET))).toBe(OBJECT_CHANGED);
  });

  test('is held back by a pause where it is one that a pause holds back', async () => {
    const it = world();
    pause(it);
    expect(await failureOf(requireMachine(it.deps, TARGET))).toBe('none');
    expect(await failureOf(requireActive(it.deps, TARGET))).toBe(OBJECT_CHANGED);
    expect(await failureOf(requireLookedActive(it.deps, TARGET))).toBe(OBJECT_CHANGED);
  });

  test('goes by a look that is not older than it may be', async () => {
    const it = world();
    await it.activities.observeMachine(TARGET);
    await requireLooked(it.deps, TARGET);
    expect(it.asked('get')).toHaveLength(1);
    await requireLooked(it.deps, TARGET, 0);
    expect(it.asked('get')).toHaveLength(2);
  });
});

test('a suspected orphan is told as a warning', async () => {
  const it = world();
  await it.activities.reportSuspectedOrphan({ ...TARGET, message: 'i-1 may still run' });
  expect(it.events).toEqual([{ type: 'Warning', reason: 'SuspectedOrphan', message: 'i-1 may still run' }]);
});
