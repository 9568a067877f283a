import { expect, it } from '@jest/globals';
import { aPass, NOW_MS } from '../../../test/workflow/a-pass.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../settings.ts';
import { rested } from './rested.ts';
import { given } from '../../../providers/given.ts';

const LATER_MS = NOW_MS + DEFAULT_MACHINE_SETTINGS.resyncSeconds * 1000;
const why = 'a slow look at everything';

it.each([
  ['some time after the first pass', undefined, LATER_MS],
  ['when that time has come, however often it was woken meanwhile', NOW_MS + 1, NOW_MS + 1],
  ['as long again after it', NOW_MS, LATER_MS],
])('everything is looked at %s', (_when, resyncAt, until) => {
  const pass = aPass({ memory: given({ resyncAt }) });
  expect(rested(pass)).toEqual({ outcome: 'done', until, why });
  expect(pass.memory.resyncAt).toBe(until);
});
