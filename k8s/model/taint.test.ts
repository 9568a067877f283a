import { expect, it } from '@jest/globals';
import { tolerates, type Toleration } from './taint.ts';

const TAINT = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' } as const;

it.each<[string, Toleration, boolean]>([
  ['every taint', { operator: 'Exists' }, true],
  ['every taint with the effect', { operator: 'Exists', effect: 'NoExecute' }, true],
  ['every taint with another effect', { operator: 'Exists', effect: 'NoSchedule' }, false],
  ['the key', { operator: 'Exists', key: TAINT.key }, true],
  ['the key with its value', { key: TAINT.key, value: 'nodeshutdown' }, true],
  ['the key with another value', { operator: 'Equal', key: TAINT.key, value: 'other' }, false],
  ['the key for some time', { operator: 'Exists', key: TAINT.key, tolerationSeconds: 300 }, false],
  ['another key', { operator: 'Exists', key: 'node.kubernetes.io/unreachable' }, false],
])('a pod that tolerates %s may stay or not', (_what, toleration, isTolerated) => {
  expect(tolerates([toleration], TAINT)).toBe(isTolerated);
});

it('a pod that tolerates nothing may not stay', () => expect(tolerates([], TAINT)).toBe(false));
