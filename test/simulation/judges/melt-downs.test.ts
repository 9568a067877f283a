import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HistoryEvent } from '../temporal/history-event.ts';
import type { Run } from '../temporal/run.ts';
import { MeltDownJudge } from './melt-downs.ts';
import { given } from '../../../providers/given.ts';

let now: number;
let accused: string[];
let judge: MeltDownJudge;
beforeEach(() => {
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  judge = new MeltDownJudge({ now: () => now, accuse: (message) => void accused.push(message) });
});

function see(task: 'first' | 'first once more' | 'later', { continues = false, workflowId = 'machine/a' } = {}): void {
  const identity = { workflowId, runId: 'r', workflowType: 'machine', taskQueue: 'q', firstRunId: 'f' };
  const begun = {
    type: 'started',
    workflowType: 'machine',
    taskQueue: 'q',
    input: [],
    firstRunId: 'f',
    attributes: {},
    ...given({ continuedFrom: continues ? 'before' : undefined }),
    id: 1,
    at: now,
  } satisfies HistoryEvent;
  const taken = {
    type: 'taskStarted',
    scheduledId: 2,
    suggestsContinueAsNew: false,
    id: 3,
    at: now,
  } satisfies HistoryEvent;
  const history: Run['history'] = [begun, taken, ...(task === 'first' ? [] : [taken])];
  judge.seeTask({ identity, history });
}

function times(count: number, act: () => void): void {
  for (let i = 0; i < count; i += 1) act();
}

describe('a melt-down', () => {
  it.each(['first', 'first once more', 'later'] as const)('is 150 tasks within a minute (%s)', (task) => {
    times(149, () => see(task));
    expect(accused).toEqual([]);
    see(task);
    expect(accused).toEqual(['machine/a had 150 workflow tasks within a minute']);
  });

  it('is counted by workflow and by minute', () => {
    times(149, () => see('later'));
    times(149, () => see('later', { workflowId: 'machine/b' }));
    now += 60_000;
    times(149, () => see('later'));
    expect(accused).toEqual([]);
  });

  it('is not what a world adds that has a workflow go on as a new run after each look', () => {
    times(100, () => {
      see('first', { continues: true });
      see('later', { continues: true });
    });
    expect(accused).toEqual([]);
  });

  it('is a workflow that goes on as a new run again and again', () => {
    times(150, () => see('first', { continues: true }));
    expect(accused).toEqual(['machine/a went on as a new run 150 times within a minute']);
  });

  it('is a first task that is taken again and again', () => {
    times(150, () => see('first once more', { continues: true }));
    expect(accused).toEqual(['machine/a had 150 workflow tasks within a minute']);
  });
});
