import { expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { DONE } from '../answer.ts';
import { failed } from './failed.ts';

it('a machine that has failed stays as it is, and its error is why', () => {
  const error = { reason: 'UpdateError', message: 'its instance is gone' } as const;
  expect(failed(aPass({ status: { phase: 'Failed', error } }))).toEqual({ outcome: 'idle', why: error.message });
  expect(failed(aPass({ status: { phase: 'Failed' } }))).toEqual({ outcome: 'idle', why: 'it failed' });
});

it('any other goes on', () => {
  expect(failed(aPass({ status: { phase: 'Running' } }))).toBe(DONE);
});
