import { expect, test } from '@jest/globals';
import { failed, iso, MINUTE, neverJoined, notReady, NOW, SET, suspect, withoutSet } from './check-for-tests.ts';
import type { SeenCause, Suspect } from './health-activities.ts';
import { inOrder, recentlyTried } from './order.ts';
import type { Patient } from './patients.ts';

const HOUR = 60 * MINUTE;

/** Unhealthy since so many minutes. */
function patient(
  name: string,
  minutes: number,
  cause: SeenCause = notReady(),
  changes: Partial<Suspect> = {},
): Patient {
  const since = NOW - minutes * MINUTE;
  const illness = { cause, since, dueAt: since, isUnhealthy: true, isFlapping: false, isTold: true };
  return { suspect: suspect(name, changes), illnesses: [illness] };
}

const asideOf = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [suspect(name).uid, { until: NOW - MINUTE, generation: 1, message: 'no step is left' }]),
  );
const orderOf = (
  patients: readonly Patient[],
  tried: Readonly<Record<string, number>> = {},
  spent: readonly string[] = [],
): string[] =>
  inOrder(patients, { neverJoined: tried, setAside: asideOf(spent) }, NOW).map(({ suspect: { name } }) => name);

const joining = (name: string, minutes: number, changes: Partial<Suspect> = {}): Patient =>
  patient(name, minutes, neverJoined(NOW - HOUR), changes);

test('proved dead comes first, then never joined, then the longest unhealthy, then never joined again', () => {
  const patients = [
    joining('joins-again', 50),
    joining('joins', 60),
    patient('brief', 6),
    patient('long', 30, failed()),
    patient('dead', 5, notReady(), { isProved: true }),
  ];
  expect(orderOf(patients)).toEqual(['dead', 'joins', 'long', 'brief', 'joins-again']);
  expect(orderOf([...patients].reverse())).toEqual(['dead', 'joins', 'long', 'brief', 'joins-again']);
});

test('each set has one that goes early', () => {
  const other = { ...SET, name: 'others', uid: 'uid-of-others' };
  const patients = [
    patient('bad', 20),
    joining('of-one', 6),
    joining('of-other', 7, { set: other }),
    joining('next', 5),
  ];
  expect(orderOf(patients)).toEqual(['of-other', 'of-one', 'bad', 'next']);
  const ownerless = { ...joining('nobodys', 4), suspect: withoutSet(suspect('nobodys')) };
  expect(orderOf([...patients, ownerless])).toEqual(['of-other', 'of-one', 'nobodys', 'bad', 'next']);
});

test('a set that had one within the last hour has none that goes early', () => {
  const patients = [patient('bad', 6), joining('joins', 60)];
  expect(orderOf(patients, { [SET.uid]: NOW - HOUR + 1 })).toEqual(['bad', 'joins']);
  expect(orderOf(patients, { [SET.uid]: NOW - HOUR })).toEqual(['joins', 'bad']);
});

test('what is tried is remembered for an hour', () => {
  expect(recentlyTried({ old: NOW - HOUR, fresh: NOW - HOUR + 1, now: NOW }, NOW)).toEqual({
    fresh: NOW - HOUR + 1,
    now: NOW,
  });
});

test('of the same age they go by their names', () => {
  expect(orderOf([patient('b', 6), patient('a', 6), patient('c', 6)])).toEqual(['a', 'b', 'c']);
  expect(orderOf([patient('c', 6), patient('a', 6), patient('b', 6)])).toEqual(['a', 'b', 'c']);
});

test('one that is not unhealthy comes last of its kind', () => {
  const well: Patient = { suspect: suspect('a-well-one', { createdAt: iso(NOW) }), illnesses: [] };
  expect(orderOf([well, patient('z', 6)])).toEqual(['z', 'a-well-one']);
});

test('those for which no step helped come last, also when their time is over: they would take turns and leave none to others', () => {
  const patients = [patient('spent', 60), patient('new', 10), patient('spent-too', 50)];
  expect(orderOf(patients, {}, ['spent', 'spent-too'])).toEqual(['new', 'spent', 'spent-too']);
});
