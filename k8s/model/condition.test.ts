import { describe, expect, it } from '@jest/globals';
import { withCondition, withoutCondition, type Condition } from './condition.ts';

const BEFORE = '2026-01-01T00:00:00Z';
const NOW = '2026-01-02T00:00:00Z';
const exists: Condition = {
  type: 'InstanceExists',
  status: 'True',
  reason: 'InstanceExists',
  message: 'it runs',
  lastTransitionTime: BEFORE,
};

describe('setting a condition', () => {
  it('keeps its transition time while its status stays, though reason and message change', () => {
    const [after] = withCondition([exists], { ...exists, reason: 'Other', message: 'other' }, NOW);
    expect(after).toEqual({ ...exists, reason: 'Other', message: 'other' });
  });

  it('moves its transition time when its status changes', () => {
    const [after] = withCondition([exists], { ...exists, status: 'False' }, NOW);
    expect(after?.lastTransitionTime).toBe(NOW);
  });

  it('leaves the others as they are, one of each type, in the order of their types', () => {
    const ready = { type: 'A', status: 'True' as const, reason: 'R', message: 'm' };
    const after = withCondition(withCondition([exists], ready, NOW), { ...ready, message: 'n' }, NOW);
    expect(after.map((c) => [c.type, c.message])).toEqual([
      ['A', 'n'],
      ['InstanceExists', 'it runs'],
    ]);
    expect(withoutCondition(after, 'A')).toEqual([exists]);
    const last = withCondition(after, { ...ready, type: 'Z' }, NOW);
    expect(last.map((c) => c.type)).toEqual(['A', 'InstanceExists', 'Z']);
  });
});
