import { expect, it } from '@jest/globals';
import { hasTaint, tolerates, type Toleration } from './taint.ts';

const TAINT = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' } as const;

it.each<[string, Toleration, boolean]>([
  ['every taint', { operator: 'Exists' }, true],
  ['every taint with the effect', { operator: 'Exists', effect: 'NoExecute' }, true],
  ['every taint with another effect', { operator: 'Exists', effect: 'NoSchedule' }, false],
  ['the key', { operator: 'Exists', key: TAINT.key }, true],
  ['the key with its value', { key: TAINT.key, value: 'nodeshutdown' }, true],
  ['the key with another value', { operator: 'Equal', key: TAINT.key, value: 'other' }, false],
  ['the key for some time', { operator: 'Exists', key: TAINT.key, tolerationSeconds: 300 }, false],
  ['every key, as the API server also writes it', { operator: 'Exists', key: '', effect: '' }, true],
  ['another key with the value', { key: 'other', value: 'nodeshutdown' }, false],
  ['another key', { operator: 'Exists', key: 'node.kubernetes.io/unreachable' }, false],
])('a pod that tolerates %s may stay or not', (_what, toleration, isTolerated) => {
  expect(tolerates([toleration], TAINT)).toBe(isTolerated);
});

it('a pod that tolerates nothing may not stay', () => expect(tolerates([], TAINT)).toBe(false));

it('a taint without a value is tolerated by a toleration without one', () => {
  const { value: _none, ...taint } = TAINT;
  expect(tolerates([{ key: TAINT.key }], taint)).toBe(true);
  expect(tolerates([{ key: TAINT.key }], { ...taint, value: '' })).toBe(true);
  expect(tolerates([{ key: TAINT.key, value: '' }], taint)).toBe(true);
});

it('a taint is there with its key and its effect, whatever its value', () => {
  const has = (...taints: readonly (typeof TAINT | { key: string; effect: 'NoExecute' | 'NoSchedule' })[]) =>
    hasTaint(taints, { key: TAINT.key, effect: TAINT.effect });
  expect(has({ key: 'other', effect: 'NoExecute' }, TAINT)).toBe(true);
  expect(has({ key: TAINT.key, effect: 'NoSchedule' }, { key: 'other', effect: 'NoExecute' })).toBe(false);
  expect([has(), hasTaint(undefined, TAINT)]).toEqual([false, false]);
});
