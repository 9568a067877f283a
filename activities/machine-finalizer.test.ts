import { describe, expect, test } from '@jest/globals';
import { FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { before, isWrite } from '../test/world/kubernetes/request.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import { failureOf, lose, machineWorld, type OneMachine, pause, replace, TARGET } from '../test/world/one-machine.ts';

describe('our finalizer', () => {
  const putBack = ({ activities }: OneMachine) => activities.addFinalizer(TARGET);

  test('is added to those of others', async () => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: ['example.com/theirs'] } });
    await putBack(it);
    expect(it.finalizers()).toEqual(['example.com/theirs', FINALIZER]);
  });

  test.each<[string, string, (it: OneMachine) => void]>([
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

  test('is added to the Machine of this uid, in the version that was seen: versions count anew after a restore', async () => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: [] } });
    const { uid, resourceVersion } = it.stored()?.metadata ?? {};
    await putBack(it);
    expect(it.world.requests.find(isWrite)?.body).toMatchObject({ metadata: { uid, resourceVersion } });
  });

  const takeOff = ({ activities }: OneMachine) => activities.removeFinalizer(TARGET);

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

  test('is taken off where it came after the look of a moment ago', async () => {
    const it = machineWorld();
    it.put({ metadata: { finalizers: ['example.com/theirs'] } });
    await it.activities.observeMachine(TARGET);
    it.put({ metadata: { finalizers: ['example.com/theirs', FINALIZER] } });
    await takeOff(it);
    expect(it.finalizers()).toEqual(['example.com/theirs']);
  });

  test('is tried three times to be taken off, while others change the list again and again', async () => {
    const it = machineWorld();
    let tries = 0;
    it.world.onRequest = before({ verb: 'jsonPatch' }, () => {
      tries += 1;
      if (tries <= 3) it.put({ metadata: { finalizers: [`example.com/${tries}`, ...(it.finalizers() ?? [])] } });
    });
    expect(await failureOf(takeOff(it))).toContain('the server rejected our request');
    expect(it.finalizers()).toContain(FINALIZER);
    await takeOff(it);
    expect(it.finalizers()).not.toContain(FINALIZER);
  });

  test('stays where somebody’s rule refuses that it goes: the list was not what was wrong', async () => {
    const it = machineWorld();
    it.failNext('jsonPatch', new KubeError(422, 'Invalid', 'a policy says no'));
    expect(await failureOf(takeOff(it))).toBe('a policy says no');
    expect(it.finalizers()).toContain(FINALIZER);
  });

  test.each<[string, string, (it: OneMachine) => void]>([
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
    it.next('jsonPatch', () => {
      it.put({ metadata: { finalizers: [FINALIZER, 'example.com/new'] } });
      throw new KubeError(500, 'InternalError', 'not now');
    });
    expect(await failureOf(takeOff(it))).toBe('not now');
    expect(it.finalizers()).toContain(FINALIZER);
    it.next('jsonPatch', () => lose(it));
    expect(await failureOf(takeOff(it))).toBe('none');
  });
});
