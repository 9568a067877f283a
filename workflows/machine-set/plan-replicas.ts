import type {
  DeletionStage,
  MachineSet,
  MachineSetStatus,
  ReplaceAfter,
  Replica,
} from '../../k8s/model/machine-set.ts';
import { availableAt, countReady } from '../../k8s/model/readiness.ts';
import { textOfSettings } from '../../k8s/model/template-settings.ts';
import { formatSelector, selects } from '../../k8s/selector.ts';
import { marksOf, type Mark } from './marks.ts';
import { given, unlessEmpty } from '../../providers/given.ts';

/** Which Machines a set creates, deletes, adopts and lets go. Names and counts only: it is recorded at every look. */
export interface ReplicaPlan {
  /** How many new names to issue. */
  readonly create: number;
  /** Issued names that are still to be created, or of which nobody knows whether they were. */
  readonly unseen: readonly string[];
  /** Issued names that are wanted no more: a create that was given up may still take effect. Absent: none. */
  readonly spare?: readonly string[];
  /** Machines of its own above `spec.replicas`, in the order in which they go. */
  readonly remove: readonly Chosen[];
  readonly adopt: readonly Chosen[];
  readonly release: readonly Chosen[];
  /** Machines that do not have what the set's template, or a rollout of its deployment, has them have by now. Absent: none. */
  readonly update?: readonly Chosen[];
  readonly counts: Pick<
    MachineSetStatus,
    'replicas' | 'fullyLabeledReplicas' | 'readyReplicas' | 'availableReplicas' | 'labelSelector'
  >;
  /** Machines being deleted that fill their places still: each holds back one creation. */
  readonly held: number;
  /** Name of a Machine that the selector matches and another controller has; absent: there is none. */
  readonly contested?: string;
  /** Why a Machine whose Node is Ready cannot be used yet, and which; absent: there is none. */
  readonly unusable?: string;
  /** When the next Machine becomes available by minReadySeconds, in milliseconds. */
  readonly availableAt?: number;
  /** Marks of cluster-autoscaler on Machines that stay. Absent: there are none. */
  readonly marks?: readonly Mark[];
}

/** How far the deletion of a Machine is that fills its place still. */
const HOLDING: Readonly<Record<ReplaceAfter, readonly DeletionStage[]>> = {
  Deleted: ['begun'],
  Drained: ['begun', 'draining'],
  Gone: ['begun', 'draining', 'drained', 'ending'],
};

/** A Machine that another controller has, or that the selector does not match: no more of it matters to a set. */
export type OtherMachine = Pick<Replica, 'name' | 'labels' | 'deleting' | 'controller'>;

/** A Machine to act on; the uid makes sure that it is this one. */
export interface Chosen {
  readonly name: string;
  readonly uid: string;
}

/**
 * The rule of a set: Machines that are not being deleted, together with the names issued and not yet seen, are brought to
 * `spec.replicas` and never above it.
 *
 * A Machine that is still to be adopted fills a place, and is not deleted: it is not the set's yet.
 *
 * @param machines the Machines of the namespace, or those that the selector matches, from one consistent read that began
 *   after the set was read: a mark that was made before the set was scaled down is seen
 * @param issued names this set's workflow issued and has not seen yet
 * @param others of the same read, those that are neither the set's nor may become it; by default they are among the machines
 */
