import { expect, it } from '@jest/globals';
import type { Hold } from './read-eviction.ts';
import { readEviction } from './read-eviction.ts';
import { readFailure } from '../../k8s/read-failure.ts';
import { PODS } from '../../k8s/resources.ts';

/** An answer of the API server, read as the client reads it. */
function answer(code: number, reason: string, details: object = {}, message = 'no', name = 'p') {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, details, code };
  return readEviction(readFailure(`POST …/${name}/eviction`, { resource: PODS, name }, code, JSON.stringify(body)));
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
  ['a budget below nothing', answer(403, 'Forbidden', { kind: 'poddisruptionbudget', name: 'b' }), 'unjudged'],
  ['a budget that is not valid', answer(422, 'Invalid', { kind: 'poddisruptionbudgets', name: 'b' }), 'refused'],
  ['a budget that is gone', answer(404, 'NotFound', { kind: 'poddisruptionbudgets', name: 'p' }), 'server'],
  ['a missing permission', answer(403, 'Forbidden', { kind: 'pods', name: 'p' }), 'refused'],
  ['a rule', answer(422, 'Invalid'), 'refused'],
  ['a webhook that refuses', answer(400, 'BadRequest'), 'refused'],
  ['an API server without evictions', answer(405, 'MethodNotAllowed'), 'refused'],
  ['a limit of size', answer(413, 'RequestEntityTooLarge'), 'refused'],
  ['a webhook that fails', answer(500, 'InternalError', {}, WEBHOOK), 'refused'],
  [
    'an API server that fails on a pod of a webhook',
    answer(500, 'InternalError', {}, 'no', 'cert-webhook-7'),
    'server',
  ],
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

it('what the API server says of when to ask again is kept, up to five minutes', () => {
  const retryAfterMs = (retryAfterSeconds: number) => answer(429, 'TooManyRequests', { retryAfterSeconds });
  expect(retryAfterMs(3)).toMatchObject({ retryAfterMs: 3000 });
  expect(retryAfterMs(300)).toMatchObject({ retryAfterMs: 300_000 });
  expect(retryAfterMs(1_000_000)).toMatchObject({ retryAfterMs: 300_000 });
});
