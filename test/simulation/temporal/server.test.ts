import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda } from '../time/agenda.ts';
import { Random } from '../time/random.ts';
import type { Payload } from './history-event.ts';
import type { Run } from './run.ts';
import { TemporalServer } from './server.ts';
import type { WorkflowTask } from './tasks.ts';

let agenda: Agenda;
let server: TemporalServer;
let run: Run;
let taken: WorkflowTask[];
beforeEach(async () => {
  agenda = new Agenda(0);
  server = new TemporalServer({ agenda, random: new Random('a'), stickyMs: 3000, longHistory: 100, listLagMs: 0 });
  taken = [];
  server.register({
    name: 'worker',
    takeWorkflowTask: (task) => void taken.push(task),
    takeActivityTask: () => {},
  });
  server.onQuery = async ({ history }) => ({ metadata: { signals: new Uint8Array(signalsIn(history)) } }) as Payload;
  run = server.start({ workflowId: 'w', workflowType: 'safety', taskQueue: 'q', input: [], attributes: {} });
  await pass(100);
});

const signalsIn = (history: Run['history']): number => history.filter(({ type }) => type === 'signaled').length;
const complete = (): void => run.completeTask(taken.at(-1)?.token ?? 0, { commands: [], forceNew: false, flags: [] });

async function pass(ms: number): Promise<void> {
  const until = agenda.now + ms;
  agenda.after(ms, () => {});
  await agenda.runUntil(until);
}

/** How many signals are known to the answer to a query; or its error. */
function ask(): { told?: number | string } {
  const answer: { told?: number | string } = {};
  server.query(run, 'outages').then(
    ({ metadata }) => (answer.told = metadata?.['signals']?.length ?? 0),
    (error: unknown) => (answer.told = String(error)),
  );
  return answer;
}

describe('a query', () => {
  it('is answered at once where no task is open', async () => {
    complete();
    const answer = ask();
    await pass(1);
    expect(answer.told).toBe(0);
  });

  it('waits for the task that is open: what was told before the query is known to the answer', async () => {
    complete();
    server.signal('w', { signalName: 'apiServerAway', input: [] });
    const answer = ask();
    await pass(1000);
    expect(answer.told).toBeUndefined();
    complete();
    await pass(1);
    expect(answer.told).toBe(1);
    expect(server.queryUnansweredAt).toBe(-Infinity);
  });

  it('is given up by its client where nobody does the task in its time', async () => {
    const answer = ask();
    await pass(2500);
    expect(answer.told).toMatch(/DEADLINE_EXCEEDED: nobody has done the workflow task before the query outages/);
    expect(server.queryUnansweredAt).toBe(2100);
  });
});
