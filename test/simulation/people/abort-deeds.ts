import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Spell } from '../adversary/spell.ts';
import { setHook } from './drain-deeds.ts';
import type { People } from './people.ts';

type Spec = MachineObject['spec'];

const POLICIES = ['graceful', 'unsafe', 'forced'] as const;

const LOOK_AT_PODS = 'kube list pods';
const OPEN_NODE = 'kube apply nodes';

/** How long somebody thinks about it on average before they take back what they asked for, in milliseconds. */
const SECOND_THOUGHTS_MS = [20, 2000, 40_000] as const;

/** What people do about deletions that can be aborted. */
export const ABORT_DEEDS = {
  'ask to delete': toSome((people, machine) => setDelete(people, machine, true)),
  /** Of those that are asked to go, one. */
  'take back': async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines().filter(({ spec }) => spec.delete === true));
    if (machine !== undefined) await setDelete(people, machine, people.random.chance(0.8) ? false : null);
  },
  /** Asks and takes back, at once or some time later, once or twice, and in the end some delete it all the same. */
  'change their mind': toSome(async (people, machine) => {
    const { random } = people;
    const times = random.chance(0.3) ? 2 : 1;
    const goesInTheEnd = random.chance(0.25);
    let at = 0;
    for (let time = 0; time < times; time += 1) {
      if (time > 0) people.later(at, () => setDelete(people, machine, true));
      at += thinks(people);
      people.later(at, () => setDelete(people, machine, false));
      at += thinks(people);
    }
    if (goesInTheEnd) people.later(at, () => deleteTheSame(people, machine));
    await setDelete(people, machine, true);
  }),
  /** Takes it back while the worker does nothing that was just about to empty the Node. */
  'take back meanwhile': toSome(async (people, machine) => {
    const { adversary } = people.universe;
    await setDelete(people, machine, true);
    const spell: Spell = {
      what: LOOK_AT_PODS,
      meets: (call) => call === LOOK_AT_PODS,
      faults: ['long standstill'],
      mostMs: 30_000,
    };
    adversary.disturb('outside', 'who looks at pods next stands still', () => adversary.begin(spell));
    people.later(people.random.between(1000, 8000), () => setDelete(people, machine, false));
  }),
  /** Takes it back when its Node is empty, and asks again a moment later, while the worker dies that has just opened the Node. */
  'ask again meanwhile': toSome(async (people, machine) => {
    const { random, universe } = people;
    await setHook(people, machine, 'preTerminate', true);
    await setDelete(people, machine, true);
    people.later(random.between(10_000, 90_000), async () => {
      const spell: Spell = {
        what: OPEN_NODE,
        meets: (call) => call === OPEN_NODE,
        faults: ['death after'],
        mostMs: 10_000,
      };
      universe.adversary.disturb('outside', 'who opens a Node next dies', () => universe.adversary.begin(spell));
      await setDelete(people, machine, false);
      await setHook(people, machine, 'preTerminate', false);
      people.later(random.between(100, 6000), () => setDelete(people, machine, true));
    });
  }),
  /** It says from its creation on that it is to go. */
  'create machine to delete': async (people: People): Promise<void> => {
    const name = `unwanted-${people.nextNumber()}`;
    people.tell(`wants Machine ${name} deleted before it is created`);
    await people.createMachine(name, { spec: { delete: true } });
    if (people.random.chance(0.5)) people.later(thinks(people), () => patchSpec(people, name, { delete: false }));
  },
  /** While it goes they may only lower it: what else they try the API server refuses. */
  'set policy': toSome((people, { metadata: { name }, spec }) => {
    const deletionPolicy = people.random.pick(POLICIES) ?? 'graceful';
    people.tell(
      `sets the deletionPolicy of Machine ${name} from ${spec.deletionPolicy ?? 'none'} to ${deletionPolicy}`,
    );
    return patchSpec(people, name, { deletionPolicy });
  }),
} satisfies Record<string, (people: People) => Promise<void> | void>;

function setDelete(people: People, { metadata: { name, uid } }: MachineObject, value: boolean | null): Promise<void> {
  people.tell(value === true ? `asks that Machine ${name} be deleted` : `takes back that Machine ${name} is to go`);
  return people.patch(MACHINES, name, { metadata: { uid }, spec: { delete: value } });
}

/** Unless another one has its name by now. */
async function deleteTheSame(people: People, { metadata: { name, uid } }: MachineObject): Promise<void> {
  const isThere = people.machines().some(({ metadata }) => metadata.uid === uid);
  if (isThere) await people.deleteMachine(name);
}

function patchSpec(people: People, name: string, spec: Pick<Spec, 'delete' | 'deletionPolicy'>): Promise<void> {
  return people.patch(MACHINES, name, { spec });
}

function thinks({ random }: People): number {
  return random.around(random.pick(SECOND_THOUGHTS_MS) ?? 0);
}

function toSome(deed: (people: People, machine: MachineObject) => Promise<void> | void) {
  return async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines());
    if (machine !== undefined) await deed(people, machine);
  };
}
