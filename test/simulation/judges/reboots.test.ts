import { describe, expect, test } from '@jest/globals';
import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { REMEDIATED_BY_ANNOTATION, writeHealthClaim } from '../../../k8s/model/health-claim.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../../k8s/model/reboot.ts';
import { HealthWorld } from '../../world/health-world.ts';
import { ownClock } from '../../world/world-clock.ts';
import { Lately } from '../people/lately.ts';
import { RebootJudge } from './reboots.ts';

const ID = 'i-1';

/** A Machine, what its check wants, and what its cloud does. */
function judged(steps: readonly object[] = [{ action: 'Reboot' }], isForgetful = false) {
  const world = new HealthWorld(ownClock(), { machines: 1, spec: { remediation: { steps } } as never });
  const checks = new Lately<MachineHealthCheckObject>();
  const now = () => world.clock.timeOfDay();
  if (world.check !== undefined) checks.note(world.ref.uid, world.check, now());
  const accused: string[] = [];
  let reboots = 0;
  const judge = new RebootJudge({
    api: world.kube,
    now,
    checks,
    remembersSince: () => (isForgetful ? now() + 1 : -Infinity),
    living: () => [{ id: ID, machineUid: world.machine(1)?.metadata.uid, name: 'm-1', reboots }] as never,
    accuse: (by) => accused.push(by),
  });
  return {
    accused,
    want: (id: string) =>
      world.annotate(1, {
        [REMEDIATED_BY_ANNOTATION]: writeHealthClaim(world.ref),
        [REBOOT_ANNOTATION]: writeRebootWish({ id, causes: [] }),
      }),
    takeOff: () => {
      world.takeOff(1, REMEDIATED_BY_ANNOTATION);
      world.takeOff(1, REBOOT_ANNOTATION);
    },
    tell: (message: string) =>
      world.kube.put({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: message.slice(-5), namespace: world.ref.namespace },
        reason: 'RemediationSucceeded',
        message,
        involvedObject: { uid: world.ref.uid },
      } as never),
    call: (isDone = true) => {
      if (isDone) reboots += 1;
      judge.seeCall(ID);
    },
  };
}

test('a reboot for each wish, and calls that came to nothing, are as they should be', () => {
  const { accused, want, call } = judged();
  want('a');
  call(false);
  call();
  want('b');
  want('b');
  call();
  expect(accused).toEqual([]);
});

test('one that nobody asked for is accused, and the second one for a wish', () => {
  const none = judged();
  none.call();
  expect(none.accused).toEqual(['one reboot where one was asked']);
  const { accused, want, call } = judged();
  want('a');
  call();
  want('a');
  call();
  expect(accused).toEqual(['one reboot where one was asked']);
});

test('more than the check allows are accused, whoever asked', () => {
  const most = (steps: readonly object[]) => {
    const { accused, want, call } = judged(steps);
    for (const id of ['a', 'b', 'c']) {
      want(id);
      call();
    }
    return accused;
  };
  expect(most([{ action: 'Reboot' }])).toEqual(['at most maxReboots']);
  expect(most([{ action: 'Reboot', maxReboots: 3 }])).toEqual([]);
});

describe('a wish that has helped', () => {
  const after = (message: string, next: string, isForgetful = false) => {
    const { accused, want, takeOff, tell } = judged(undefined, isForgetful);
    want('a');
    takeOff();
    tell(message);
    want(next);
    return accused;
  };

  test('is accused when it comes again', () => {
    expect(after('Machine m-1 is healthy again: it was bad', 'a')).toEqual(['a reboot that has helped is over']);
  });

  test('is not where it is another one, did not help, or its check has lost its memory since', () => {
    expect(after('Machine m-1 is healthy again: it was bad', 'b')).toEqual([]);
    expect(after('Machine m-2 is healthy again: it was bad', 'a')).toEqual([]);
    expect(
      after('Machine m-1 is gone, and its set is whole again; it was remediated for this: it was bad', 'a'),
    ).toEqual([]);
    expect(after('Machine m-1 is healthy again: it was bad', 'a', true)).toEqual([]);
  });
});
