import { describe, expect, test } from '@jest/globals';
import type { MachineObject } from '../k8s/api/machine.openshift.io/machine.ts';
import { KubeError, NOT_SERVED } from '../k8s/kube-error.ts';
import { FINALIZER, INSTANCE_STATE_ANNOTATION, ZONE_LABEL } from '../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import type { Instance } from '../providers/provider.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { aNode } from '../test/world/builders/a-node.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { before, type KubeRequest } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID, World } from '../test/world/world.ts';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { MachineEvent } from '../workflows/machine/machine-activities.ts';
import { createMachineDeps } from './deps.ts';
import { tellingRefusals } from './failures.ts';
import { preparedLaunch } from '../test/workflow/prepared-launch.ts';
import { active } from './machine-reader.ts';
import { createMachineActivities } from './machines.ts';

const MACHINE = aMachine({ metadata: { finalizers: ['example.com/theirs', FINALIZER] } });
const TARGET = { ref: refOf(MACHINE), clusterUid: CLUSTER_UID };
const STATUS = { addresses: [], conditions: [] };
const EVENT: MachineEvent = { type: 'Normal', reason: 'Create', message: 'made' };
const INSTANCE: Instance = {
  id: 'i-1',
  providerID: 'simulated:///zone-a/i-1',
  state: 'running',
  region: 'r',
  zone: 'zone-a',
  instanceType: 't',
  addresses: [],
};

/** A world with one Machine and a Node, and the activities on the Machine. */
function machineWorld() {
  const world = new World(ownClock());
  const { kube } = world;
  kube.put(MACHINE, aNode());
  const deps = createMachineDeps(world.deps);
  const { launches, reader } = deps;
  const stored = () => kube.peek(MACHINES, 'default', 'm') as MachineObject | undefined;
  /** Changes the world right before the next request of a verb. */
  const next = (verb: KubeRequest['verb'], act: () => void | Promise<void>) => {
    world.onRequest = before({ verb, nth: 1 }, act);
  };
  return {
    world,
    kube,
    launches,
    reader,
    activities: createMachineActivities(deps),
    stored,
    next,
    events: () => world.events.map(({ type, reason, message }) => ({ type, reason, message })),
    finalizers: () => stored()?.metadata.finalizers,
    /** Has the Machine be as it is, but for this, which may be malformed on purpose. */
    put: (parts: { readonly metadata?: object; readonly spec?: object; readonly status?: object }) => {
      const { metadata, spec, ...rest } = stored() ?? MACHINE;
      kube.put({
        ...rest,
        ...parts,
        metadata: { ...metadata, ...parts.metadata },
        spec: { ...spec, ...parts.spec },
      } as MachineObject);
    },
    failNext: (verb: KubeRequest['verb'], error: Error) =>
      next(verb, () => {
        throw error;
      }),
    looks: () => world.requests.filter(({ verb, resource }) => verb === 'get' && resource === MACHINES).length,
  };
}

type It = ReturnType<typeof machineWorld>;

const pause = ({ put }: It) => put({ metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
const replace = ({ put }: It) => put({ metadata: { uid: 'uid-of-another' } });
const lose = ({ kube }: It) => kube.drop(MACHINES, 'default', 'm');

/** The type of the failure that a step ends with. */
async function failureOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => 'none',
    (error: { type?: string; message: string }) => error.type ?? error.message,
  );
}

describe('an object of another cluster', () => {
  const foreign = { ...TARGET, clusterUid: 'theirs' };
  test.each<[string, (it: It) => Promise<unknown>]>([
    ['looked at', ({ activities }) => activities.observeMachine(foreign)],
    [
      'given an instance',
      ({ activities }) => activities.recordInstance({ ...foreign, instance: INSTANCE, status: STATUS, events: [] }),
    ],
    ['given a finalizer', ({ activities }) => activities.addFinalizer(foreign)],
    ['written to', ({ activities }) => activities.writeMachineStatus({ ...foreign, status: STATUS, events: [] })],
    ['let go', ({ activities }) => activities.removeFinalizer(foreign)],
    ['required', ({ reader }) => reader.live(foreign)],
  ])('is not %s', async (_what, step) => {
    const it = machineWorld();
    expect(await failureOf(step(it))).toBe('ForeignCluster');
    expect(it.world.requests).toEqual([]);
  });
});

