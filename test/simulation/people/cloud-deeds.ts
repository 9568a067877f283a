import type { HandOperation } from '../../../devstack/doubles/cloud/by-hand.ts';
import type { People } from './people.ts';

/** How long an instance is not shown, or stopped: less than the time after which the product may take it for gone. Milliseconds. */
const MOST_AWAY_MS = 170_000;

/** What is done in the cloud's console, or by the cloud. */
export const CLOUD_DEEDS = {
  terminate: byHand('terminate', 'terminates instance in the console'),
  /** Somebody starts it again, at the end at the latest. */
  stop: byHand('stop', 'stops instance in the console', 'start'),
  vanish: byHand('vanish', 'the cloud loses instance'),
  /** It is there again before its absence proves anything. */
  blink: byHand('vanish', 'the cloud does not show instance', 'reappear'),
};

function byHand(operation: HandOperation, words: string, undo?: HandOperation) {
  return (people: People): void => {
    const { cloud } = people.universe;
    const machine = people.random.pick(people.machines());
    const ofMachine = cloud.living().find(({ machineUid }) => machineUid === machine?.metadata.uid);
    if (ofMachine === undefined || machine === undefined) return;
    const { id } = ofMachine;
    people.tell(`${words} ${id} of Machine ${machine.metadata.name}`);
    cloud.byHand(operation, id);
    if (undo !== undefined) people.later(people.random.between(5000, MOST_AWAY_MS), async () => cloud.byHand(undo, id));
  };
}
