import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { People } from './people.ts';
import { given } from '../../../providers/given.ts';

/** Between two Machines that are replaced one after the other, in milliseconds. */
const BETWEEN_MS = 40_000;
/** How long somebody thinks about it on average before a set is as large as before again, in milliseconds. */
const SECOND_THOUGHT_MS = 4000;

/** What people, and what acts for them, do to a set. */
export const SET_DEEDS = {
  scale: toSome((people, { metadata }) => people.scale(metadata.name, people.random.below(people.mostReplicas + 1))),
  /** Up and down again, as who was mistaken. */
  flap: toSome(async (people, { metadata: { name }, spec: { replicas } }) => {
    const other = people.random.chance(0.5) ? Math.max(0, replicas - 1) : replicas + 1;
    people.later(people.random.around(8000), () => people.scale(name, replicas));
    await people.scale(name, other);
  }),
  /** Many more, and a moment later as many as before: what is created for the first wish is not wanted any more. */
  overshoot: toSome(async (people, { metadata: { name }, spec: { replicas } }) => {
    const most = people.mostReplicas + 1 - replicas;
    people.later(people.random.around(SECOND_THOUGHT_MS), () => people.scale(name, replicas));
    await people.scale(name, replicas + 1 + people.random.below(Math.max(1, most)));
  }),
  'edit template': toSome((people, { metadata: { name }, spec }) => {
    const value = String(people.random.below(100));
    people.tell(`edits the template of ${name}`);
    const isOfClass = spec.template?.spec?.providerSpec?.valueFrom !== undefined;
    const providerSpec = { value: { tags: [{ name: 'n', value }] } };
    const taints = [{ key: 'edited', value, effect: 'NoSchedule' }];
    const template = {
      metadata: { labels: { edited: value } },
      spec: { taints, ...given({ providerSpec: isOfClass ? undefined : providerSpec }) },
    };
    return people.patchSet(name, { spec: { template } });
  }),
  'edit replaceAfter': toSome((people, { metadata: { name } }) => {
    const replaceAfter = people.random.pick(['Deleted', 'Drained', 'Gone'] as const) ?? 'Deleted';
    people.tell(`wants the Machines of ${name} replaced when they are ${replaceAfter}`);
    return people.patchSet(name, { spec: { replaceAfter } });
  }),
  /** As cluster-autoscaler does it, which marks a Machine before it makes the set smaller; the place is filled again soon. */
  'mark and scale': toSome(async (people, set) => {
    const machine = people.random.pick(machinesOf(people, set));
    const { replicas } = set.spec;
    const { name } = set.metadata;
    if (machine === undefined || replicas === 0) return;
    people.tell(`marks Machine ${machine} for deletion`);
    await people.patch(MACHINES, machine, { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } } });
    people.later(people.random.around(30_000), () => people.scale(name, replicas));
    await people.scale(name, replicas - 1);
  }),
  /** Each of its Machines in turn, so that all come to be of the template as it is now. */
  'roll by hand': toSome((people, set) => {
    people.tell(`replaces the Machines of ${set.metadata.name} one by one`);
    people.inTurn(machinesOf(people, set), BETWEEN_MS, (name) => people.deleteMachine(name));
  }),
};

function machinesOf(people: People, { metadata: { uid } }: MachineSetObject): readonly string[] {
  return people
    .machines()
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
    .map(({ metadata }) => metadata.name);
}

function toSome(deed: (people: People, set: MachineSetObject) => Promise<void> | void) {
  return async (people: People): Promise<void> => {
    const set = people.random.pick(people.sets());
    if (set !== undefined) await deed(people, set);
  };
}
