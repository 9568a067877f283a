import { describe, expect, it } from '@jest/globals';
import { failed, found, iso, MINUTE, NOW, SET, setSight, suspect } from './check-for-tests.ts';
import { failedReplacements } from './failed-replacements.ts';
import type { Held } from './gone-slots.ts';
import type { SetSight, Suspect } from './health-activities.ts';
import type { HealthMemory } from './health-memory.ts';
import type { Patient } from './patients.ts';

const OTHER = { ...SET, name: 'others', uid: 'uid-of-others' };

/** A slot that began so many minutes from now. */
function gone(name: string, minutes: number, set = SET): Held {
  const startedAt = NOW + minutes * MINUTE;
  const asked = { times: 1, at: startedAt, outcome: 'done' as const };
  return { uid: name, slot: { name, set, cause: 'it was ill', startedAt, step: 0, action: 'Replace', asked } };
}

/** A Machine that was made so many minutes from now, and is ill. */
function patient(name: string, minutes: number, changes: Partial<Suspect> = {}, isUnhealthy = true): Patient {
  const cause = failed();
  const illness = { cause, since: NOW, dueAt: NOW, isUnhealthy, isFlapping: false, isTold: true };
  const one = suspect(name, { uid: name, createdAt: iso(NOW + minutes * MINUTE), causes: [cause], ...changes });
  return { suspect: one, illnesses: [illness] };
}

const joining = (name: string, minutes: number) => ({ uid: name, createdAt: iso(NOW + minutes * MINUTE) });

/** Which slot each failed replacement takes. */
function taken(
  slots: readonly Held[],
  patients: readonly Patient[],
  unready: SetSight['unready'] = [],
  known: HealthMemory['slots'] = {},
) {
  const seen = found({ sets: { [SET.uid]: setSight({ unready }) } });
  return failedReplacements(slots, patients, known, seen).map(({ uid, patient: { suspect: one } }) => [uid, one.name]);
}

describe('a replacement that failed', () => {
  it('takes the newest place that was free when it was made', () => {
    const places = [gone('old', 0), gone('new', 4), gone('middle', 2)];
    expect(taken(places, [patient('m', 3)])).toEqual([['middle', 'm']]);
    expect(taken(places, [patient('m', 5)])).toEqual([['new', 'm']]);
    expect(taken(places, [patient('m', -1)])).toEqual([]);
  });

  it('takes a place that no other one has', () => {
    const places = [gone('old', 0), gone('new', 4)];
    expect(taken(places, [patient('a', 5), patient('b', 6), patient('c', 7)])).toEqual([
      ['new', 'c'],
      ['old', 'b'],
    ]);
  });

  it('takes one of its own set', () => {
    expect(taken([gone('a', 0, OTHER)], [patient('m', 1)])).toEqual([]);
    expect(taken([gone('a', 0, OTHER), gone('b', 0)], [patient('m', 1)])).toEqual([['b', 'm']]);
  });

  it.each<[string, Patient]>([
    ['is not unhealthy yet', patient('m', 1, {}, false)],
    ['is being deleted', patient('m', 1, { isDeleting: true })],
  ])('takes none, where it %s', (_what, one) => {
    expect(taken([gone('a', 0)], [one])).toEqual([]);
  });

  it('takes none, where it is being remediated itself', () => {
    expect(taken([gone('a', 0)], [patient('m', 1)], [], { m: gone('m', 1).slot })).toEqual([]);
  });

  it('goes first where it never had a Node: one that had may have come for a slot that is over', () => {
    const { node: _none, ...born } = patient('never', 1).suspect;
    const never = { ...patient('never', 1), suspect: born };
    const had = patient('had', 2);
    expect(taken([gone('a', 0)], [had, never])).toEqual([['a', 'never']]);
    expect(taken([gone('a', 0)], [never, had])).toEqual([['a', 'never']]);
  });

  it('leaves a place for each machine that may join yet', () => {
    const places = [gone('old', 0), gone('new', 4)];
    expect(taken(places, [patient('m', 1)], [joining('j', 5)])).toEqual([['old', 'm']]);
    expect(taken(places, [patient('m', 1)], [joining('j', 3)])).toEqual([]);
    expect(taken(places, [patient('m', 5)], [joining('j', 1)])).toEqual([['new', 'm']]);
    expect(taken(places, [patient('m', 5)], [joining('j', 5), joining('k', 6)])).toEqual([]);
  });

  it('leaves none for itself, nor for what is being remediated', () => {
    expect(taken([gone('a', 0)], [patient('m', 1)], [joining('m', 1)])).toEqual([['a', 'm']]);
    expect(taken([gone('a', 0)], [patient('m', 1)], [joining('j', 1)], { j: gone('j', 1).slot })).toEqual([['a', 'm']]);
    const two = [patient('m', 1), patient('n', 2)];
    expect(taken([gone('a', 0)], two, [joining('m', 1), joining('n', 2)])).toEqual([['a', 'n']]);
  });

  it('takes the newest place that it may, so that those that stay are free for any that may join', () => {
    // The replacement of a machine that is still leaving is listed, too, and may join first.
    const places = [gone('old', 0), gone('new', 4)];
    expect(taken(places, [patient('m', 5), patient('n', 1)], [joining('j', 6)])).toEqual([['new', 'm']]);
  });

  it('has no place where each has one that joins, in whatever order they are listed', () => {
    const places = [gone('old', 0), gone('new', 4)];
    const [early, late] = [joining('early', 1), joining('late', 5)];
    expect(taken(places, [patient('m', 6)], [early, late])).toEqual([]);
    expect(taken(places, [patient('m', 6)], [late, early])).toEqual([]);
  });

  it('has the newest place that those leave which join, in whatever order they are listed', () => {
    const places = [gone('old', 0), gone('middle', 2), gone('new', 4)];
    const [first, second] = [joining('first', 3), joining('second', 5)];
    for (const unready of [
      [first, second],
      [second, first],
    ]) {
      expect(taken(places, [patient('m', 5)], unready)).toEqual([['new', 'm']]);
    }
  });
});
