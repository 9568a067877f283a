import { describe, expect, it } from '@jest/globals';
import { found, iso, MINUTE, NOW, SET, setSight } from './check-for-tests.ts';
import { byMaker, isNewer, isOlder, noteWhole, renewGone, type Held } from './gone-slots.ts';
import type { FoundCheck, SetSight } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';

const OTHER = { ...SET, name: 'others', uid: 'uid-of-others' };

function gone(name: string, startedAt: number, changes: Partial<Slot> = {}): Held {
  const asked = { times: 1, at: startedAt, outcome: 'done' as const };
  const slot = { name, set: SET, cause: 'it was ill', startedAt, step: 0, action: 'Replace' as const, asked };
  return { uid: `uid-of-${name}`, slot: { ...slot, ...changes } };
}

const joining = (name: string, createdAt: number) => ({ uid: `uid-of-${name}`, createdAt: iso(createdAt) });
const lookAt = (sets: FoundCheck['sets'], now = NOW) => ({ seen: found({ sets }), away: [], now });
const settle = (slots: readonly Held[], set: Partial<SetSight>, known: HealthMemory['slots'] = {}) => {
  const { held, succeeded } = renewGone(slots, lookAt({ [SET.uid]: setSight(set) }), known);
  return [held, succeeded].map((some) => some.map(({ slot }) => slot.name));
};

it('a clock that differs by up to five seconds makes nothing newer or older', () => {
  expect([-5001, -5000, 0].map((ms) => isNewer(iso(NOW + ms), NOW))).toEqual([false, true, true]);
  expect([5001, 5000, 0].map((ms) => isOlder(iso(NOW + ms), NOW))).toEqual([false, true, true]);
});

