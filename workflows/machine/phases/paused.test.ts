import { expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { DONE } from '../answer.ts';
import { paused } from './paused.ts';

it.each([
  ['whose annotation says so names the annotation', {}, 'annotation cluster.x-k8s.io/paused is set'],
  ['whose Cluster is paused names the Cluster', { pausedBy: 'Cluster default/c1' }, 'Cluster default/c1 is paused'],
])('a machine %s, and waits until somebody changes that', (_what, pausedBy, words) => {
  const pass = aPass({ machine: { paused: true, ...pausedBy } });
  const message = expect.stringMatching(new RegExp(`^${words}: nothing is done to this machine until`));
  expect(paused(pass)).toEqual({ outcome: 'wait', wait: { step: 'Paused', reason: 'Paused', message } });
  expect(pass.status.conditions).toMatchObject([{ type: 'Paused', status: 'True', reason: 'Paused', message }]);
});

it('a machine that is not paused goes on, and says no more that it is', () => {
  const pass = aPass();
  pass.setCondition({ type: 'Paused', status: 'True', reason: 'Paused', message: 'it was' });
  expect(paused(pass)).toBe(DONE);
  expect(pass.status.conditions).toEqual([]);
});