describe('a look at a Machine', () => {
  test('tells that it is gone where it is, or where another object has its name', async () => {
    const it = machineWorld();
    replace(it);
    expect(await it.activities.observeMachine(TARGET)).toEqual({ found: false });
    lose(it);
    expect(await it.activities.observeMachine(TARGET)).toEqual({ found: false });
  });

  test('takes no other answer for its absence', async () => {
    const it = machineWorld();
    it.failNext('get', new KubeError(404, NOT_SERVED, 'a proxy says so'));
    expect(await failureOf(it.activities.observeMachine(TARGET))).toBe('a proxy says so');
    it.failNext('get', new KubeError(503, 'Unavailable', 'not now'));
    expect(await failureOf(it.activities.observeMachine(TARGET))).toBe('not now');
  });

  test('shows the Node that it is linked with, until its instance is asked to end', async () => {
    const it = machineWorld();
    it.put({ status: { nodeRef: { kind: 'Node', name: 'n', uid: 'uid-of-n' } } });
    expect(await it.activities.observeMachine(TARGET)).toMatchObject({ found: true, node: { name: 'n' } });
    await it.kube.others.delete(MACHINES, 'default', 'm');
    expect(await it.activities.observeMachine(TARGET)).toMatchObject({ node: { name: 'n' } });
    expect(await it.activities.observeMachine({ ...TARGET, isEnding: true })).not.toHaveProperty('node');
  });

  test.each<[string, string | undefined, object]>([
    ['its providerID', 'simulated', { providerID: 'simulated:///zone-a/i-1' }],
    ['its spec', 'simulated', {}],
    ['nothing that is known', undefined, { providerSpec: { value: { kind: 'Unknown' } } }],
  ])('names the provider by %s', async (_what, provider, spec) => {
    const it = machineWorld();
    it.put({ spec });
    const seen = await it.activities.observeMachine(TARGET);
    expect(seen.found ? seen.provider : 'gone').toBe(provider);
  });
});

describe('what the cloud gave', () => {
  const record = ({ activities }: It) =>
    activities.recordInstance({
      ...TARGET,
      instance: INSTANCE,
      status: { ...STATUS, phase: 'Provisioned' },
      events: [EVENT],
    });

  test('is written into the Machine: providerID, labels, finalizer, then the status, then the event', async () => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: ['example.com/theirs'] } });
    const written = {
      metadata: {
        finalizers: ['example.com/theirs', FINALIZER],
        labels: { ...MACHINE.metadata.labels, [ZONE_LABEL]: 'zone-a' },
        annotations: { [INSTANCE_STATE_ANNOTATION]: 'running' },
      },
      spec: { ...MACHINE.spec, providerID: INSTANCE.providerID },
    };
    it.world.onRequest = before({ subresource: 'status' }, () => {
      expect(it.stored()).toMatchObject(written);
      expect(it.events()).toEqual([]);
    });
    await record(it);
    expect(it.stored()).toMatchObject({ ...written, status: { phase: 'Provisioned' } });
    expect(it.stored()?.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: MACHINE_FIELD_MANAGER,
        operation: 'Apply',
        fieldsV1: expect.objectContaining({ 'f:spec': { 'f:providerID': {} } }),
      }),
    );
    expect(it.events()).toEqual([EVENT]);
  });

  test.each<[string, (it: It) => void]>([
    ['is gone', lose],
    ['is another one', replace],
  ])('is not written where the Machine %s by now: it is looked at again', async (_how, arrange) => {
    const it = machineWorld();
    arrange(it);
    const stored = it.stored();
    expect(await failureOf(record(it))).toBe(OBJECT_CHANGED);
    expect(it.stored()).toEqual(stored);
    expect(it.events()).toEqual([]);
  });

  test('waits for its turn behind launches', async () => {
    const it = machineWorld();
    let end = () => {};
    const launching = it.launches.launching(() => new Promise<void>((resolve) => (end = resolve)));
    const recording = record(it);
    void it.world.clock.holding(launching);
    await new Promise((resolve) => setImmediate(resolve));
    expect(it.world.requests).toEqual([]);
    end();
    await Promise.all([launching, recording]);
    expect(it.stored()).toMatchObject({ spec: { providerID: INSTANCE.providerID }, status: { phase: 'Provisioned' } });
  });

  test('makes what was looked at before out of date', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    await record(it);
    expect((await it.reader.seen(TARGET)).machine.providerID).toBe(INSTANCE.providerID);
  });
});

