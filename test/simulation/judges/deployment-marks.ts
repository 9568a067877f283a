import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DEPLOYMENT_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { writesSpecField } from '../../../k8s/object-meta.ts';
import { boundsOf } from '../../../workflows/machine-deployment/bounds.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import { isAvailable, isMarked, withinLook, type RolloutsOptions } from './rollout-sights.ts';

/** From the first answer of a look to the last, at most, in milliseconds. */
const READ_MS = 10_000;

/** The Machines of a set that nobody deletes. */
interface Members {
  readonly active: number;
  readonly marked: number;
  /** Of those that nobody marked. */
  readonly unmarkedAvailable: number;
}

/** A deployment, its sets and its Machines, from a time on. */
interface Moment {
  readonly at: number;
  readonly replicas: number;
  /** How many have to be available. */
  readonly least: number;
  readonly isRecreate: boolean;
  readonly available: number;
  /** What its sets are to have, by their uids. */
  readonly wanted: ReadonlyMap<string, number>;
  readonly members: ReadonlyMap<string, Members>;
}

const NONE: Members = { active: 0, marked: 0, unmarkedAvailable: 0 };

/**
 * A deployment does not have an available Machine taken that nobody marked while another of its sets has a marked one, and there are more
 * Machines than replicas: cluster-autoscaler marks one in whichever set it is, and then makes the deployment smaller. It is judged when the
 * deployment makes a set smaller, by all that it may have looked at.
 */
export class DeploymentMarksJudge {
  readonly #options: Pick<RolloutsOptions, 'api' | 'now' | 'accuse'>;
  /** By the deployment's uid. */
  readonly #moments = new Map<string, readonly Moment[]>();
  /** By the deployment's uid: when somebody else scaled one of its sets last. */
  readonly #meddled = new Map<string, number>();

  constructor(options: Pick<RolloutsOptions, 'api' | 'now' | 'accuse'>) {
    this.#options = options;
    options.api.store.onChange((change) => this.#see(change));
  }

  #see({ resource, type, object, previous }: Change): void {
    const { plural } = resource;
    if (plural === MACHINE_DEPLOYMENTS.plural) return this.#note(object.metadata.uid);
    if (plural === MACHINES.plural) {
      for (const each of this.#deployments())
        if (object.metadata.labels?.['pool'] === each.metadata.name) this.#note(each.metadata.uid);
      return;
    }
    const owner = controllerOf(object.metadata.ownerReferences)?.uid;
    if (plural !== MACHINE_SETS.plural || owner === undefined) return;
    const [set, before] = [object, previous] as unknown as [MachineSetObject, MachineSetObject | undefined];
    if (type === 'MODIFIED' && before !== undefined && set.spec.replicas !== before.spec.replicas) {
      if (!isOrdered(set)) this.#meddled.set(owner, this.#options.now());
      else if (set.spec.replicas < before.spec.replicas) this.#judge(owner, set);
    }
    this.#note(owner);
  }

  #judge(owner: string, { metadata: { name, uid }, spec }: MachineSetObject): void {
    const { now, accuse } = this.#options;
    const seen = withinLook(this.#moments.get(owner) ?? [], now());
    const since = seen[0]?.at ?? Infinity;
    if ((this.#meddled.get(owner) ?? -Infinity) >= since) return;
    // Its Machines are read after its sets, and these after itself: they may be newer.
    const mayBeRight = seen.some((moment, index) => {
      const readFrom = moment.at - READ_MS;
      const earlier = seen.slice(0, index + 1).filter((_, at) => at === index || (seen[at + 1]?.at ?? 0) > readFrom);
      return earlier.some((one) => isRight({ ...moment, ...wantedIn(one) }, uid, spec.replicas));
    });
    const last = seen.at(-1);
    if (last === undefined || mayBeRight || markedBeside(last, uid) === undefined) return;
    const what = `MachineSet ${name} is to have ${spec.replicas} machines, and so one goes that is available and nobody marked`;
    accuse('marked first', `${what}; another set of the deployment keeps one that is marked`);
  }

  #note(uid: string): void {
    const { api, now } = this.#options;
    const stored = this.#deployments().find(({ metadata }) => metadata.uid === uid);
    if (stored === undefined) return;
    const { machineDeployment: deployment } = openshift.machineDeployment.read(stored);
    const { replicas, strategy } = deployment;
    const sets = api.all<MachineSetObject>(MACHINE_SETS).filter((set) => isOf(set, uid));
    const machines = api
      .all<MachineObject>(MACHINES)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const membersOf = (set: MachineSetObject): Members => {
      const all = machines.filter((machine) => isOf(machine, set.metadata.uid));
      const marked = all.filter(isMarked).length;
      return {
        active: all.length,
        marked,
        unmarkedAvailable: all.filter((one) => !isMarked(one) && isAvailable(one)).length,
      };
    };
    const moment: Moment = {
      at: now(),
      replicas,
      least: replicas - boundsOf(deployment).maxUnavailable,
      isRecreate: strategy.type === 'Recreate',
      available: machines.filter((one) => isAvailable(one) && sets.some((set) => isOf(one, set.metadata.uid))).length,
      wanted: new Map(sets.map(({ metadata, spec }) => [metadata.uid, spec.replicas])),
      // One that goes has nothing to give.
      members: new Map(
        sets.flatMap((set) =>
          set.metadata.deletionTimestamp === undefined ? [[set.metadata.uid, membersOf(set)]] : [],
        ),
      ),
    };
    this.#moments.set(uid, [...withinLook(this.#moments.get(uid) ?? [], now()), moment]);
  }

  #deployments(): readonly MachineDeploymentObject[] {
    return this.#options.api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS);
  }
}

/** Whether a deployment that sees this may make the set so small. */
function isRight(moment: Moment, uid: string, replicas: number): boolean {
  const own = moment.members.get(uid) ?? NONE;
  // None goes that is available and not marked; or all old ones go at once.
  if (replicas >= own.unmarkedAvailable || moment.isRecreate) return true;
  const active = [...moment.members.values()].reduce((sum, members) => sum + members.active, 0);
  const isTaking = [...moment.members].some(([set, members]) => members.active > (moment.wanted.get(set) ?? Infinity));
  const isMarkedFirst =
    markedBeside(moment, uid) !== undefined && own.marked === 0 && active > moment.replicas && !isTaking;
  return !isMarkedFirst && moment.available > moment.least;
}

/** A set that has marked Machines; undefined: none has but this one. */
function markedBeside({ members }: Moment, uid: string): string | undefined {
  return [...members].find(([set, { marked }]) => set !== uid && marked > 0)?.[0];
}

function wantedIn({ replicas, least, isRecreate, wanted }: Moment): Omit<Moment, 'at' | 'available' | 'members'> {
  return { replicas, least, isRecreate, wanted };
}

/** Its deployment wrote its replicas last. */
function isOrdered({ metadata }: MachineSetObject): boolean {
  const { managedFields = [] } = metadata;
  return managedFields.some(
    (entry) => entry.manager === DEPLOYMENT_FIELD_MANAGER && writesSpecField(entry, 'replicas'),
  );
}

function isOf({ metadata }: Pick<MachineObject | MachineSetObject, 'metadata'>, uid: string): boolean {
  return controllerOf(metadata.ownerReferences)?.uid === uid;
}
