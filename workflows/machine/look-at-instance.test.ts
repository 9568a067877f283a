import { expect, it } from '@jest/globals';
import { aPass } from '../../test/workflow/a-pass.ts';
import { lookTimeOf } from './look-at-instance.ts';

const [ASKED_AT, NOW] = [9_000, 10_000];

it.each<[string, { readonly agoMs?: number }, number]>([
  ['when it was asked for, however long its answer took', {}, ASKED_AT],
  ['when its question was asked before, where the answer is of that one', { agoMs: 4_000 }, 6_000],
  ['no later than it was asked for, where the clocks do not quite agree', { agoMs: 200 }, ASKED_AT],
])('a look counts from %s', (_what, look, at) => {
  expect(lookTimeOf(aPass({ now: () => NOW }), look, ASKED_AT)).toBe(at);
});
