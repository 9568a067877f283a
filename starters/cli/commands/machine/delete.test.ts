import { beforeEach, describe, expect, test } from '@jest/globals';
import { MACHINES } from '../../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../../k8s/kube-error.ts';
import { aMachineSet } from '../../../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../../../test/world/builders/a-machine.ts';
import { before } from '../../../../test/world/kubernetes/request.ts';
import { EXIT } from '../../exit-codes.ts';
import { abortDeletions } from './abort.ts';
import { askForDeletions, type DeleteOptions } from './delete.ts';
import { Operated } from '../../../../test/world/operated.ts';
import { given } from '../../../../providers/given.ts';

let world: Operated;
beforeEach(() => {
  world = new Operated();
});

const ask = (names: readonly string[], options: Partial<DeleteOptions> = {}) =>
  askForDeletions(world.parts, names, { timeout: 600, ...options });
const abort = (names: readonly string[], options: Partial<DeleteOptions> = {}) =>
  abortDeletions(world.parts, names, { timeout: 600, ...options });

const draining = {
  step: 'Drain',
  since: '2026-01-01T00:00:00Z',
  reason: 'BlockedByBudget',
  message: 'Node n: pods are left, 1 not allowed to leave yet; pod web-1: budget web allows none',
};

describe('a deletion', () => {
  test('is written into spec.delete, as its writer’s own, and deletes no object', async () => {
    const { spec } = aMachine();
    const written = { metadata: { name: 'a', labels: { 'machine.openshift.io/cluster-api-cluster': 'c1' } }, spec };
    await world.kube.others.create(MACHINES, 'default', written, { fieldManager: 'kubectl' });
    await ask(['a']);
    expect(world.machine('a')).toMatchObject({ spec: { delete: true } });
    expect(world.machine('a')?.metadata.annotations?.['millwright.dev/cause']).toMatch(
      /^\S+Z \S+ ran millwright machine delete$/,
    );
    expect(world.machine('a')?.metadata).not.toHaveProperty('deletionTimestamp');
    expect(world.machine('a')?.spec).not.toHaveProperty('deletionPolicy');
    expect(world.machine('a')?.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: 'millwright-cli',
        fieldsV1: expect.objectContaining({ 'f:spec': { 'f:delete': {} } }),
      }),
    );
    expect(world.lines).toEqual(['Machine default/a is being deleted: it has no instance that is known']);
  });

  test('says what comes of it: a set makes another, a pause holds it', async () => {
    world.put('a', { set: aMachineSet({ name: 'workers' }), paused: true });
    await ask(['a'], { policy: 'forced' });
    expect(world.machine('a')).toMatchObject({ spec: { delete: true, deletionPolicy: 'forced' } });
    expect(world.lines).toEqual([
      'Machine default/a is being deleted, with policy forced: its instance i-1 will be terminated; MachineSet workers makes another unless it is scaled down; it is paused, so nothing happens before its annotation cluster.x-k8s.io/paused is removed',
    ]);
  });

  test('says of one that is being deleted already nothing of another: its set may have made it', async () => {
    world.put('a', { set: aMachineSet({ name: 'workers' }), deleting: true });
    await ask(['a']);
    expect(world.lines).toEqual(['Machine default/a is being deleted already: its instance i-1 will be terminated']);
  });

  const GONE = { type: 'InstanceExists', status: 'False', reason: 'InstanceMissing', lastTransitionTime: '' } as const;
  test.each([
    ['has ended', 'has ended already', 'terminated', []],
    ['ends', 'is being terminated already', 'shutting-down', []],
    ['is stopped', 'will be terminated', 'stopped', []],
    ['is proved gone', 'has ended already', 'running', [GONE]],
  ])('says what becomes of its instance, which %s: it %s', async (_is, words, instanceState, conditions) => {
    world.put('a', { instanceId: 'i-1', providerStatus: { instanceState }, status: { conditions } });
    await ask(['a']);
    expect(world.lines).toEqual([`Machine default/a is being deleted: its instance i-1 ${words}`]);
  });

  test('with one unknown name asks for none', async () => {
    world.put('a');
    await expect(ask(['a', 'b'])).rejects.toMatchObject({ exitCode: EXIT.notFound });
    expect(world.machine('a')?.spec).not.toHaveProperty('delete');
  });

  test('that is under way is asked for again, with a lower policy', async () => {
    world.put('prepared', { spec: { delete: true } });
    world.put('final', { deleting: true });
    await ask(['prepared', 'final'], { policy: 'unsafe' });
    expect(world.machine('prepared')?.spec).toMatchObject({ delete: true, deletionPolicy: 'unsafe' });
    expect(world.machine('final')?.spec).toMatchObject({ deletionPolicy: 'unsafe' });
    expect(world.machine('final')?.spec).not.toHaveProperty('delete');
    expect(world.lines).toEqual([
      expect.stringMatching(/^Machine default\/prepared is being deleted already, with policy unsafe: /),
      expect.stringMatching(/^Machine default\/final is being deleted already, with policy unsafe: /),
    ]);
  });

  test('of a control plane is asked for out of turn, with who wanted it', async () => {
    world.put('a');
    await ask(['a'], { force: true });
    expect(world.machine('a')?.metadata.annotations?.['millwright.dev/out-of-turn']).toMatch(
      /^\d{4}-\S+Z \S+ ran millwright machine delete --force$/,
    );
    world.put('final', { deleting: true });
    await ask(['final'], { force: true });
    expect(world.machine('final')?.metadata.annotations).toHaveProperty(['millwright.dev/out-of-turn']);
  });

  test('out of turn says that no turn is waited for, and of what is of no control plane that this changes nothing', async () => {
    world.put('labelled', { metadata: { labels: { 'machine.openshift.io/cluster-api-machine-role': 'master' } } });
    world.put('recorded', { status: { providerStatus: { controlPlane: true } } });
    world.put('worker');
    await ask(['labelled', 'recorded', 'worker'], { force: true, policy: 'unsafe' });
    const inTurn = ', with policy unsafe, without waiting for its turn in the control plane: ';
    expect(world.lines).toEqual([
      expect.stringContaining(`labelled is being deleted${inTurn}`),
      expect.stringContaining(`recorded is being deleted${inTurn}`),
      'Machine default/worker is being deleted, with policy unsafe: its instance i-1 will be terminated; --force changes nothing for it, as it is not known to be of a control plane',
    ]);
  });

  test('goes in turn, whatever an earlier one was given; one that is under way keeps what it was given', async () => {
    const annotations = { 'millwright.dev/out-of-turn': '2026-01-01T00:00:00Z ada' };
    world.put('again', { metadata: { annotations } });
    world.put('prepared', { spec: { delete: true }, metadata: { annotations } });
    world.put('final', { deleting: true });
    await world.kube.others.mergePatch(MACHINES, 'default', 'final', { metadata: { annotations } });
    await ask(['again', 'prepared', 'final'], { policy: 'unsafe' });
    expect(world.machine('again')?.metadata.annotations).not.toHaveProperty(['millwright.dev/out-of-turn']);
    expect(world.machine('prepared')?.metadata.annotations).toMatchObject(annotations);
    expect(world.machine('final')?.metadata.annotations).toMatchObject(annotations);
  });

  test.each([
    [
      'as Kubernetes knows the caller',
      'system:serviceaccount:ci:deployer',
      'login',
      'system:serviceaccount:ci:deployer',
    ],
    ['by the login, where Kubernetes does not tell', undefined, 'login', 'login'],
    ['where nobody knows who it is', undefined, '', 'somebody'],
  ])('names who asked for it %s', async (_how, username, login, name) => {
    const before = process.env['USER'];
    process.env['USER'] = login;
    const answer = { status: given({ userInfo: username === undefined ? undefined : { username } }) };
    world.kube.onRequest = async (request, carryOut) =>
      request.resource.kind === 'SelfSubjectReview' ? (answer as never) : carryOut();
    world.put('a');
    try {
      await ask(['a']);
    } finally {
      if (before === undefined) delete process.env['USER'];
      else process.env['USER'] = before;
    }
    expect(world.machine('a')?.metadata.annotations?.['millwright.dev/cause']).toContain(
      `Z ${name} ran millwright machine delete`,
    );
  });

  test('that is refused ends with the API server’s words', async () => {
    world.put('a', { spec: { delete: true, deletionPolicy: 'forced' } });
    const words = 'spec.deletionPolicy cannot be changed from forced to unsafe';
    world.kube.onRequest = before({ verb: 'mergePatch' }, () => {
      throw new KubeError(422, 'Invalid', words);
    });
    await expect(ask(['a'], { policy: 'unsafe' })).rejects.toMatchObject({
      message: `could not delete Machine default/a: ${words}`,
      exitCode: EXIT.failed,
    });
    expect(world.lines).toEqual([]);
  });

  test('does not reach another Machine that was created under its name meanwhile', async () => {
    world.put('a');
    world.kube.onRequest = before({ verb: 'mergePatch' }, () => {
      world.kube.drop(MACHINES, 'default', 'a');
      world.put('a', { metadata: { uid: 'another' } });
    });
    await expect(ask(['a'])).rejects.toThrow(/another one was created under its name meanwhile/);
    expect(world.machine('a')?.spec).not.toHaveProperty('delete');
  });

  test('is waited for until the objects are gone, and meanwhile it is told what holds it up', async () => {
    world.put('a');
    world.put('b');
    world.goesAfter(2500, 'a');
    world.writesAfter(1500, 'b', { waiting: draining });
    world.writesAfter(5500, 'b', { waiting: { ...draining, message: 'Node n: its last pods are gone' } });
    world.goesAfter(9000, 'b');
    await ask(['a', 'b'], { wait: true });
    expect(world.lines.slice(2)).toEqual([
      'Machine default/a: Waiting for a worker to take the next step of its deletion',
      'Machine default/b: Waiting for a worker to take the next step of its deletion',
      expect.stringMatching(
        /^Machine default\/b: Waiting for .*: Node n: pods are left, .*pod web-1: budget web allows none$/,
      ),
      'Machine default/a is gone',
      expect.stringMatching(/^Machine default\/b: Waiting for .*: Node n: its last pods are gone$/),
      'Machine default/b is gone',
    ]);
  });

  test('that somebody aborts is waited for no longer', async () => {
    world.put('a');
    world.clock.after(1500, () => {
      void world.kube.others.mergePatch(MACHINES, 'default', 'a', { spec: { delete: false } });
    });
    await expect(ask(['a'], { wait: true })).rejects.toMatchObject({
      message: 'Machine default/a is not to be deleted any more: somebody aborted that',
      exitCode: EXIT.failed,
    });
  });
});

