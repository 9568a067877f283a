import { expect, test } from '@jest/globals';
import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { describeHeldUp, heldUpOf } from './held-up.ts';

const machine = (name: string, heldBy?: RolloutMachine['heldBy']) => ({ name, heldBy }) as RolloutMachine;

test('the first Machine, by its name, whose deletion waits is told with its reason, and how many others there are', () => {
  const held = heldUpOf([machine('c', 'HookPresent'), machine('a'), machine('b', 'PodsBlocked')]);
  expect(held).toEqual({ name: 'b', reason: 'PodsBlocked', more: 1 });
  expect(held && describeHeldUp(held)).toBe(
    'the deletion of Machine b (and 1 more) waits: PodsBlocked; `millwright machine explain b` says for what',
  );
  const one = heldUpOf([machine('c', 'HookPresent')]);
  expect(one && describeHeldUp(one)).toBe(
    'the deletion of Machine c waits: HookPresent; `millwright machine explain c` says for what',
  );
});

test('there is none where all go on', () => {
  expect(heldUpOf([machine('a')])).toBeUndefined();
});
