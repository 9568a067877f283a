import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import type { RolloutsOptions } from './rollout-sights.ts';

/**
 * From a scale up until what it gives an earlier template is made, at most, in milliseconds: a worker that stands still for a minute, the
 * next one that has the task then, two writes and an answer, each of which may be refused or late.
 */
const LATE_MS = 240_000;

/** A set of an earlier template while its deployment rolls, from a time on. */
interface Moment {
  readonly at: number;
  /** Its Machines that nobody deletes. */
  readonly active: number;
  /** By how much its deployment was scaled up until then, in all. */
  readonly raised: number;
}

/**
 * While a rollout moves, no Machine of an earlier template is made, but where its deployment was scaled up: then as many at most. A set
 * that was not outdated all the time until then (its deployment stood still, or went by steps) is not judged.
 */
export class OldTemplateJudge {
  readonly #options: Pick<RolloutsOptions, 'api' | 'now' | 'accuse' | 'isExcused'>;
  /** By the deployment's uid. */
  readonly #raised = new Map<string, number>();
  /** By the uid of a set that is outdated. */
  readonly #moments = new Map<string, Moment[]>();

  constructor(options: Pick<RolloutsOptions, 'api' | 'now' | 'accuse' | 'isExcused'>) {
    this.#options = options;
    options.api.store.onChange((change) => this.#see(change));
  }

  #see({ resource, type, object, previous }: Change): void {
    switch (resource.plural) {
      case MACHINE_DEPLOYMENTS.plural: {
        if (type !== 'MODIFIED') return;
        const [now, before] = [object, previous] as unknown as MachineDeploymentObject[];
        const more = Math.max(0, (now?.spec.replicas ?? 0) - (before?.spec.replicas ?? 0));
        const { uid } = object.metadata;
        return void this.#raised.set(uid, (this.#raised.get(uid) ?? 0) + more);
      }
      case MACHINE_SETS.plural:
        return this.#note(object.metadata.uid);
      case MACHINES.plural: {
        const owner = controllerOf(object.metadata.ownerReferences)?.uid;
        if (owner === undefined) return;
        this.#note(owner);
        if (type === 'ADDED') this.#judge(owner, object as unknown as MachineObject);
      }
    }
  }

  #judge(owner: string, machine: MachineObject): void {
    const { now, isExcused, accuse } = this.#options;
    const moments = this.#moments.get(owner) ?? [];
    const newest = moments.at(-1);
    if (newest === undefined || isExcused(machine)) return;
    const from = (moments[0]?.at ?? Infinity) + LATE_MS;
    const until = now() - LATE_MS;
    // Each is so until the next one.
    const seen = moments.filter(({ at }, index) => at <= until && from < (moments[index + 1]?.at ?? Infinity));
    if (from > until) return;
    const most = Math.min(...seen.map(({ active, raised }) => active + newest.raised - raised));
    if (newest.active <= most) return;
    const { name } = machine.metadata;
    accuse('old templates', `Machine ${name} is made of an earlier template: ${newest.active} of it, and not ${most}`);
  }

  #note(uid: string): void {
    const { api, now } = this.#options;
    const set = api.all<MachineSetObject>(MACHINE_SETS).find(({ metadata }) => metadata.uid === uid);
    const owner = controllerOf(set?.metadata.ownerReferences)?.uid ?? '';
    const deployment = api
      .all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS)
      .find(({ metadata }) => metadata.uid === owner);
    const isJudged =
      set !== undefined &&
      deployment !== undefined &&
      openshift.machineSet.read(set).machineSet.rollout === 'outdated' &&
      openshift.machineDeployment.read(deployment).status.step === undefined;
    if (!isJudged) return void this.#moments.delete(uid);
    const active = api
      .all<MachineObject>(MACHINES)
      .filter(
        ({ metadata }) =>
          metadata.deletionTimestamp === undefined && controllerOf(metadata.ownerReferences)?.uid === uid,
      ).length;
    const moment = { at: now(), active, raised: this.#raised.get(owner) ?? 0 };
    this.#moments.set(uid, [...(this.#moments.get(uid) ?? []), moment]);
  }
}