describe('a status', () => {
  const write = ({ activities }: It) =>
    activities.writeMachineStatus({ ...TARGET, status: { ...STATUS, phase: 'Running' }, events: [EVENT] });

  test('is written with its event, beside the conditions of others', async () => {
    const it = machineWorld();
    const theirs = { type: 'example.com/Theirs', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const others = { status: { conditions: [theirs] } };
    await it.kube.others.apply(MACHINES, 'default', 'm', others, { fieldManager: 'other', subresource: 'status' });
    await write(it);
    expect(it.stored()?.status).toMatchObject({ phase: 'Running', conditions: [theirs] });
    expect(it.stored()?.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: MACHINE_FIELD_MANAGER, operation: 'Apply', subresource: 'status' }),
    );
    expect(it.events()).toEqual([EVENT]);
  });

  test('takes away how far an earlier deletion had come, also where somebody restored that from a backup', async () => {
    const it = machineWorld();
    const status = { deletion: { preTerminateHookStartTime: '2026-01-01T00:00:00Z' } };
    await it.kube.others.mergePatch(MACHINES, 'default', 'm', { status }, { subresource: 'status' });
    await it.activities.observeMachine(TARGET);
    await write(it);
    expect(it.stored()?.status).not.toHaveProperty('deletion');
  });

  test('may say nothing of instance and launch any more', async () => {
    const it = machineWorld();
    const known = { ...STATUS, phase: 'Provisioning', pastKnown: true } as const;
    await it.activities.writeMachineStatus({ ...TARGET, status: known, events: [] });
    await write(it);
    expect(it.stored()?.status).toEqual({ phase: 'Running', addresses: [], conditions: [] });
  });

  test('goes over the Machine as it was seen last, by a look or by a write, without another look', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    await it.activities.recordInstance({ ...TARGET, instance: INSTANCE, status: STATUS, events: [] });
    await write(it);
    expect(it.stored()?.status?.phase).toBe('Running');
    expect(it.looks()).toBe(1);
  });

  test('is written after one more look where somebody else changes the Machine right before', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    it.next('apply', () => it.put({ metadata: { annotations: { theirs: '' } } }));
    await write(it);
    expect(it.stored()).toMatchObject({ metadata: { annotations: { theirs: '' } }, status: { phase: 'Running' } });
    expect(it.looks()).toBe(2);
    expect(it.events()).toEqual([EVENT]);
  });

  test('is not written over one that another worker of ours wrote since: the Machine is looked at again', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    const newer = { status: { phase: 'Deleting' } };
    const options = { fieldManager: MACHINE_FIELD_MANAGER, subresource: 'status' } as const;
    it.next('apply', async () => void (await it.kube.others.apply(MACHINES, 'default', 'm', newer, options)));
    expect(await failureOf(write(it))).toBe(OBJECT_CHANGED);
    expect(it.stored()?.status?.phase).toBe('Deleting');
    expect(it.events()).toEqual([]);
  });

  test.each<[string, (it: It) => void]>([
    ['is gone', lose],
    ['is another one of the name', replace],
  ])('is not written where the Machine %s: it is looked at again', async (_how, change) => {
    const early = machineWorld();
    change(early);
    const late = machineWorld();
    await late.activities.observeMachine(TARGET);
    late.next('apply', () => change(late));
    const recording = machineWorld();
    recording.world.onRequest = before({ subresource: 'status' }, () => change(recording));
    const record = recording.activities.recordInstance({ ...TARGET, instance: INSTANCE, status: STATUS, events: [] });
    for (const [it, step] of [
      [early, write(early)],
      [late, write(late)],
      [recording, record],
    ] as const) {
      expect(await failureOf(step)).toBe(OBJECT_CHANGED);
      expect(it.stored()?.status?.phase).toBeUndefined();
      expect(it.events()).toEqual([]);
    }
  });

  test('that was copied is taken off no other Machine of the name: the look is tried again', async () => {
    const it = machineWorld();
    it.put({ status: { phase: 'Running', providerStatus: { launch: preparedLaunch() } } });
    it.next('mergePatch', () => replace(it));
    await expect(it.activities.observeMachine(TARGET)).rejects.toMatchObject({
      type: OBJECT_CHANGED,
      nonRetryable: false,
    });
    expect(it.stored()?.status?.phase).toBe('Running');
    expect(await it.activities.observeMachine(TARGET)).toEqual({ found: false });
  });

  test('that could not be written is looked at again, and what was seen before is not gone by', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    it.put({ spec: { providerID: INSTANCE.providerID } });
    it.world.onRequest = before({ verb: 'apply' }, () => it.put({ metadata: { labels: { by: 'others' } } }));
    expect(await failureOf(write(it))).toBe(OBJECT_CHANGED);
    expect(it.stored()?.status?.phase).toBeUndefined();
    expect(it.events()).toEqual([]);
    expect((await it.reader.seen(TARGET)).machine.providerID).toBe(INSTANCE.providerID);
  });

  test('that the API server refuses is told as its refusal', async () => {
    const it = machineWorld();
    it.failNext('apply', new KubeError(403, 'Forbidden', 'a webhook'));
    const telling = tellingRefusals(it.activities);
    expect(await failureOf(telling.writeMachineStatus({ ...TARGET, status: STATUS, events: [] }))).toBe(
      KUBERNETES_REFUSED,
    );
  });
});

