import { describe, expect, it } from '@jest/globals';
import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import {
  countFailures,
  describeFailures,
  describeStop,
  failuresAfter as failuresAt,
  isToStop,
  stuckAt,
  untoldOf,
  withTold,
  type FailureSight,
  type RolloutFailures,
} from './failures.ts';
import { judgeNewMachines } from './new-machines.ts';
import { pausesAtFirst } from './pauses.ts';
import { given } from '../../providers/given.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const machine = (name: string, changes: Partial<RolloutMachine> = {}): RolloutMachine => ({
  name,
  uid: name,
  labels: {},
  deleting: false,
  hasNode: false,
  isFailed: false,
  markedForDeletion: false,
  ...changes,
});
const isReady = ({ readySince }: RolloutMachine) => readySince !== undefined;
const judge = (...machines: RolloutMachine[]) => judgeNewMachines(machines, 60, NOW, isReady);

describe('new machines', () => {
  it('are too late when they are not available in time after their launch, and not before they were launched', () => {
    expect(judge(machine('a', { launchedAt: NOW - 60_000 })).failed).toMatchObject([{ name: 'a', isLate: true }]);
    expect(judge(machine('a', { launchedAt: NOW - 59_000 }))).toEqual({ failed: [], lateAt: NOW + 1000 });
    expect(judge(machine('a'))).toEqual({ failed: [] });
  });

  it('are later by as much as the deployment was paused since their launch, and not late while it is paused', () => {
    const lateAt = (...pauses: { from: number; to?: number }[]) => {
      const one = machine('a', { launchedAt: NOW - 90_000 });
      return judgeNewMachines([one], 60, NOW, isReady, { pauses });
    };
    const from = NOW - 80_000;
    expect(lateAt({ from, to: from + 40_000 })).toEqual({ failed: [], lateAt: NOW + 10_000 });
    expect(lateAt({ from, to: from + 20_000 }).failed).toMatchObject([{ isLate: true }]);
    expect(lateAt({ from })).toEqual({ failed: [] });
    // It was late by then.
    expect(lateAt({ from: NOW - 30_000 }).failed).toMatchObject([{ isLate: true }]);
  });

  it('have failed where a health check deletes them before they could be too late, and not after that, nor before their launch', () => {
    const remediated = (launchedAt?: number) =>
      judge(
        machine('a', {
          deleting: true,
          remediatedBy: 'hc',
          hasNode: true,
          ...given({ launchedAt }),
        }),
      );
    expect(remediated(NOW - 59_000)).toEqual({
      failed: [{ name: 'a', uid: 'a', why: 'the health check hc deleted it within 60 s of its launch', isLate: false }],
    });
    expect(remediated(NOW - 60_000).failed).toHaveLength(1);
    expect([remediated(NOW - 61_000).failed, remediated().failed]).toEqual([[], []]);
    expect(judge(machine('a', { deleting: true, launchedAt: NOW - 59_000 })).failed).toEqual([]);
  });

  it('have failed whenever a health check deletes them where no Node has joined: it may count from the same moment', () => {
    const remediated = (changes: Partial<RolloutMachine>) =>
      judge(machine('a', { deleting: true, remediatedBy: 'hc', launchedAt: NOW - 61_000, ...changes })).failed;
    expect(remediated({})).toEqual([
      { name: 'a', uid: 'a', why: 'the health check hc deleted it before a Node had joined', isLate: false },
    ]);
    expect(remediated({ isBlameless: true })).toEqual([]);
  });

  describe('that were launched long before a workflow looks for the first time', () => {
    const launchedAt = NOW - 3 * 3_600_000;
    const pauses = pausesAtFirst(false, NOW);
    const failed = (changes: Partial<RolloutMachine>, afterMs: number) =>
      judgeNewMachines([machine('a', { launchedAt, ...changes })], 60, NOW + afterMs, isReady, { pauses }).failed;

    it('have not failed where they were well at their deadline, whenever they fall ill', () => {
      expect(failed({ downSince: NOW - 3_600_000 }, 200_000)).toEqual([]);
      expect(failed({ downSince: NOW + 30_000 }, 200_000)).toEqual([]);
      expect(failed({ deleting: true, remediatedBy: 'hc', hasNode: true }, 30_000)).toEqual([]);
    });

    it('have where they never were well, when they have had all of their time once more', () => {
      expect(failed({}, 119_999)).toEqual([]);
      expect(failed({}, 120_000)).toMatchObject([{ isLate: true }]);
    });
  });

  it('have failed for good by their own words; those that are available or go have not', () => {
    expect(judge(machine('a', { failure: 'no Node joined' })).failed).toMatchObject([{ why: 'no Node joined' }]);
    const late = { launchedAt: NOW - 90_000 };
    expect(judge(machine('a', { ...late, readySince: '2026-01-01T11:59:00Z' })).failed).toEqual([]);
    expect(judge(machine('a', { ...late, deleting: true })).failed).toEqual([]);
  });

  it('that were well at their deadline and fell ill since have not failed; that were ill by then have', () => {
    const launchedAt = NOW - 90_000;
    expect(judge(machine('a', { launchedAt, downSince: NOW - 20_000 })).failed).toEqual([]);
    expect(judge(machine('a', { launchedAt, downSince: NOW - 40_000 })).failed).toMatchObject([{ isLate: true }]);
  });

  it('that fell ill after their deadline, and are well again, have not failed while they are not available yet', () => {
    const isAvailable = () => false;
    const judged = (changes: Partial<RolloutMachine>) =>
      judgeNewMachines([machine('a', { launchedAt: NOW - 90_000, ...changes })], 60, NOW, isAvailable).failed;
    expect(judged({ readySince: '2026-01-01T11:59:50Z' })).toEqual([]);
    expect(judged({ readySince: '2026-01-01T11:59:20Z' })).toMatchObject([{ isLate: true }]);
    // A gate that opened just now: its Machine has not said yet since when.
    expect(judged({ readySince: '2026-01-01T11:59:20Z', unusable: 'gate x is open' })).toEqual([]);
    const downSince = NOW - 80_000;
    expect(judged({ readySince: '2026-01-01T11:59:20Z', unusable: 'gate x', downSince })).toMatchObject([
      { isLate: true },
    ]);
  });

  it('whose instance was taken back by the cloud have not failed, however long they take, nor where a health check deletes them', () => {
    const taken = { isBlameless: true, isFailed: true } as const;
    for (const launchedAt of [NOW - 90_000, NOW - 30_000]) {
      expect(judge(machine('a', { ...taken, launchedAt }))).toEqual({ failed: [] });
      expect(judge(machine('a', { ...taken, launchedAt, deleting: true, remediatedBy: 'hc' }))).toEqual({ failed: [] });
    }
  });

  it('that failed after their Node had joined say nothing of a template that was rolled out whole', () => {
    const failed = (isWhole: boolean, hasNode = true) => {
      const one = machine('a', { hasNode, failure: 'its instance is gone', isFailed: true, launchedAt: NOW - 90_000 });
      return judgeNewMachines([one], 60, NOW, isReady, { isWhole });
    };
    // But somebody has to delete them.
    expect(failed(true)).toEqual({ failed: [], lost: 'Machine a: its instance is gone' });
    expect([failed(true, false), failed(false)]).toMatchObject([
      { failed: [{ name: 'a' }] },
      { failed: [{ name: 'a' }] },
    ]);
    expect([failed(true, false).lost, failed(false).lost]).toEqual([undefined, undefined]);
  });

  it('of a deployment that is rolled out are not checked for the deadline, nor have failed where a health check deletes them later', () => {
    const judged = (changes: Partial<RolloutMachine>, isOver: boolean) =>
      judgeNewMachines([machine('a', { hasNode: true, ...changes })], 60, NOW, isReady, { isOver });
    const ill = { launchedAt: NOW - 90_000, downSince: NOW - 40_000 };
    expect(judged(ill, false).failed).toMatchObject([{ isLate: true }]);
    expect(judged(ill, true)).toEqual({ failed: [] });
    const soon = { ...ill, launchedAt: NOW - 50_000 };
    expect([judged(soon, false), judged(soon, true)]).toEqual([{ failed: [], lateAt: NOW + 10_000 }, { failed: [] }]);
    const remediated = { ...soon, deleting: true, remediatedBy: 'hc' };
    expect([judged(remediated, false).failed.length, judged(remediated, true).failed.length]).toEqual([1, 0]);
    // Nothing of the template came of that one.
    expect(judged({ ...remediated, hasNode: false }, true).failed).toHaveLength(1);
  });

  it('that have failed for good are not late, whatever their time', () => {
    const judged = judge(machine('a', { failure: 'no Node joined', launchedAt: NOW - 90_000 }));
    expect(judged).toEqual({ failed: [{ name: 'a', uid: 'a', why: 'no Node joined', isLate: false }] });
  });

  it('that fell ill at the very moment of their deadline were too late', () => {
    const launchedAt = NOW - 90_000;
    expect(judge(machine('a', { launchedAt, downSince: NOW - 30_000 })).failed).toMatchObject([{ isLate: true }]);
  });

  it('are looked at when the next of them is too late, and those are not waited for that are', () => {
    const [late, now, soon, later] = [90_000, 60_000, 50_000, 40_000].map((ms, at) =>
      machine(`m-${at}`, { launchedAt: NOW - ms }),
    );
    expect(judge(late!, soon!, later!).lateAt).toBe(NOW + 10_000);
    expect(judge(later!, soon!).lateAt).toBe(NOW + 10_000);
    expect(judge(now!)).not.toHaveProperty('lateAt');
  });

  it('say what keeps one from being used whose Node is Ready', () => {
    const unusable = 'its Node has the taint booting';
    const ready = '2026-01-01T11:59:00Z';
    const of = (...machines: RolloutMachine[]) => judgeNewMachines(machines, 60, NOW, () => false).unusable;
    expect(of(machine('a', { readySince: ready }), machine('b', { readySince: ready, unusable }))).toBe(
      'Machine b: its Node has the taint booting',
    );
    expect(of(machine('a', { unusable }))).toBeUndefined();
    expect(of(machine('a', { readySince: ready }))).toBeUndefined();
  });

  it('that are too late say what is known of them', () => {
    const why = (more: Partial<RolloutMachine>) =>
      judgeNewMachines([machine('a', { launchedAt: NOW - 61_000, ...more })], 60, NOW, () => false).failed[0]?.why;
    const late = 'it is not available 60 s after its launch';
    const since = { hasNode: true, downSince: NOW - 61_000 };
    expect(why({})).toBe(`${late}: no Node has joined`);
    expect(why(since)).toBe(`${late}: its Node is not Ready`);
    const readySince = new Date(NOW - 61_000).toISOString();
    expect(why({ ...since, readySince, unusable: 'its Node has the taint booting' })).toBe(
      `${late}: its Node has the taint booting`,
    );
    expect(why({ hasNode: true, readySince: new Date(NOW - 2000).toISOString() })).toBe(late);
  });

  it('that are too late may have lost their instances where they were launched, whatever their Nodes say', () => {
    const late = { launchedAt: NOW - 61_000 };
    const mayBeGone = (changes: Partial<RolloutMachine>) =>
      judgeNewMachines([machine('a', changes)], 60, NOW, () => false).failed.map((failed) => failed.mayBeGone);
    expect(mayBeGone(late)).toEqual([true]);
    expect(mayBeGone({ ...late, hasNode: true, downSince: NOW - 61_000 })).toEqual([true]);
    const isReady = { ...late, hasNode: true, readySince: new Date(NOW - 61_000).toISOString() };
    expect(mayBeGone({ ...isReady, unusable: 'its Node has the taint booting', downSince: NOW - 61_000 })).toEqual([
      true,
    ]);
    expect(mayBeGone({ refused: { since: NOW - 61_000, why: 'no such Secret' } })).toEqual([undefined]);
  });

  it('whose launch is refused are too late when that has lasted for as long, and say so until then', () => {
    const refused = (ms: number) => judge(machine('a', { refused: { since: NOW - ms, why: 'no such Secret' } }));
    const unusable = 'Machine a: its launch is refused: no such Secret';
    expect(refused(59_000)).toEqual({ failed: [], lateAt: NOW + 1000, unusable });
    // One that was launched says that, whatever is refused since.
    const again = machine('a', { launchedAt: NOW - 60_000, refused: { since: NOW - 1000, why: 'no such Secret' } });
    expect(judge(again).failed).toMatchObject([
      { why: 'it is not available 60 s after its launch: no Node has joined' },
    ]);
    expect(refused(60_000)).toMatchObject({
      failed: [{ name: 'a', isLate: true, why: 'its launch has been refused for 60 s: no such Secret' }],
      unusable,
    });
  });

  it('say what became of one whose instance the cloud took back', () => {
    const taken = { isBlameless: true, isFailed: true, lost: 'its spot instance was taken back' } as const;
    expect(judge(machine('a'), machine('b', taken)).lost).toBe('Machine b: its spot instance was taken back');
  });

  it('that the cloud has no room for have not failed', () => {
    expect(judge(machine('a', { lacksCapacity: 'none in zone a' }))).toEqual({
      failed: [],
      lacksCapacity: 'Machine a: none in zone a',
    });
  });
});

