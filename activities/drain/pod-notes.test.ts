import { describe, expect, it } from '@jest/globals';
import type { PodNote } from '../../workflows/machine/drain-activities.ts';
import { askedSoon, isMomentary, keepNotes, noteHeld, shownOf } from './pod-notes.ts';
import type { Hold } from './read-eviction.ts';

/** What becomes of a pod that is asked for at the very time that its note says, each time held by the next of these. */
function held(...row: readonly Hold[]): PodNote {
  const [first = 'soon', ...others] = row;
  const answer = (by: Hold) => ({ outcome: 'held', by, message: `words of ${by}` }) as const;
  return others.reduce((note, by) => noteHeld(note, answer(by), note.until), noteHeld(undefined, answer(first), 0));
}

/** Seconds until the eviction is asked for again. */
const pauses = (...row: readonly Hold[]) =>
  row.map((_by, index) => {
    const before = row.slice(0, index);
    return (held(...row.slice(0, index + 1)).until - (index === 0 ? 0 : held(...before).until)) / 1000;
  });

describe('the pause before a pod is asked to leave again', () => {
  it('grows', () => expect(pauses('server', 'server', 'server')).toEqual([2, 4, 8]));

  it('grows on where it fails in different ways by turns, as with a webhook that hangs now and then', () => {
    expect(pauses('soon', 'server', 'soon', 'server', 'refused')).toEqual([1, 4, 4, 16, 120]);
  });

  it('begins anew with several budgets, and after them', () => {
    expect(pauses('budgets', 'budgets', 'server', 'budgets')).toEqual([120, 240, 2, 120]);
  });

  it('begins anew with a budget, and after it', () => {
    expect(pauses('server', 'server', 'budget', 'budget', 'server', 'budget')).toEqual([2, 4, 5, 10, 2, 5]);
  });
});

describe('what is shown of a pod that is held', () => {
  const shown = (...row: readonly Hold[]) => shownOf(held(...row)).by;

  it.each<[string, readonly Hold[], Hold]>([
    ['stays while the API server does not answer in between', ['server', 'soon'], 'server'],
    ['stays with a refusal while the API server fails in between', ['refused', 'server', 'soon'], 'refused'],
    ['stays with a budget while nothing is heard of it', ['budget', 'soon', 'server'], 'budget'],
    ['is what says more as soon as that comes', ['soon', 'server', 'refused'], 'refused'],
    ['is the budget when a webhook lets it come to that', ['refused', 'budget'], 'budget'],
    ['is the refusal that comes before the budget is asked', ['budget', 'refused'], 'refused'],
  ])('%s', (_what, row, by) => expect(shown(...row)).toBe(by));

  it('stays with its words', () => {
    expect(shownOf(held('refused', 'soon'))).toMatchObject({ message: 'words of refused' });
  });

  it('does not stay for long', () => {
    expect(shown('refused', ...Array<Hold>(3).fill('server'))).toBe('refused');
    expect(shown('refused', ...Array<Hold>(7).fill('server'))).toBe('server');
  });
});

describe('the words of what holds a pod', () => {
  const times = (by: Hold, count: number) => held(...Array<Hold>(count).fill(by));

  it.each<Hold>(['refused', 'server', 'unjudged', 'namespace'])('are kept of what nothing else tells of: %s', (by) => {
    expect(held(by)).toMatchObject({ message: `words of ${by}` });
  });

  it.each<[Hold, boolean]>([
    ['refused', true],
    ['server', true],
    ['namespace', true],
    ['soon', false],
    ['budget', false],
    ['budgets', false],
  ])('of %s are kept, or tell nothing', (by, isKept) => {
    expect(held(by).message).toBe(isKept ? `words of ${by}` : undefined);
  });

  it('are kept of what should have passed in a moment once it lasts, and of a budget never', () => {
    expect(times('soon', 4).message).toBeUndefined();
    expect(times('soon', 5).message).toBe('words of soon');
    expect(times('budget', 5)).not.toHaveProperty('message');
  });

  it('are not longer than a person reads', () => {
    const note = noteHeld(undefined, { outcome: 'held', by: 'refused', message: 'x'.repeat(1000) }, 0);
    expect(note.message).toHaveLength(300);
  });
});

it('a pod that is held is remembered since it was first asked to leave', () => {
  expect(noteHeld(undefined, { outcome: 'held', by: 'soon', message: '' }, 5).askedAt).toBe(5);
  expect(held('soon', 'server', 'refused').askedAt).toBe(0);
});

it('what should pass in a moment lasts from the fifth failure in a row on, or where it says that it takes longer', () => {
  const times = (count: number) => held(...Array<Hold>(count).fill('soon'));
  expect([4, 5].map((count) => isMomentary(times(count)))).toEqual([true, false]);
  const after = (seconds: number) =>
    noteHeld(undefined, { outcome: 'held', by: 'soon', message: 'come later', retryAfterMs: seconds * 1000 }, 0);
  expect([10, 11].map((seconds) => isMomentary(after(seconds)))).toEqual([true, false]);
  expect(after(11)).toMatchObject({ until: 11_000, message: 'come later' });
  expect(isMomentary(held('budget'))).toBe(false);
});

it('what is remembered goes with the pod', () => {
  const [left, gone] = [held('server'), held('budget')];
  expect(keepNotes({ a: left, b: gone }, [{ uid: 'a' }, { uid: 'c' }])).toEqual({ a: left });
});

it('a pod whose hold is mended is asked by the next pass, and no later than it would have been', () => {
  const [mended, due, other] = [held('budgets'), held('soon'), held('server')];
  const notes = { mended, due, other };
  const pods = ['mended', 'due', 'unknown'].map((uid) => ({ uid }));
  expect(askedSoon(notes, pods, 1500)).toEqual({ mended: { ...mended, until: 1500 }, due, other });
  expect(askedSoon(notes, [], 1500)).toEqual(notes);
});