describe('an abort', () => {
  test('takes spec.delete back, and is waited for until nothing is under way any more', async () => {
    world.put('a', { spec: { delete: true }, status: { delete: true, prepareDeletionPhase: 'started' } });
    world.writesAfter(1500, 'a', { prepareDeletionPhase: 'aborting' });
    world.writesAfter(17_500, 'a', { prepareDeletionPhase: null, delete: false });
    await abort(['a'], { wait: true });
    expect(world.machine('a')?.spec.delete).toBe(false);
    expect(world.lines[0]).toBe(
      'Machine default/a: its deletion is being aborted; no more pods are asked to leave, and those that left already, if any, do not come back by that',
    );
    expect(world.lines.at(-1)).toBe(
      'Machine default/a is not being deleted any more; pods that left do not come back by that',
    );
  });

  test('that is waited for says nothing of what the deletion waited for, until the workflow has seen it', async () => {
    const waiting = { ...draining, reason: 'PodsBlocked' };
    const status = { phase: 'Deleting', delete: true, prepareDeletionPhase: 'started', waiting } as const;
    world.put('a', { spec: { delete: true }, status });
    const evictions = {
      step: 'Uncordon',
      since: draining.since,
      reason: 'EvictionsUnderWay',
      message: 'the drain has stopped',
    };
    world.writesAfter(3500, 'a', { prepareDeletionPhase: 'aborting', waiting: evictions });
    world.writesAfter(17_500, 'a', { phase: 'Running', prepareDeletionPhase: null, delete: false, waiting: null });
    await abort(['a'], { wait: true });
    expect(world.lines.slice(1)).toEqual([
      'Machine default/a: Waiting for a worker to take the next step',
      expect.stringMatching(/^Machine default\/a: Waiting for .*: the drain has stopped$/),
      'Machine default/a is not being deleted any more; pods that left do not come back by that',
    ]);
  });

  test('that nobody carries out says in the end nothing of what the deletion waited for', async () => {
    const status = { phase: 'Deleting', delete: true, prepareDeletionPhase: 'started', waiting: draining } as const;
    world.put('a', { spec: { delete: true }, status });
    await expect(abort(['a'], { wait: true, timeout: 3 })).rejects.toThrow(
      /the abort goes on\. Waiting for a worker to take the next step$/,
    );
  });

  test('takes back with it that it goes out of turn, and why', async () => {
    world.put('a');
    await ask(['a'], { force: true });
    await abort(['a']);
    const { annotations = {} } = world.machine('a')?.metadata ?? {};
    expect(annotations).not.toHaveProperty(['millwright.dev/out-of-turn']);
    expect(annotations).not.toHaveProperty(['millwright.dev/cause']);
  });

  test('is not taken for done by the status of an earlier one', async () => {
    world.put('a', { spec: { delete: true }, status: { delete: false }, metadata: { generation: 3 } });
    await expect(abort(['a'], { wait: true, timeout: 3 })).rejects.toMatchObject({
      exitCode: EXIT.timedOut,
      message: expect.stringMatching(
        /^its deletion is not aborted after 3 s: Machine default\/a; the abort goes on\. Running/,
      ),
    });
    world.writesAfter(1500, 'a', {});
    await abort(['a'], { wait: true });
  });

  test.each([
    ['nobody asked for it', {}, {}],
    ['it was aborted before', { delete: false }, { delete: false }],
  ])('of a deletion that is not under way changes nothing: %s', async (_what, spec, status) => {
    world.put('a', { spec, status });
    const version = world.machine('a')?.metadata.resourceVersion;
    await abort(['a'], { wait: true });
    expect(world.machine('a')?.metadata.resourceVersion).toBe(version);
    expect(world.lines).toEqual(['Machine default/a: there is no deletion to abort; nothing was changed']);
  });

  test('that is under way is waited for by whoever asks again', async () => {
    world.put('a', { spec: { delete: false }, status: { delete: true, prepareDeletionPhase: 'aborting' } });
    world.writesAfter(1500, 'a', { prepareDeletionPhase: null, delete: false });
    await abort(['a'], { wait: true });
    expect(world.lines[0]).toMatch(/^Machine default\/a: its deletion is being aborted already; /);
  });

  test('says which policy stays, which a later deletion goes by as well', async () => {
    world.put('a', { spec: { delete: true, deletionPolicy: 'unsafe' } });
    world.put('b', { spec: { delete: true } });
    await abort(['a', 'b']);
    expect(world.lines[0]).toContain(
      '; spec.deletionPolicy stays unsafe, also for a later deletion: set it to graceful',
    );
    expect(world.lines[1]).not.toContain('deletionPolicy');
  });

  test('comes too late for an object that is deleted, also where that happens in this moment; others are aborted', async () => {
    world.put('late', { deleting: true });
    world.put('in-time', { spec: { delete: true } });
    await expect(abort(['late', 'in-time'])).rejects.toMatchObject({
      message:
        'could not abort the deletion of Machine default/late: it is too late, it was deleted at 2026-01-02T00:00:00Z, which nothing takes back',
      exitCode: EXIT.failed,
    });
    expect(world.machine('late')?.spec).not.toHaveProperty('delete');
    expect(world.machine('in-time')?.spec.delete).toBe(false);

    world.put('just-now', { spec: { delete: true } });
    world.kube.onRequest = before({ verb: 'mergePatch', name: 'just-now' }, () =>
      world.kube.others.delete(MACHINES, 'default', 'just-now'),
    );
    await expect(abort(['just-now'])).rejects.toThrow(/it is too late, it was deleted at 2026-/);
  });

  test.each([
    [
      'a deletion',
      () => world.kube.others.delete(MACHINES, 'default', 'a'),
      /was deleted at .*: the abort came too late$/,
    ],
    [
      'somebody who asks for it again',
      () => world.kube.others.mergePatch(MACHINES, 'default', 'a', { spec: { delete: true } }),
      /^Machine default\/a is to be deleted again/,
    ],
  ])('is overtaken by %s', async (_what, act, words) => {
    world.put('a', { spec: { delete: true }, status: { delete: true, prepareDeletionPhase: 'completed' } });
    world.clock.after(1500, () => void act());
    await expect(abort(['a'], { wait: true })).rejects.toThrow(words);
  });
});
