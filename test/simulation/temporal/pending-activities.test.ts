import { expect, it } from '@jest/globals';
import { Agenda } from '../time/agenda.ts';
import type { EventFacts } from './history-event.ts';
import { PendingActivities } from './pending-activities.ts';
import { DEFAULT_RETRY } from './retry-policy.ts';
import type { ActivityTask } from './tasks.ts';

const FAILED = { message: 'the cloud is away', applicationFailureInfo: { type: 'Away' } };

/** One that may be tried so often, for a second each time; `onTask` is what a worker does with it. */
async function run(attempts: number, onTask: (activities: PendingActivities, task: ActivityTask) => void) {
  const agenda = new Agenda(0);
  const told: EventFacts[] = [];
  const activities = new PendingActivities({
    agenda,
    identity: { workflowId: 'w', runId: 'r', workflowType: 'machine', taskQueue: 'queue' },
    offer: (start) => {
      const task = start();
      if (task !== undefined) onTask(activities, task);
    },
    tell: (...facts) => void told.push(...facts),
  });
  activities.schedule(5, {
    activityId: '1',
    activityType: 'launch',
    taskQueue: 'queue',
    input: [],
    startToCloseMs: 1000,
    heartbeatMs: 0,
    scheduleToStartMs: 0,
    retry: { ...DEFAULT_RETRY, attempts },
  });
  await agenda.runUntil(60_000);
  return told.at(-1);
}

it('a time-out names what the attempt before it failed of', async () => {
  const last = await run(2, (activities, task) => {
    if (task.attempt === 1) activities.complete(task.token, { failure: FAILED });
  });
  expect(last).toEqual({ type: 'activityTimedOut', scheduledId: 5, timeout: 'startToClose', before: FAILED });
});

it('a time-out names the time-out before it', async () => {
  const message = 'activity StartToClose timeout';
  expect(await run(2, () => {})).toMatchObject({ type: 'activityTimedOut', before: { message } });
});

it('a time-out of the only attempt names nothing', async () => {
  expect(await run(1, () => {})).toEqual({ type: 'activityTimedOut', scheduledId: 5, timeout: 'startToClose' });
});
