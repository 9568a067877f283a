import { expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { AGAIN, DONE } from '../answer.ts';
import { failed, whereFailed } from './failed.ts';

it('a machine that has failed stays as it is, and its error is why', () => {
  const error = { reason: 'UpdateError', message: 'its instance is gone' } as const;
  expect(failed(aPass({ status: { phase: 'Failed', error } }))).toEqual({ outcome: 'idle', why: error.message });
  expect(failed(aPass({ status: { phase: 'Failed' } }))).toEqual({ outcome: 'idle', why: 'it failed' });
});

it('any other goes on', () => {
  expect(failed(aPass({ status: { phase: 'Running' } }))).toBe(DONE);
});

it('one that is to be in maintenance says that it is not drained, and no more when that is over', () => {
  const error = { reason: 'UpdateError', message: 'its instance is gone' } as const;
  const pass = aPass({ machine: { maintenance: true }, status: { phase: 'Failed', error } });
  expect(failed(pass)).toMatchObject({ outcome: 'idle' });
  const condition = { type: 'Maintenance', status: 'False', reason: 'MachineFailed' };
  expect(pass.status.conditions).toEqual([expect.objectContaining(condition)]);
  const over = aPass({ status: pass.status });
  failed(over);
  expect(over.status.conditions).toEqual([]);
});

it('one that was to be rebooted says nothing of that any more: its failure is what is to be known', () => {
  const said = { reason: 'RebootSent', message: 'its Node has to tell of another boot', lastTransitionTime: '' };
  const conditions = [{ type: 'Rebooted', status: 'False', ...said }] as const;
  const pass = aPass({ status: { phase: 'Failed', conditions } });
  failed(pass);
  expect(pass.status.conditions).toEqual([]);
});

it('what is done for a machine that has failed is done for no other', async () => {
  const early = whereFailed(() => AGAIN);
  expect(await early(aPass({ status: { phase: 'Failed' } }))).toBe(AGAIN);
  expect(await early(aPass({ status: { phase: 'Running' } }))).toBe(DONE);
});