describe('slots whose machines are gone', () => {
  const three = [gone('late', NOW + 2000), gone('early', NOW), gone('middle', NOW + 1000)];

  it('are held as many as their set misses, and as join: the oldest of them', () => {
    expect(settle(three, { missing: 1 })).toEqual([['early'], ['middle', 'late']]);
    expect(settle(three, { unready: [joining('new', NOW + 3000)] })).toEqual([['early'], ['middle', 'late']]);
    expect(settle(three, { missing: 1, unready: [joining('new', NOW + 3000)] })).toEqual([
      ['early', 'middle'],
      ['late'],
    ]);
    expect(settle(three, {})).toEqual([[], ['early', 'middle', 'late']]);
  });

  it('are not held for what joins and was made before, nor for what is being remediated itself', () => {
    expect(settle(three, { unready: [joining('old', NOW - 5001)] })[0]).toEqual([]);
    expect(settle(three, { unready: [joining('old', NOW - 5000)] })[0]).toEqual(['early']);
    const another = { 'uid-of-new': gone('new', NOW).slot };
    expect(settle(three, { unready: [joining('new', NOW + 3000)] }, another)[0]).toEqual([]);
  });

  it('are held where they were replaced in turn, before others that began in the same moment', () => {
    const again = gone('again', NOW, { replacements: 1 });
    expect(settle([gone('first', NOW), again], { missing: 1 })[0]).toEqual(['again']);
    expect(settle([again, gone('first', NOW)], { missing: 1 })[0]).toEqual(['again']);
    expect(settle([gone('twice', NOW, { replacements: 2 }), again], { missing: 1 })[0]).toEqual(['twice']);
    expect(settle([gone('older', NOW - 1), again], { missing: 1 })[0]).toEqual(['older']);
  });

  it('are neither held nor a success where the set makes no machines', () => {
    expect(settle(three, { missing: 2, isHeld: true })).toEqual([[], ['late']]);
    const unready = [joining('new', NOW + 3000)];
    expect(settle(three, { missing: 1, isHeld: true, unready })).toEqual([[], ['late']]);
  });

  it('are let go where the set makes no machines, as many as it has made none for that are Ready', () => {
    const letGo = (set: Partial<SetSight>) =>
      renewGone(three, lookAt({ [SET.uid]: setSight(set) }), {}).letGo.map(({ slot }) => slot.name);
    const unready = [joining('new', NOW + 3000)];
    expect(letGo({ missing: 1, isHeld: true, unready })).toEqual(['early', 'middle']);
    expect(letGo({ isHeld: true })).toEqual([]);
    expect(letGo({ missing: 1, unready })).toEqual([]);
  });

  it('are over, and no success, as many as their set wants fewer than before', () => {
    const ofTen = [gone('late', NOW + 2000), gone('early', NOW), gone('middle', NOW + 1000)].map(({ uid, slot }) => ({
      uid,
      slot: { ...slot, wanted: 10 },
    }));
    expect(settle(ofTen, { wanted: 9, missing: 2 })).toEqual([['early', 'middle'], []]);
    expect(settle(ofTen, { wanted: 9, missing: 1 })).toEqual([['early'], ['late']]);
    expect(settle(ofTen, { wanted: 7, missing: 0 })).toEqual([[], []]);
    expect(settle(ofTen, { wanted: 10, missing: 2 })).toEqual([['early', 'middle'], ['late']]);
    expect(settle(ofTen, { wanted: 12, missing: 2 })).toEqual([['early', 'middle'], ['late']]);
    const unknown = gone('unknown', NOW + 3000);
    expect(settle([...ofTen, unknown], { wanted: 9, missing: 2 })).toEqual([['early', 'middle'], ['unknown']]);
  });

  it('are no success either where their set wants fewer before it gives a machine up', () => {
    const ofTen = [gone('a', NOW, { wanted: 10 })];
    const first = renewGone(
      ofTen,
      lookAt({ [SET.uid]: setSight({ wanted: 9, unready: [joining('new', NOW + 3000)] }) }),
      {},
    );
    expect([first.held.map(({ slot }) => slot.wanted), first.succeeded]).toEqual([[10], []]);
    expect(settle(first.held, { wanted: 9 })).toEqual([[], []]);
    expect(settle(first.held, { wanted: 10 })).toEqual([[], ['a']]);
    const none = renewGone(
      ofTen,
      lookAt({ [SET.uid]: setSight({ wanted: 0, unready: [joining('new', NOW + 3000)] }) }),
      {},
    );
    expect(settle(none.held, { wanted: 0 })).toEqual([[], []]);
  });

  it('remember what their set wants by now: a place that is gone counts once', () => {
    const ofTen = [gone('a', NOW, { wanted: 10 }), gone('b', NOW + 1000, { wanted: 10 })];
    const { held } = renewGone(ofTen, lookAt({ [SET.uid]: setSight({ wanted: 9, missing: 1 }) }), {});
    expect(held.map(({ slot }) => [slot.name, slot.wanted])).toEqual([['a', 9]]);
    expect(settle(held, { wanted: 9 })).toEqual([[], ['a']]);
    expect(settle([gone('of-an-older-memory', NOW)], { wanted: 9 })).toEqual([[], ['of-an-older-memory']]);
  });

  it('are over with their set', () => {
    const { held, succeeded } = renewGone([gone('a', NOW, { set: OTHER })], lookAt({}), {});
    expect([held, succeeded]).toEqual([[], []]);
  });

  it('are told apart by their sets; of no set nothing is waited for', () => {
    const { set: _none, ...alone } = gone('alone', NOW).slot;
    const other = gone('other', NOW, { set: OTHER });
    const all = byMaker([gone('a', NOW), other, { uid: 'uid-of-alone', slot: alone }, gone('b', NOW)], {});
    expect(all.map(({ maker, members }) => [maker, members.map(({ slot }) => slot.name)])).toEqual([
      [SET.uid, ['a', 'b']],
      [OTHER.uid, ['other']],
    ]);
  });

  it('are held, of a controller of another kind, until it has made as many, for as long as a machine may take to come up', () => {
    const settleAt = (minutes: number, ...living: ReturnType<typeof joining>[]) => {
      const sight = setSight({ living });
      const { held, succeeded } = renewGone(three, lookAt({ [SET.uid]: sight }, NOW + minutes * MINUTE), {});
      return [held, succeeded].map((some) => some.map(({ slot }) => slot.name));
    };
    expect(settleAt(1)).toEqual([['early', 'middle', 'late'], []]);
    expect(settleAt(1, joining('old', NOW - 60_000), joining('new', NOW + 3000))).toEqual([
      ['early', 'middle'],
      ['late'],
    ]);
    expect(settleAt(9)[0]).toHaveLength(3);
    // The time of the oldest is over.
    expect(settleAt(10)[0]).toHaveLength(2);
    expect(settleAt(11)).toEqual([[], []]);
    expect(settleAt(11, joining('new', NOW + 3000))).toEqual([[], ['late']]);
  });

  it('are held for what the other sets of their deployment make, as that takes the place of theirs', () => {
    const deployment = 'uid-of-web';
    const slots = [gone('a', NOW), gone('b', NOW + 1000, { set: OTHER })];
    const settleIn = (sight: Partial<SetSight>) => {
      const sets = { [SET.uid]: setSight({ deployment, ...sight }), [OTHER.uid]: setSight({ deployment, ...sight }) };
      const { held, succeeded } = renewGone(slots, lookAt(sets), {});
      return [held, succeeded].map((some) => some.map(({ slot }) => slot.name));
    };
    expect(settleIn({ missing: 1 })).toEqual([['a'], ['b']]);
    expect(settleIn({ missing: 1, unready: [joining('new', NOW + 3000)] })).toEqual([['a', 'b'], []]);
    expect(settleIn({})).toEqual([[], ['a', 'b']]);
  });
});

