import { describe, expect, test } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { preparedLaunch } from '../test/workflow/prepared-launch.ts';
import { answerLost, before, straight } from '../test/world/kubernetes/request.ts';
import { given } from '../providers/given.ts';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../workflows/failure-types.ts';
import {
  EVENT,
  failureOf,
  INSTANCE,
  lose,
  machineWorld,
  type OneMachine,
  pause,
  replace,
  STATUS,
  TARGET,
} from '../test/world/one-machine.ts';
import { tellingRefusals } from './failures.ts';

const RUNNING = { status: { ...STATUS, phase: 'Running' }, events: [EVENT] } as const;

/** What a write goes by that follows from the Machine as it is now. */
async function look({ activities }: OneMachine) {
  const found = await activities.observeMachine(TARGET);
  return found.found ? found.seen : undefined;
}

describe('a status', () => {
  const write = ({ activities }: OneMachine) => activities.writeMachineStatus({ ...TARGET, ...RUNNING });

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

  test('of a worker that stood still takes back none that was written since, also where it has looked again for another step', async () => {
    const it = machineWorld();
    const first = await look(it);
    const next = await it.activities.writeMachineStatus({ ...TARGET, ...given({ seen: first }), ...RUNNING });
    await it.activities.observeMachine(TARGET);
    const late = {
      ...TARGET,
      ...given({ seen: first }),
      status: { ...STATUS, phase: 'Provisioning' },
      events: [],
    } as const;
    expect(await failureOf(it.activities.writeMachineStatus(late))).toBe(OBJECT_CHANGED);
    expect(await failureOf(it.activities.recordInstance({ ...late, instance: INSTANCE }))).toBe(OBJECT_CHANGED);
    expect(it.stored()?.status?.phase).toBe('Running');
    // Each write answers what the next one of the pass goes by.
    await it.activities.writeMachineStatus({ ...late, ...given({ seen: next }) });
    expect(it.stored()?.status?.phase).toBe('Provisioning');
  });

  test('of which nobody heard the answer is not written again, and its event is recorded', async () => {
    const it = machineWorld();
    const request = { ...TARGET, ...given({ seen: await look(it) }), ...RUNNING };
    it.world.onRequest = answerLost({ verb: 'apply', subresource: 'status' });
    await expect(it.activities.writeMachineStatus(request)).rejects.toThrow('no answer');
    expect(it.events()).toEqual([]);
    it.world.onRequest = straight;
    const written = it.stored();
    const next = await it.activities.writeMachineStatus(request);
    expect(it.stored()).toEqual(written);
    expect(next).toEqual(await look(it));
    expect(it.events()).toEqual([EVENT]);
  });

  test.each<[string, (it: OneMachine) => void]>([
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

  test('that was copied stays while the Machine is paused', async () => {
    const it = machineWorld();
    pause(it);
    it.put({ status: { phase: 'Running', providerStatus: { launch: preparedLaunch() } } });
    const stored = it.stored();
    expect(await it.activities.observeMachine(TARGET)).toMatchObject({ machine: { copied: {} } });
    expect(it.stored()).toEqual(stored);
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
