import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import type { People } from './people.ts';

type MachineDeed = (people: People, machine: MachineObject) => Promise<void> | void;

/** What people do to a Machine. */
export const MACHINE_DEEDS = {
  'create machine': (people: People) => people.createMachine(),
  'delete machine': toSome((people, { metadata }) => people.deleteMachine(metadata.name)),
  pause: toSome((people, { metadata }) =>
    people.pauseMachine(metadata, metadata.annotations?.[PAUSED_ANNOTATION] === undefined),
  ),
  edit: toSome((people, { metadata: { name } }) => {
    people.tell(`edits Machine ${name}`);
    return people.patch(MACHINES, name, {
      metadata: { labels: { edited: `at-${people.now}` } },
      spec: { providerSpec: { value: { tags: [{ name: 'n', value: String(people.random.below(100)) }] } } },
    });
  }),
  /** Its set lets it go, and takes it back when it is labelled again. */
  relabel: toSome((people, { metadata: { name, labels } }) => {
    if (labels?.['set'] === undefined) return undefined;
    people.tell(`labels Machine ${name} as another set's`);
    const label = (set: string) => people.patch(MACHINES, name, { metadata: { labels: { set } } });
    if (people.random.chance(0.7)) people.later(people.random.around(30_000), () => label(labels['set'] ?? ''));
    return label('another');
  }),
  disown: toSome((people, { metadata: { name, ownerReferences } }) => {
    if (ownerReferences === undefined) return undefined;
    people.tell(`takes the owner from Machine ${name}`);
    return people.patch(MACHINES, name, { metadata: { ownerReferences: null } });
  }),
  strip: toLiving((people, { metadata: { name, uid } }) => {
    people.stripped.set(uid, people.now);
    people.tell(`takes finalizer and providerID from Machine ${name}`);
    return people.patch(MACHINES, name, { metadata: { finalizers: null }, spec: { providerID: null } });
  }),
  restore: toLiving((people, machine) => {
    people.tell(`restores Machine ${machine.metadata.name} from a backup without its status`);
    const { status: _lost, metadata, ...rest } = machine;
    people.universe.api.put({ ...rest, metadata: { ...metadata, finalizers: metadata.finalizers ?? [] } });
  }),
  /** Its object is lost, and comes back under another uid, at once or later: its instance runs all the while. */
  'restore anew': toLiving(async (people, machine) => {
    const { uid, finalizers } = machine.metadata;
    // One without the finalizer may be new. What the cloud does not show yet, a look misses: one is all that a past takes.
    const instance = people.universe.cloud.living().find(({ machineUid }) => machineUid === uid);
    const isShown = Date.parse(instance?.launchedAt ?? '') + ASSUMPTIONS.viewLagMs < people.now;
    if (!isShown || finalizers?.includes(FINALIZER) !== true) return;
    takeAway(people, machine);
    if (people.random.chance(0.5)) people.later(people.random.around(60_000), () => people.restoreMachine(machine));
    else await people.restoreMachine(machine);
  }),
  /** The name is taken again in the moment that it is free. */
  recreate: toSome(async (people, machine) => {
    const { name } = machine.metadata;
    people.whenGone(MACHINES, name, () => people.createMachine(name));
    await people.deleteMachine(name);
  }),
  force: toSome(takeAway),
  'replace by force': toSome((people, machine) => {
    takeAway(people, machine);
    return people.createMachine(machine.metadata.name);
  }),
} satisfies Record<string, (people: People) => Promise<void> | void>;

function takeAway(people: People, { metadata: { name, uid } }: MachineObject): void {
  people.tell(`takes Machine ${name} away by force`);
  people.forced.add(uid);
  people.universe.api.drop(MACHINES, NAMESPACE, name);
}

function toSome(deed: MachineDeed) {
  return async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines());
    if (machine !== undefined) await deed(people, machine);
  };
}

function toLiving(deed: MachineDeed) {
  return toSome((people, machine) =>
    machine.metadata.deletionTimestamp === undefined ? deed(people, machine) : undefined,
  );
}
