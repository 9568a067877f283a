import type { People } from './people.ts';

/** Between the ends of two processes that are replaced one after the other, in milliseconds. */
const BETWEEN_MS = 20_000;

/** What those who run Millwright do. */
export const OPERATOR_DEEDS = {
  'end workflow': (people: People): void => {
    const run = people.random.pick(people.universe.temporal.running());
    if (run === undefined) return;
    people.tell(`terminates workflow ${run.identity.workflowId}`);
    run.terminate();
  },
  'replace Millwright': (people: People): void => {
    people.tell("replaces Millwright's processes one by one");
    people.inTurn(people.universe.processes(), BETWEEN_MS, async (process) => process.die());
  },
};
