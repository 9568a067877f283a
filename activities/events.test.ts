import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { KubeError } from '../k8s/kube-error.ts';
import { EVENTS } from '../k8s/resources.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import { answerLost, before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import type { ObjectEvent } from '../workflows/event-activities.ts';
import { createEventRecorder, type EventRecorder } from './events.ts';

const REF = { apiVersion: 'v1', kind: 'Machine', namespace: 'default', name: 'web', uid: 'u' };
const EVENT: ObjectEvent = { type: 'Warning', reason: 'SuspectedOrphan', message: 'i-1 may still run' };

let server: ApiServer;
let events: EventRecorder;
beforeEach(() => {
  server = new ApiServer();
  events = createEventRecorder(server.client, ownClock(), pino({ level: 'silent' }));
});

const refuseOnce = (status: number, reason: string) =>
  before({ verb: 'create', resource: EVENTS, nth: 1 }, () => {
    throw new KubeError(status, reason, 'the server is in trouble');
  });

describe('an event that somebody has to hear of', () => {
  it('fails where the API server could not take it, and is shown by the next try', async () => {
    server.onRequest = refuseOnce(500, 'InternalError');
    await expect(events.insist(REF, EVENT)).rejects.toThrow('the server is in trouble');
    await events.insist(REF, EVENT);
    expect(server.all(EVENTS)).toMatchObject([{ ...EVENT, involvedObject: REF }]);
  });

  it('is shown once where an answer was lost', async () => {
    server.onRequest = answerLost({ verb: 'create', resource: EVENTS, nth: 1 });
    await expect(events.insist(REF, EVENT)).rejects.toThrow('no answer');
    await events.insist(REF, EVENT);
    expect(server.all(EVENTS)).toHaveLength(1);
  });

  it('holds nobody up where it is refused', async () => {
    server.onRequest = refuseOnce(403, 'Forbidden');
    await events.insist(REF, EVENT);
    expect(server.all(EVENTS)).toEqual([]);
  });
});

it.each([
  [500, 'InternalError'],
  [403, 'Forbidden'],
])('any other event holds nobody up, whatever comes back (%s)', async (status, reason) => {
  server.onRequest = refuseOnce(status, reason);
  await events.record(REF, EVENT);
  expect(server.all(EVENTS)).toEqual([]);
});

it('an event is shown once for what it is about, however often it is recorded', async () => {
  for (const which of ['a', 'a', 'b']) await events.record(REF, EVENT, which);
  expect(server.all(EVENTS)).toHaveLength(2);
});
