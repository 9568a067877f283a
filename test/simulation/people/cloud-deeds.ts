import type { HandOperation } from '../../../devstack/doubles/cloud/by-hand.ts';
import { EVENTS } from '../../../k8s/resources.ts';
import type { People } from './people.ts';

/** How long an instance is not shown, or stopped: less than the time after which the product may take it for gone. Milliseconds. */
const MOST_AWAY_MS = 170_000;

/** How long the cloud is down on average: some outages are longer than what a forced deletion waits for. Milliseconds. */
const OUTAGE_MS = 400_000;

/** How long it takes on average until somebody ends an instance that is reported to be left, in milliseconds. */
const ABANDONED_MS = 300_000;

/** What is done in the cloud's console, or by the cloud. */
export const CLOUD_DEEDS = {
  terminate: byHand('terminate', 'terminates instance in the console'),
  /** Somebody starts it again, at the end at the latest. */
  stop: byHand('stop', 'stops instance in the console', 'start'),
  /** Nobody starts it again before the end. */
  halt: byHand('stop', 'stops for good instance'),
  vanish: byHand('vanish', 'the cloud loses instance'),
  /** It is there again before its absence proves anything. */
  blink: byHand('vanish', 'the cloud does not show instance', 'reappear'),
  outage: (people: People): void => {
    const { cloud } = people.universe;
    people.tell('the cloud fails at everything');
    cloud.breakDown(true);
    people.later(people.random.around(OUTAGE_MS), async () => cloud.breakDown(false));
  },
};

/** Who is told that a Machine went without its instance ends that some time later, also when everybody else went home. */
export function endWhatIsAbandoned({ universe: { api, agenda, cloud, story }, random }: People): void {
  api.store.onChange(({ resource, object }) => {
    const event = object as unknown as { readonly reason?: string; readonly involvedObject?: { readonly uid: string } };
    if (resource.plural !== EVENTS.plural || event.reason !== 'InstanceAbandoned') return;
    agenda.after(random.around(ABANDONED_MS), () => {
      const left = cloud.living().find(({ machineUid }) => machineUid === event.involvedObject?.uid);
      if (left === undefined) return;
      story.tell('people', `end instance ${left.id}, as Machine ${left.name} went without it`);
      cloud.byHand('terminate', left.id);
    });
  });
}

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