export function planReplicas(
  set: MachineSet,
  machines: readonly Replica[],
  issued: readonly string[],
  now: number,
  others: readonly OtherMachine[] = [],
): ReplicaPlan {
  const uid = set.ref.uid;
  const mine = machines.filter((m) => m.controller === uid);
  const active = mine.filter((m) => !m.deleting && selects(set.selector, m.labels));
  const adopt = machines.filter((m) => m.controller === undefined && !m.deleting && selects(set.selector, m.labels));
  const release = mine.filter((m) => !m.deleting && !selects(set.selector, m.labels));
  const held = mine.filter((machine) => holdsPlace(machine, set)).length;
  // What the selector of an adopted set matches may be of another set of its deployment.
  const contested =
    set.deployment === undefined
      ? [...machines, ...others].find(
          (m) => m.controller !== undefined && m.controller !== uid && !m.deleting && selects(set.selector, m.labels),
        )?.name
      : undefined;

  const update = mine.filter((m) => selects(set.selector, m.labels) && isBehind(m, set)).map(chosenOf);
  const seen = new Set([...machines, ...others].map((m) => m.name));
  const members = [...active, ...adopt];
  const room = (set.maxMachines ?? Infinity) - mine.length - adopt.length;
  const missing = Math.max(0, Math.min(set.replicas - members.length - held, room));
  const surplus = Math.max(0, active.length - set.replicas);
  const pending = issued.filter((name) => !seen.has(name));
  const [unseen, spare] = [pending.slice(0, missing), pending.slice(missing)];

  const marks = marksOf(set, machines, surplus);
  const { counts: ready, ...next } = countReady(members, set.minReadySeconds, now);
  const unusable = members.find((m) => m.readySince !== undefined && m.unusable !== undefined);
  return {
    ...given({ contested }),
    create: missing - unseen.length,
    unseen,
    ...given({ spare: unlessEmpty(spare) }),
    remove: [...active].sort(byDeletionOrder(set, now)).slice(0, surplus).map(chosenOf),
    adopt: adopt.map(chosenOf),
    release: release.map(chosenOf),
    ...given({ update: unlessEmpty(update) }),
    held,
    counts: {
      replicas: members.length,
      fullyLabeledReplicas: members.filter((m) => carries(m.labels, set.template.labels)).length,
      ...ready,
      labelSelector: formatSelector(set.selector),
    },
    ...given({ unusable: unusable && `Machine ${unusable.name}: ${unusable.unusable}` }),
    ...next,
    ...given({ marks: unlessEmpty(marks) }),
  };
}

/** Whether a Machine is to be told of its set's settings, which only a set of a deployment has it follow, or of a rollout. */
function isBehind(machine: Replica, { deployment, template, rollout }: MachineSet): boolean {
  const isOtherwise = deployment !== undefined && machine.settings !== textOfSettings(template.settings);
  return isOtherwise || (!machine.deleting && machine.rollout !== rollout);
}

/** A Machine that is being deleted, and instead of which none may be made yet. A set with a limit goes by that alone. */
function holdsPlace({ going }: Replica, { replaceAfter, maxMachines }: MachineSet): boolean {
  return maxMachines === undefined && going !== undefined && HOLDING[replaceAfter].includes(going);
}

/** First those that someone marked, then what is worth least, then by policy. */
function byDeletionOrder(
  { deletePolicy, minReadySeconds }: MachineSet,
  now: number,
): (a: Replica, b: Replica) => number {
  const worth = (m: Replica) => worthOf(m, minReadySeconds, now);
  return (a, b) => worth(a) - worth(b) || byPolicy(deletePolicy, a, b) || (a.name < b.name ? -1 : 1);
}

function worthOf(m: Replica, minReadySeconds: number, now: number): number {
  if (m.markedForDeletion) return 0;
  if (m.phase === 'Failed') return 1;
  if (!m.hasNode) return 2;
  const at = availableAt(m, minReadySeconds);
  if (at === undefined) return 3;
  return at > now ? 4 : 5;
}

function byPolicy(policy: MachineSet['deletePolicy'], a: Replica, b: Replica): number {
  const age = Date.parse(a.createdAt) - Date.parse(b.createdAt);
  switch (policy) {
    case 'Oldest':
      return age;
    case 'Newest':
      return -age;
    case 'Random':
      // uids are random, and sorting by them makes a repeated look choose the same ones.
      return a.uid < b.uid ? -1 : 1;
  }
}

function carries(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function chosenOf({ name, uid }: Replica): Chosen {
  return { name, uid };
}