describe('our finalizer', () => {
  const putBack = ({ activities }: It) => activities.addFinalizer(TARGET);

  test('is added to those of others', async () => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: ['example.com/theirs'] } });
    await putBack(it);
    expect(it.finalizers()).toEqual(['example.com/theirs', FINALIZER]);
  });

  test.each<[string, string, (it: It) => void]>([
    ['where it is there', 'none', ({ put }) => put({ metadata: { finalizers: [FINALIZER] } })],
    ['where another object has the name', 'none', replace],
    ['while the Machine is paused', OBJECT_CHANGED, pause],
  ])('is not added %s', async (_when, failure, arrange) => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: [] } });
    arrange(it);
    const stored = it.stored();
    expect(await failureOf(putBack(it))).toBe(failure);
    expect(it.stored()).toEqual(stored);
  });

  test('is looked for again where somebody wrote the object meanwhile', async () => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: [] } });
    it.next('mergePatch', () => it.put({ metadata: { finalizers: ['example.com/new'] } }));
    expect(await failureOf(putBack(it))).toBe(OBJECT_CHANGED);
    expect(it.finalizers()).toEqual(['example.com/new']);
  });

  const takeOff = ({ activities }: It) => activities.removeFinalizer(TARGET);

  test('is the only one that is taken off', async () => {
    const it = machineWorld();
    await takeOff(it);
    expect(it.finalizers()).toEqual(['example.com/theirs']);
  });

  test('is taken off by the look of a moment ago', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    await takeOff(it);
    expect(it.finalizers()).toEqual(['example.com/theirs']);
    expect(it.looks()).toBe(1);
  });

  test('is taken off by another look where the list is not so any more, of which the API server tells', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    it.put({ metadata: { finalizers: [FINALIZER, 'example.com/theirs', 'example.com/new'] } });
    await takeOff(it);
    expect(it.finalizers()).toEqual(['example.com/theirs', 'example.com/new']);
  });

  test.each<[string, string, (it: It) => void]>([
    ['a Machine that is gone', 'none', lose],
    ['another object of the name', 'none', replace],
    ['a Machine without it', 'none', ({ put }) => put({ metadata: { finalizers: ['example.com/theirs'] } })],
    ['a Machine that is paused', OBJECT_CHANGED, pause],
  ])('is not taken off %s', async (_what, failure, arrange) => {
    const it = machineWorld();
    arrange(it);
    const stored = it.stored();
    expect(await failureOf(takeOff(it))).toBe(failure);
    expect(it.stored()).toEqual(stored);
  });

  test('is not taken off another object of the name that came right before: ours is gone then', async () => {
    const it = machineWorld();
    it.next('jsonPatch', () => replace(it));
    expect(await failureOf(takeOff(it))).toBe('none');
    expect(it.finalizers()).toContain(FINALIZER);
  });

  test('was taken off where the object is gone by then; any other failure is one', async () => {
    const it = machineWorld();
    it.failNext('jsonPatch', new KubeError(500, 'InternalError', 'not now'));
    expect(await failureOf(takeOff(it))).toBe('not now');
    await it.activities.observeMachine(TARGET);
    it.failNext('jsonPatch', new KubeError(500, 'InternalError', 'not now'));
    expect(await failureOf(takeOff(it))).toBe('not now');
    it.next('jsonPatch', () => lose(it));
    expect(await failureOf(takeOff(it))).toBe('none');
  });
});

