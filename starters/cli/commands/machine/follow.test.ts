import { beforeEach, expect, test } from '@jest/globals';
import { KubeError } from '../../../../k8s/kube-error.ts';
import { before } from '../../../../test/world/kubernetes/request.ts';
import { EXIT } from '../../exit-codes.ts';
import { follow } from './follow.ts';
import { GONE } from './goals.ts';
import { Operated } from '../../../../test/world/operated.ts';
import { findMachines } from './operation.ts';

let world: Operated;
beforeEach(() => {
  world = new Operated();
  for (const name of ['a', 'b']) world.put(name, { spec: { delete: true } });
});

const untilGone = async (timeoutSeconds = 600, names: readonly string[] = ['a']) =>
  follow(world.parts, await findMachines(world.parts.access, names), GONE, timeoutSeconds);

test('Ctrl-C ends a wait with its own exit code, and says that the operation goes on', async () => {
  world.goesAfter(1500, 'b');
  world.clock.after(2500, () => world.interrupt?.());
  await expect(untilGone(600, ['a', 'b'])).rejects.toMatchObject({
    message: 'not gone yet: Machine default/a; the deletion goes on without being waited for',
    exitCode: EXIT.interrupted,
  });
  expect(world.interrupt).toBeUndefined();
  expect(world.lines.at(-1)).toBe('Machine default/b is gone');
});

test('Ctrl-C is answered while the API server is asked and does not answer', async () => {
  world.clock.after(2500, () => world.interrupt?.());
  world.kube.onRequest = before({ verb: 'get', nth: 2 }, () => new Promise(() => {}));
  await expect(untilGone()).rejects.toMatchObject({ exitCode: EXIT.interrupted });
});

test('a time-out says what it still waits for, and what nobody does', async () => {
  world.obstacle = 'a worker: no worker polls task queue q';
  await expect(untilGone(5)).rejects.toMatchObject({
    message:
      'not gone after 5 s: Machine default/a; the deletion goes on. Waiting for a worker: no worker polls task queue q',
    exitCode: EXIT.timedOut,
  });
});

test('where nothing changes Temporal is asked whether anybody works on it, ever more seldom', async () => {
  world.obstacle = 'a worker: no worker polls task queue q';
  world.goesAfter(45_000, 'a');
  await untilGone();
  expect(world.reports).toBe(3);
  expect(world.lines).toEqual([
    'Machine default/a: Waiting for a worker to take the next step of its deletion',
    ...Array.from({ length: 3 }, () => 'Machine default/a: Waiting for a worker: no worker polls task queue q'),
    'Machine default/a is gone',
  ]);
});

test('where Temporal knows nothing the wait goes by the object alone', async () => {
  world.goesAfter(15_000, 'a');
  await untilGone();
  expect(world.lines).toEqual([
    'Machine default/a: Waiting for a worker to take the next step of its deletion',
    'Machine default/a is gone',
  ]);
});

test('a failure that passes does not end a wait, one that does not pass does', async () => {
  let times = 0;
  world.kube.onRequest = before({ verb: 'get' }, () => {
    times += 1;
    if (times === 2) throw new KubeError(503, 'ServiceUnavailable', 'the server is away');
    if (times === 5) throw new KubeError(403, 'Forbidden', 'machines "a" is forbidden');
  });
  await expect(untilGone()).rejects.toMatchObject({
    message: 'could not look at Machine default/a: machines "a" is forbidden',
    exitCode: EXIT.failed,
  });
  expect(times).toBe(5);
});

test('another Machine of the same name is not the one that is waited for', async () => {
  world.goesAfter(1500, 'a');
  world.clock.after(1500, () => world.put('a', { metadata: { uid: 'another' } }));
  await untilGone();
  expect(world.lines.at(-1)).toBe('Machine default/a is gone');
});
