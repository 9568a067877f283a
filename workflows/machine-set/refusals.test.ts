import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import { missingAfter } from '../retry.ts';
import { describeRefusal, refusalAfter, turnOf, type Refusal } from './refusals.ts';
import { given } from '../../providers/given.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const [A, B, C] = ['a', 'b', 'c'].map((name) => ({ name, uid: `uid-of-${name}` })) as [Chosen, Chosen, Chosen];
type Chosen = { readonly name: string; readonly uid: string };

const refusalOf = (machines: readonly Chosen[] | undefined, changes: Partial<Refusal> = {}): Refusal => ({
  ...given({ machines }),
  message: 'denied',
  failures: 1,
  until: NOW + 5000,
  ...changes,
});
const after = (known: Refusal | undefined, waiting: readonly Chosen[], refused: readonly Chosen[], now = NOW) =>
  refusalAfter(
    known,
    { tried: [], waiting },
    refused.length === 0 ? undefined : { machines: refused, message: 'denied' },
    DEFAULT_MACHINE_SETTINGS,
    now,
  );

describe('which Machines are tried', () => {
  it('are all where nothing was refused, or the wait is over', () => {
    const all = { tried: [A, B], waiting: [] };
    expect(turnOf([A, B], undefined, NOW)).toEqual(all);
    expect(turnOf([A, B], refusalOf([A], { until: NOW }), NOW)).toEqual(all);
  });

  it('are, during the wait, those that were not refused', () => {
    expect(turnOf([A, B], refusalOf([A, C]), NOW)).toEqual({ tried: [B], waiting: [A] });
  });

  it('are none during the wait where all was refused', () => {
    expect(turnOf([A, B], refusalOf(undefined), NOW)).toEqual({ tried: [], waiting: [A, B] });
  });
});

describe('a refusal', () => {
  it('is forgotten when it was done, or nobody wants it any more', () => {
    expect(after(refusalOf([A]), [], [])).toBeUndefined();
    expect(after(undefined, [], [])).toBeUndefined();
  });

  it('waits longer each time that the same Machine is refused', () => {
    const first = after(undefined, [], [A]);
    const second = after(first, [], [A, B]);
    const third = after(second, [], [B]);
    expect([first, second, third].map((r) => (r?.until ?? 0) - NOW)).toEqual([5000, 10_000, 20_000]);
    expect(third).toMatchObject({ machines: [B], failures: 3 });
  });

  it('waits as for the first time where another Machine is refused', () => {
    expect(after(refusalOf([A], { failures: 7 }), [], [B])).toEqual(refusalOf([B]));
  });

  it('keeps its time while others are tried, and takes in those that are refused meanwhile', () => {
    const known = refusalOf([A, B], { failures: 3, until: NOW + 1000 });
    expect(after(known, [A], [C])).toEqual({ ...known, machines: [A, C] });
    expect(after(known, [B], [])).toEqual({ ...known, machines: [B] });
  });

  it('of everything stays so while it is waited out', () => {
    const known = refusalOf(undefined);
    expect(after(known, [A], [])).toEqual(known);
    expect(missingAfter('denied', known, DEFAULT_MACHINE_SETTINGS, NOW)).toMatchObject({ failures: 2 });
  });

  it('names five Machines, and says how many more there are', () => {
    const machines = Array.from({ length: 7 }, (_, i) => ({ name: `m-${i}`, uid: `${i}` }));
    expect(describeRefusal('delete', refusalOf(machines))).toBe(
      'cannot delete m-0, m-1, m-2, m-3, m-4 and 2 more: denied',
    );
    expect(describeRefusal('release', refusalOf([A]))).toBe('cannot let go of a: denied');
    expect(describeRefusal('create', refusalOf(undefined))).toBe('denied');
  });
});
