import { expect, it } from '@jest/globals';
import type { Hold } from './read-eviction.ts';
import { readEviction } from './read-eviction.ts';
import { readFailure } from '../../k8s/read-failure.ts';
import { PODS } from '../../k8s/resources.ts';

/** An answer of the API server, read as the client reads it. */
function answer(code: number, reason: string, details: object = {}, message = 'no') {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, details, code };
  return readEviction(readFailure('POST …/eviction', { resource: PODS, name: 'p' }, code, JSON.stringify(body)));
}

const cause = (reason: string, message = '') => ({ causes: [{ reason, message }] });
const MORE_THAN_ONE =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
const WEBHOOK = 'Internal error occurred: failed calling webhook "guard": context deadline exceeded';

it.each<[string, ReturnType<typeof answer>, Hold]>([
  ['a budget that allows nothing', answer(429, 'TooManyRequests', cause('DisruptionBudget')), 'budget'],
  [
    'a budget whose controller is behind',
    answer(429, 'TooManyRequests', { ...cause('DisruptionBudget'), retryAfterSeconds: 10 }),
    'soon',
  ],
  ['an API server that is busy', answer(429, 'TooManyRequests', { retryAfterSeconds: 1 }), 'soon'],
  ['an API server that is busy and does not say how long', answer(429, 'TooManyRequests'), 'soon'],
  ['a namespace that goes', answer(403, 'Forbidden', cause('NamespaceTerminating')), 'namespace'],
  ['a budget below nothing', answer(403, 'Forbidden', { kind: 'poddisruptionbudget', name: 'b' }), 'server'],
  ['a missing permission', answer(403, 'Forbidden', { kind: 'pods', name: 'p' }), 'refused'],
  ['a rule', answer(422, 'Invalid'), 'refused'],
  ['a webhook that refuses', answer(400, 'BadRequest'), 'refused'],
  ['a webhook that fails', answer(500, 'InternalError', {}, WEBHOOK), 'refused'],
  ['several budgets', answer(500, '', {}, MORE_THAN_ONE), 'budgets'],
  ['an API server that fails', answer(500, 'InternalError'), 'server'],
  ['a budget that many write', answer(504, 'Timeout', { retryAfterSeconds: 10 }), 'server'],
  [
    'a proxy that finds no API',
    readEviction(readFailure('POST', { resource: PODS, name: 'p' }, 404, '<html>')),
    'server',
  ],
])('an eviction is held by %s', (_what, read, by) => expect(read).toMatchObject({ outcome: 'held', by }));

it('a pod that is not there is gone, and one that changes is looked at', () => {
  expect(answer(404, 'NotFound', { kind: 'pods', name: 'p' })).toEqual({ outcome: 'gone' });
  expect(answer(409, 'Conflict')).toEqual({ outcome: 'changed' });
});

it('a budget that is gone says nothing of its pod', () => {
  const details = { kind: 'poddisruptionbudgets', group: 'policy', name: 'b' };
  const text = JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'NotFound', details, code: 404 });
  expect(readEviction(readFailure('POST', { resource: PODS }, 404, text))).toEqual({ outcome: 'changed' });
});

it('what the API server says of when to ask again is kept', () => {
  expect(answer(429, 'TooManyRequests', { retryAfterSeconds: 3 })).toMatchObject({ retryAfterMs: 3000 });
});