describe('slots whose machines go still', () => {
  const two = [gone('late', NOW + 1000, { wanted: 3 }), gone('early', NOW, { wanted: 3 })];
  const wholeAt = (set: Partial<SetSight>, known: HealthMemory['slots'] = {}, slots: readonly Held[] = two) => {
    const sets = { [SET.uid]: setSight({ wanted: 3, ...set }) };
    return noteWhole(slots, sets, known, NOW + 5000).map(({ slot }) => slot.wholeAt);
  };
  const whole = [NOW + 5000, NOW + 5000];
  const notYet = [undefined, undefined];

  it('know since when their set is whole again', () => {
    expect(wholeAt({})).toEqual(whole);
    expect(wholeAt({ wanted: 4 })).toEqual(whole);
    expect(wholeAt({}, {}, [gone('before', NOW, { wanted: 3, wholeAt: NOW + 2000 })])).toEqual([NOW + 2000]);
  });

  it('wait for what their set misses, and for what it has made since and is not Ready', () => {
    const [old, fresh] = [joining('old', NOW - 5001), joining('new', NOW)];
    expect(wholeAt({ missing: 1 })).toEqual(notYet);
    expect(wholeAt({ unready: [old, fresh] })).toEqual(notYet);
    expect(wholeAt({ unready: [old] })).toEqual(whole);
    expect(wholeAt({ unready: [fresh] }, { 'uid-of-new': gone('new', NOW).slot })).toEqual(whole);
  });

  it('learn nothing from a set that is gone, makes none, wants fewer than before, or does not tell how many it wants', () => {
    expect(noteWhole(two, {}, {}, NOW + 5000)).toEqual(two);
    expect(wholeAt({ isHeld: true })).toEqual(notYet);
    expect(wholeAt({ wanted: 2 })).toEqual(notYet);
    expect(wholeAt({ living: [] })).toEqual(notYet);
  });

  it('learn nothing from the set of another', () => {
    const other = gone('other', NOW, { set: OTHER });
    const sets = { [SET.uid]: setSight(), [OTHER.uid]: setSight({ missing: 1 }) };
    expect(noteWhole([other, gone('one', NOW)], sets, {}, NOW + 5000).map(({ slot }) => slot.wholeAt)).toEqual([
      undefined,
      NOW + 5000,
    ]);
  });
});

it('a machine that was made up to five seconds before a slot began may be for it', () => {
  expect([isNewer(iso(NOW - 5000), NOW), isNewer(iso(NOW - 5001), NOW)]).toEqual([true, false]);
});