const FAILED = { name: 'a', uid: 'a', why: 'it failed', isLate: false };
const sight = (changes: Partial<FailureSight> = {}): FailureSight => ({
  hash: 'one',
  failed: [FAILED],
  isHeld: false,
  isComplete: false,
  isAtStandstill: false,
  deadlineMs: 60_000,
  pauses: [],
  failureThreshold: 1,
  ...changes,
});
const failuresAfter = (known: RolloutFailures | undefined, seen: FailureSight, now = NOW) =>
  failuresAt(known, seen, now);

describe('a rollout', () => {
  it('is to stop when as many have failed as may', () => {
    const failures = failuresAfter(undefined, sight());
    expect(isToStop(failures, sight())).toBe(true);
    expect(isToStop(failures, sight({ failureThreshold: 2 }))).toBe(false);
    const { failureThreshold: _none, ...never } = sight();
    expect(isToStop(failuresAfter(undefined, never), never)).toBe(false);
    expect(describeFailures(failures)).toBe('Machine a: it failed');
  });

  it('counts one that was replaced meanwhile', () => {
    const first = failuresAfter(undefined, sight({ failureThreshold: 2 }));
    const second = failuresAfter(first, sight({ failureThreshold: 2, failed: [{ ...FAILED, uid: 'b', name: 'b' }] }));
    expect(isToStop(second, sight({ failureThreshold: 2 }))).toBe(true);
    expect(describeFailures(second)).toBe('Machine b: it failed (and 1 more)');
  });

  it('names one that is there, and says of one that is not that it failed before', () => {
    const first = failuresAfter(undefined, sight());
    expect(describeFailures(first)).toBe('Machine a: it failed');
    const gone = failuresAfter(first, sight({ failed: [] }));
    expect(describeFailures(gone)).toBe('Machine a, which is gone or well by now: it failed');
    const held = failuresAfter(gone, sight({ failed: [], isHeld: true }));
    expect([held.isStopped, describeFailures(held)]).toEqual([true, describeFailures(gone)]);
    expect(describeFailures(failuresAfter(gone, sight()))).toBe('Machine a: it failed');
  });

  it('that somebody has go on does so in spite of what had failed, and stops for the next', () => {
    const stopped = failuresAfter(failuresAfter(undefined, sight()), sight({ isHeld: true }));
    expect(stopped.isStopped).toBe(true);
    const resumed = failuresAfter(stopped, sight());
    expect(isToStop(resumed, sight())).toBe(false);
    expect(describeFailures(resumed)).toBeUndefined();
    const again = failuresAfter(resumed, sight({ failed: [FAILED, { ...FAILED, uid: 'b' }] }));
    expect(isToStop(again, sight())).toBe(true);
    expect(countFailures(again)).toBe(1);
  });

  it('is stopped while it is held for what failed, and remembers why it did not go back', () => {
    const barred = 'it was before';
    const stopping = { ...failuresAfter(undefined, sight()), barred };
    const stopped = failuresAfter(stopping, sight({ isHeld: true }));
    expect(stopped).toEqual({ hash: 'one', failed: [FAILED], isStopped: true, barred });
    expect(failuresAfter(stopped, sight({ isHeld: true }))).toEqual(stopped);
    expect(isToStop(stopped, sight({ isHeld: true }))).toBe(false);
    expect(failuresAfter(stopped, sight())).not.toHaveProperty('barred');
  });

  it('is not stopped by a pause for which fewer have failed than may, nor by failures while it goes on', () => {
    expect(failuresAfter(undefined, sight({ isHeld: true, failureThreshold: 2 })).isStopped).toBe(false);
    expect(failuresAfter(undefined, sight()).isStopped).toBe(false);
  });

  describe('that stands with fewer failures than stop it, and no place for others', () => {
    const standing = sight({ isAtStandstill: true, failureThreshold: 3 });
    const first = failuresAfter(undefined, standing);
    const words = 'Machine a: it failed, and there is no place for others to come up, or to fail';

    it('is to stop when that has lasted as long as a machine may take', () => {
      expect([stuckAt(first, standing), isToStop(first, standing)]).toEqual([NOW + 60_000, false]);
      const before = failuresAfter(first, standing, NOW + 59_999);
      expect([stuckAt(before, standing), isToStop(before, standing)]).toEqual([NOW + 60_000, false]);
      const stuck = failuresAfter(before, standing, NOW + 60_000);
      expect([stuckAt(stuck, standing), isToStop(stuck, standing)]).toEqual([Infinity, true]);
      expect(describeFailures(stuck)).toBe(words);
    });

    it('is stopped for that while it is held, goes on in spite of it afterwards, and stops again where nothing came of that', () => {
      const stuck = failuresAfter(first, standing, NOW + 60_000);
      const stopped = failuresAfter(stuck, sight({ isHeld: true, failureThreshold: 3 }), NOW + 61_000);
      expect([stopped.isStopped, describeFailures(stopped)]).toEqual([true, words]);
      // It says what it stopped for, whatever becomes of that one while it is held.
      const worse = sight({ isHeld: true, failureThreshold: 3, failed: [{ ...FAILED, why: 'its instance is gone' }] });
      expect(describeFailures(failuresAfter(stopped, worse, NOW + 62_000))).toBe(words);
      const resumed = failuresAfter(stopped, standing, NOW + 90_000);
      expect([isToStop(resumed, standing), stuckAt(resumed, standing)]).toEqual([false, NOW + 150_000]);
      expect(describeFailures(resumed)).toBeUndefined();
      const failed = [FAILED, { ...FAILED, uid: 'b', name: 'b' }];
      const another = failuresAfter(resumed, { ...standing, failed }, NOW + 95_000);
      expect(stuckAt(another, standing)).toBe(NOW + 150_000);
      const again = failuresAfter(resumed, standing, NOW + 150_000);
      expect([isToStop(again, standing), describeFailures(again)]).toEqual([true, words]);
    });

    it('is to stop again after the only one that may fail was forgiven, and stands there still', () => {
      const one = sight({ isAtStandstill: true });
      const stopped = failuresAfter(failuresAfter(undefined, one), sight({ isHeld: true }), NOW + 1000);
      const resumed = failuresAfter(stopped, one, NOW + 2000);
      expect([isToStop(resumed, one), countFailures(resumed), stuckAt(resumed, one)]).toEqual([false, 0, NOW + 62_000]);
      const again = failuresAfter(resumed, one, NOW + 62_000);
      expect([isToStop(again, one), describeFailures(again)]).toEqual([true, words]);
      // One that is gone meanwhile stays forgiven.
      const other = { ...FAILED, uid: 'c', name: 'c' };
      const replaced = failuresAfter(resumed, { ...one, failed: [other] }, NOW + 62_000);
      expect(countFailures(replaced)).toBe(1);
    });

    it('says nothing of places where as many have failed as stop it, and nothing is left to stop', () => {
      const one = sight({ isAtStandstill: true });
      const enough = failuresAfter(undefined, one);
      const stuck = failuresAfter(failuresAfter(enough, one, NOW + 60_000), one, NOW + 61_000);
      expect([stuckAt(stuck, one), describeFailures(stuck)]).toEqual([Infinity, 'Machine a: it failed']);
      // It stood for want of places: that it counts for that does not change what it stands for.
      const few = failuresAfter(failuresAfter(first, standing, NOW + 60_000), standing, NOW + 61_000);
      expect(describeFailures(few)).toBe(words);
      const others = ['b', 'c'].map((uid) => ({ ...FAILED, uid, name: uid }));
      const more = failuresAfter(few, { ...standing, failed: [FAILED, ...others] }, NOW + 62_000);
      expect([more.isStuck, countFailures(more), describeFailures(more)]).toEqual([
        true,
        3,
        'Machine a: it failed (and 2 more), and there is no place for others to come up, or to fail',
      ]);
    });

    it('counts anew when something has moved in between, or it was held', () => {
      for (const other of [sight({ failureThreshold: 3 }), sight({ failureThreshold: 3, isHeld: true })]) {
        const moved = failuresAfter(first, other, NOW + 50_000);
        const later = failuresAfter(moved, standing, NOW + 70_000);
        expect([stuckAt(later, standing), isToStop(later, standing)]).toEqual([NOW + 130_000, false]);
      }
    });

    it('does not count the time in which nobody looked', () => {
      const away = { ...standing, pauses: [{ from: NOW + 10_000, to: NOW + 100_000 }] };
      const later = failuresAfter(first, away, NOW + 149_999);
      expect([stuckAt(later, away), isToStop(later, away)]).toEqual([NOW + 150_000, false]);
      expect(isToStop(failuresAfter(later, away, NOW + 150_000), away)).toBe(true);
    });

    it('is never to stop where failures stop nothing', () => {
      const { failureThreshold: _none, ...never } = standing;
      const begun = failuresAfter(undefined, never);
      // It says so when nothing else can come.
      expect([stuckAt(begun, never), describeFailures(begun)]).toEqual([NOW + 60_000, 'Machine a: it failed']);
      const later = failuresAfter(begun, never, NOW + 60_000);
      expect([stuckAt(later, never), isToStop(later, never), describeFailures(later)]).toEqual([
        Infinity,
        false,
        words,
      ]);
    });
  });

  it('tells of each machine once where it goes on in spite of them, of none while it is held or all are there', () => {
    const { failureThreshold: _none, ...never } = sight();
    const known = failuresAfter(undefined, never);
    expect(untoldOf(known, never)).toEqual([FAILED]);
    expect(untoldOf(known, sight())).toEqual([]);
    expect(untoldOf(known, { ...never, isHeld: true })).toEqual([]);
    expect(untoldOf(known, { ...never, isComplete: true })).toEqual([]);
    const told = withTold(known, [FAILED]);
    const other = { ...FAILED, uid: 'b', name: 'b' };
    const more = failuresAfter(told, { ...never, failed: [FAILED, other] });
    expect(untoldOf(more, never)).toEqual([other]);
    const [first] = more.failed;
    expect(untoldOf(withTold({ ...more, failed: [FAILED, other] }, [FAILED]), never)).toEqual([other]);
    expect(first?.isTold).toBe(true);
    // Those that it stands with for long count anew, and are not told anew; those that are forgiven are not told.
    const standing = { ...never, isAtStandstill: true };
    const stuck = failuresAfter(failuresAfter(told, standing), standing, NOW + 60_000);
    expect([stuck.isStuck, untoldOf(stuck, standing)]).toEqual([true, []]);
    const over = failuresAfter(known, { ...never, failed: [], isComplete: true });
    expect(untoldOf(over, never)).toEqual([]);
  });

  it('remembers the last hundred that failed', () => {
    const failed = Array.from({ length: 101 }, (_, at) => ({ ...FAILED, name: `m-${at}`, uid: `${at}` }));
    const known = failuresAfter(undefined, sight({ failed }));
    // Those that are there are all remembered: else they would have failed anew.
    expect(known.failed).toHaveLength(101);
    const later = failuresAfter(known, sight({ failed: [] }));
    expect([later.failed.length, later.failed[0]?.name]).toEqual([100, 'm-1']);
  });

  it('stops for more than a hundred, and goes on with as many in sight', () => {
    const failed = Array.from({ length: 130 }, (_, at) => ({ ...FAILED, name: `m-${at}`, uid: `${at}` }));
    const seen = sight({ failed, failureThreshold: 120 });
    const known = failuresAfter(undefined, seen);
    expect(isToStop(known, seen)).toBe(true);
    const stopped = failuresAfter(known, { ...seen, isHeld: true });
    const resumed = failuresAfter(stopped, seen);
    expect(isToStop(resumed, seen)).toBe(false);
  });

  it('says why it is not rolled back, where it is to be', () => {
    expect(describeStop({ why: 'Machine a: it failed' })).toBe('Machine a: it failed');
    expect(describeStop({ why: 'Machine a: it failed', barred: 'it was before' })).toBe(
      'Machine a: it failed. It is not rolled back: it was before',
    );
  });

  it('that came to its end counts no failure of before when machines are added', () => {
    const over = failuresAfter(failuresAfter(undefined, sight()), sight({ failed: [], isComplete: true }));
    expect(describeFailures(over)).toBeUndefined();
    const later = failuresAfter(over, sight({ failed: [{ ...FAILED, uid: 'b', name: 'b' }] }));
    expect(describeFailures(later)).toBe('Machine b: it failed');
  });

  it('that goes to another template stops for no machine of it that had failed before, but for the next', () => {
    const first = failuresAfter(undefined, sight({ failed: [] }));
    const other = sight({ hash: 'two' });
    const gone = failuresAfter(first, other);
    expect(isToStop(gone, other)).toBe(false);
    const more = sight({ hash: 'two', failed: [FAILED, { ...FAILED, uid: 'b', name: 'b' }] });
    expect(describeFailures(failuresAfter(gone, more))).toBe('Machine b: it failed');
  });

  it('starts anew with another template', () => {
    const stopped = failuresAfter(failuresAfter(undefined, sight()), sight({ isHeld: true }));
    expect(failuresAfter(stopped, sight({ hash: 'two', failed: [] }))).toEqual({
      hash: 'two',
      failed: [],
      isStopped: false,
    });
  });
});
