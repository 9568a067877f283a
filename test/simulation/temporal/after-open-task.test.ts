import { beforeEach, describe, expect, it } from '@jest/globals';
import { Agenda } from '../time/agenda.ts';
import { Random } from '../time/random.ts';
import { afterOpenTask } from './after-open-task.ts';
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

/** How many signals are known when it is answered; undefined: it waits; false: its client waited in vain. */
function ask(): { told?: number | false } {
  const answer: { told?: number | false } = {};
  void afterOpenTask(run, agenda).then((isDone) => (answer.told = isDone && signalsIn(run.history)));
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
  });

  it('is given up by its client where nobody does the task in its time', async () => {
    const answer = ask();
    await pass(1999);
    expect(answer.told).toBeUndefined();
    await pass(1);
    expect(answer.told).toBe(false);
  });
});
