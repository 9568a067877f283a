import { describe, expect, test } from '@jest/globals';
import { FINALIZER, INSTANCE_STATE_ANNOTATION, ZONE_LABEL } from '../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError, NOT_SERVED } from '../k8s/kube-error.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { aLaunch } from '../test/world/builders/a-launch.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import {
  EVENT,
  failureOf,
  INSTANCE,
  lose,
  MACHINE,
  machineWorld,
  type OneMachine,
  pause,
  replace,
  STATUS,
  TARGET,
} from '../test/world/one-machine.ts';
import { createMachineDeps } from './deps.ts';
import { active } from './machine-reader.ts';
import { createMachineActivities } from './machines.ts';

describe('an object of another cluster', () => {
  const foreign = { ...TARGET, clusterUid: 'theirs' };
  test.each<[string, (it: OneMachine) => Promise<unknown>]>([
    ['looked at', ({ activities }) => activities.observeMachine(foreign)],
    [
      'given an instance',
      ({ activities }) => activities.recordInstance({ ...foreign, instance: INSTANCE, status: STATUS, events: [] }),
    ],
    ['given a finalizer', ({ activities }) => activities.addFinalizer(foreign)],
    ['relieved of what was written for a deletion', ({ activities }) => activities.forgetDeletion(foreign)],
    ['written to', ({ activities }) => activities.writeMachineStatus({ ...foreign, status: STATUS, events: [] })],
    ['let go', ({ activities }) => activities.removeFinalizer(foreign)],
    [
      'told that an instance may run on',
      ({ activities }) => activities.reportSuspectedOrphan({ ...foreign, message: 'i-1 may still run' }),
    ],
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

  const ELSEWHERE = aLaunch(MACHINE.metadata, { parameters: { provider: 'elsewhere' } });

  test.each<[string, string | undefined, object]>([
    ['its providerID', 'simulated', { spec: { providerID: 'simulated:///zone-a/i-1' } }],
    ['its launch', 'elsewhere', { status: { providerStatus: { launch: ELSEWHERE } } }],
    ['its spec', 'simulated', {}],
    ['nothing that is known', undefined, { spec: { providerSpec: { value: { kind: 'Unknown' } } } }],
  ])('names the provider by %s', async (_what, provider, parts) => {
    const it = machineWorld();
    it.put(parts);
    const seen = await it.activities.observeMachine(TARGET);
    expect(seen.found ? seen.provider : 'gone').toBe(provider);
  });

  test('fails where it is not the spec that leaves the provider unknown', async () => {
    const { world } = machineWorld();
    const providerFor = () => {
      throw new TypeError('a defect');
    };
    const deps = createMachineDeps({ ...world.deps, providers: { ...world.deps.providers, providerFor } });
    expect(await failureOf(createMachineActivities(deps).observeMachine(TARGET))).toBe('a defect');
  });
});

describe('what the cloud gave', () => {
  const record = ({ activities }: OneMachine, more: { readonly replaces?: true } = {}) =>
    activities.recordInstance({
      ...TARGET,
      ...more,
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

  test.each<[string, (it: OneMachine) => void]>([
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

  test('takes the place of the instance before it, of which admission takes no change: none is named in between', async () => {
    const it = machineWorld();
    const failed = new KubeError(500, 'InternalError', 'not now');
    it.put({ spec: { providerID: 'simulated:///zone-a/i-0' } });
    it.failNext('apply', failed);
    expect(await failureOf(record(it, { replaces: true }))).toBe('not now');
    expect(it.stored()?.spec).not.toHaveProperty('providerID');
    await record(it, { replaces: true });
    expect(it.stored()?.spec).toHaveProperty('providerID', INSTANCE.providerID);
    it.failNext('apply', failed);
    expect(await failureOf(record(it))).toBe('not now');
    expect(it.stored()?.spec).toHaveProperty('providerID', INSTANCE.providerID);
  });

  test('takes the providerID off no other Machine of the name', async () => {
    const it = machineWorld();
    it.put({ spec: { providerID: 'simulated:///zone-a/i-0' } });
    it.next('mergePatch', () => replace(it));
    expect(await failureOf(record(it, { replaces: true }))).toBe(OBJECT_CHANGED);
    expect(it.stored()?.spec).toHaveProperty('providerID', 'simulated:///zone-a/i-0');
  });

  test('waits for its turn behind launches', async () => {
    const it = machineWorld();
    let end = () => {};
    const launching = it.launches.doing(() => new Promise<void>((resolve) => (end = resolve)));
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

describe('a step that goes by the Machine', () => {
  test.each<[string, (it: OneMachine) => void]>([
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
