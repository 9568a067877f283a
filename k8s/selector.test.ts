import { describe, expect, it } from '@jest/globals';
import type { LabelSelector } from './model/machine-set.ts';
import { formatSelector, selects } from './selector.ts';
import { given } from '../providers/given.ts';

const expression = (
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
  values?: readonly string[],
): LabelSelector => ({
  matchExpressions: [{ key: 'tier', operator, ...given({ values }) }],
});

describe('a label selector', () => {
  it.each([
    ['In, with the value', expression('In', ['gold', 'tin']), { tier: 'tin' }, true],
    ['In, without the label', expression('In', ['gold']), {}, false],
    ['NotIn, with another value', expression('NotIn', ['gold']), { tier: 'tin' }, true],
    ['NotIn, without the label, as Kubernetes has it', expression('NotIn', ['gold']), {}, true],
    ['NotIn, with the value', expression('NotIn', ['gold']), { tier: 'gold' }, false],
    ['Exists, with an empty value', expression('Exists'), { tier: '' }, true],
    ['DoesNotExist, with the label', expression('DoesNotExist'), { tier: 'tin' }, false],
  ])('decides %s', (_case, selector, labels: Record<string, string>, expected) => {
    expect(selects(selector, labels)).toBe(expected);
  });

  it('asks for all of its labels and all of its expressions', () => {
    const selector = { matchLabels: { set: 'w' }, ...expression('Exists') };
    expect(selects(selector, { set: 'w', tier: 'x' })).toBe(true);
    expect(selects(selector, { set: 'w' })).toBe(false);
    expect(selects(selector, { set: 'v', tier: 'x' })).toBe(false);
  });

  it('selects nothing where it is empty, so that a set never takes all Machines of its namespace', () => {
    expect(selects({}, { set: 'w' })).toBe(false);
    expect(selects({ matchLabels: {}, matchExpressions: [] }, {})).toBe(false);
  });

  it('is written as the scale subresource and kubectl take it', () => {
    const { matchExpressions = [] } = expression('In', ['a', 'b']);
    const more = [expression('NotIn', ['c']), expression('Exists'), expression('DoesNotExist')];
    const all = {
      matchLabels: { set: 'w' },
      matchExpressions: [...matchExpressions, ...more.flatMap((s) => s.matchExpressions ?? [])],
    };
    expect(formatSelector(all)).toBe('set=w,tier in (a,b),tier notin (c),tier,!tier');
  });
});