describe('a step that goes by the Machine', () => {
  test.each<[string, (it: It) => void]>([
    ['is gone', lose],
    ['is another object by now', replace],
    ['is malformed', ({ put }) => put({ spec: { providerSpec: 'text' } })],
  ])('is not taken where it %s', async (_what, arrange) => {
    const it = machineWorld();
    arrange(it);
    expect(await failureOf(it.reader.live(TARGET))).toBe(OBJECT_CHANGED);
  });

  test('is not taken by a look of a moment ago either where that showed a malformed Machine', async () => {
    const it = machineWorld();
    it.put({ spec: { providerSpec: 'text' } });
    await it.activities.observeMachine(TARGET);
    it.kube.put(MACHINE);
    expect(await failureOf(it.reader.seen(TARGET))).toBe(OBJECT_CHANGED);
  });

  test('is held back by a pause where it is one that a pause holds back', async () => {
    const it = machineWorld();
    pause(it);
    expect(await failureOf(it.reader.live(TARGET))).toBe('none');
    expect(await failureOf(it.reader.live(TARGET).then(active))).toBe(OBJECT_CHANGED);
    expect(await failureOf(it.reader.seen(TARGET).then(active))).toBe(OBJECT_CHANGED);
  });

  test('goes by a look that is not older than it may be', async () => {
    const it = machineWorld();
    await it.activities.observeMachine(TARGET);
    await it.reader.seen(TARGET);
    expect(it.looks()).toBe(1);
    await it.reader.seen(TARGET, 0);
    expect(it.looks()).toBe(2);
  });
});

test('a suspected orphan is told as a warning', async () => {
  const it = machineWorld();
  await it.activities.reportSuspectedOrphan({ ...TARGET, message: 'i-1 may still run' });
  expect(it.events()).toEqual([{ type: 'Warning', reason: 'SuspectedOrphan', message: 'i-1 may still run' }]);
});
