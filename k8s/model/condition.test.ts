import { describe, expect, it } from '@jest/globals';
import { sayOnly, saySame, withCondition, withoutCondition, type Condition } from './condition.ts';

const BEFORE = '2026-01-01T00:00:00Z';
const NOW = '2026-01-02T00:00:00Z';
const exists = {
  type: 'InstanceExists',
  status: 'True',
  reason: 'InstanceExists',
  message: 'it runs',
  lastTransitionTime: BEFORE,
} as const satisfies Condition;

describe('setting a condition', () => {
  it('keeps its transition time while its status stays, though reason and message change', () => {
    const [after] = withCondition([exists], { ...exists, reason: 'InstanceMissing', message: 'other' }, NOW);
    expect(after).toEqual({ ...exists, reason: 'InstanceMissing', message: 'other' });
  });

  it('keeps of a failure of the cloud its code, and not its class', () => {
    const failed = { ...exists, reason: 'ACodeOfTheCloud', retryClass: 'denied' } as const;
    expect(withCondition([exists], failed, NOW)).toEqual([{ ...exists, reason: 'ACodeOfTheCloud' }]);
  });

  it('moves its transition time when its status changes', () => {
    const [after] = withCondition([exists], { ...exists, status: 'False' }, NOW);
    expect(after?.lastTransitionTime).toBe(NOW);
  });

  it('leaves the others as they are, one of each type, in the order of their types', () => {
    const ready = { type: 'Drainable', status: 'True', reason: 'HookPresent', message: 'm' } as const;
    const after = withCondition(withCondition([exists], ready, NOW), { ...ready, message: 'n' }, NOW);
    expect(after.map((c) => [c.type, c.message])).toEqual([
      ['Drainable', 'n'],
      ['InstanceExists', 'it runs'],
    ]);
    expect(withoutCondition(after, 'Drainable')).toEqual([exists]);
    const last = withCondition(after, { ...ready, type: 'Paused' }, NOW);
    expect(last.map((c) => c.type)).toEqual(['Drainable', 'InstanceExists', 'Paused']);
  });
});

describe('saying only what is so now', () => {
  const paused = { type: 'Paused', status: 'True', reason: 'Paused', message: 'm' } as const;

  it('keeps since when it is, and nothing that is not said any more', () => {
    const known = withCondition([exists], paused, BEFORE);
    expect(sayOnly(known, [{ ...paused, message: 'n' }], NOW)).toEqual([
      { ...paused, message: 'n', lastTransitionTime: BEFORE },
    ]);
  });

  it('leaves what is to be kept as it is', () => {
    expect(sayOnly([], [paused], NOW, [exists])).toEqual([exists, { ...paused, lastTransitionTime: NOW }]);
  });
});

describe('conditions', () => {
  const paused = { ...exists, type: 'Paused', reason: 'Paused' };

  it('say the same in any order, whenever they began to', () => {
    expect(saySame([exists, paused], [paused, { ...exists, lastTransitionTime: NOW }])).toBe(true);
  });

  it.each([
    ['status', { status: 'Unknown' }],
    ['reason', { reason: 'InstanceMissing' }],
    ['message', { message: 'other' }],
    ['type', { type: 'Paused' }],
  ] as const)('say something else where a %s differs, or where one is missing', (_part, difference) => {
    expect(saySame([exists], [{ ...exists, ...difference }])).toBe(false);
    expect(saySame([exists], [exists, { ...paused, ...difference }])).toBe(false);
  });
});
