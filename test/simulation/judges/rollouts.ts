import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_DEPLOYMENTS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { boundsOf } from '../../../workflows/machine-deployment/bounds.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import { isAvailable, isMarked, isTaken, withinLook, type RolloutsOptions } from './rollout-sights.ts';

/** A creation that was given up takes effect within this time, in milliseconds. */
const LATE_MS = 60_000;

/** A deployment and its Machines, from a time on. */
interface Moment {
  readonly at: number;
  readonly replicas: number;
  /** How many there may be, and how many have to be available. */
  readonly most: number;
  readonly least: number;
  readonly isPaused: boolean;
  readonly generation: number;
  /** The generation that the deployment's status answers to. */
  readonly observed: number;
  readonly available: number;
  /** Available ones that were taken before this. */
  readonly taken: number;
}

/**
 * Never more Machines of a deployment than replicas and maxSurge, those that are being deleted included; no available one is taken
 * where fewer than replicas less maxUnavailable are left, but for a marked one; and in a pause none is taken that is not too many.
 */
export class RolloutJudge {
  readonly #options: RolloutsOptions;
  /** By the deployment's name. */
  readonly #moments = new Map<string, Moment[]>();
  readonly #taken = new Map<string, number>();

  constructor(options: RolloutsOptions) {
    this.#options = options;
    options.api.store.onChange((change) => this.#see(change));
  }

  #see({ resource, type, object, previous }: Change): void {
    if (resource.plural === MACHINE_DEPLOYMENTS.plural) this.#note(object.metadata.name);
    if (resource.plural !== MACHINES.plural) return;
    const machine = object as unknown as MachineObject;
    const pool = machine.metadata.labels?.['pool'];
    if (pool === undefined) return;
    const before = previous as unknown as MachineObject | undefined;
    if (type === 'ADDED') this.#seeNew(pool, machine);
    if (before !== undefined && isTaken(object, previous, this.#options)) this.#seeTaken(pool, before);
    this.#note(pool);
  }

  #seeNew(pool: string, machine: MachineObject): void {
    const { now, isExcused, accuse } = this.#options;
    const { length } = this.#machinesOf(pool);
    const moments = this.#moments.get(pool) ?? [];
    // What is made follows from what the deployment had answered to some time ago, or from anything since.
    const observed = moments.findLast(({ at }) => at <= now() - LATE_MS)?.observed ?? 0;
    const most = Math.max(
      0,
      ...moments.filter(({ generation }) => generation >= observed).map((moment) => moment.most),
    );
    if (length <= most || isExcused(machine)) return;
    accuse(
      'no surge beyond',
      `Machine ${machine.metadata.name} is made: ${length} of ${pool}, and at most ${most} may be`,
    );
  }

  #seeTaken(pool: string, machine: MachineObject): void {
    const { now, accuse } = this.#options;
    const moments = withinLook(this.#moments.get(pool) ?? [], now());
    const { name } = machine.metadata;
    const active = this.#machinesOf(pool).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
    const fewest = Math.min(...moments.map(({ replicas }) => replicas));
    if (moments.length > 0 && moments.every(({ isPaused }) => isPaused) && active < fewest) {
      accuse('a paused rollout stands', `Machine ${name} of ${pool} is taken: ${active} are left of ${fewest}`);
    }
    if (!isAvailable(machine)) return;
    const taken = (this.#taken.get(pool) ?? 0) + 1;
    this.#taken.set(pool, taken);
    // A marked one goes first, whatever else is so: somebody wants it gone, and has emptied its Node maybe.
    if (isMarked(machine)) return;
    // By some look of late it was one that could be spared.
    const isSpare = (moment: Moment) => moment.available - (taken - moment.taken) >= moment.least;
    if (moments.some(isSpare)) return;
    const newest = moments.at(-1);
    accuse(
      'enough stay available',
      `Machine ${name} of ${pool} is taken at ${now()}: ${newest?.available} were available, and ${newest?.least} have to be`,
    );
  }

  #note(pool: string): void {
    const { api, now } = this.#options;
    const deployments = api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS);
    const stored = deployments.find(({ metadata }) => metadata.name === pool);
    if (stored === undefined) return;
    const { machineDeployment: deployment, status } = openshift.machineDeployment.read(stored);
    const { maxSurge, maxUnavailable } = boundsOf(deployment);
    const moment: Moment = {
      at: now(),
      replicas: deployment.replicas,
      most: deployment.replicas + maxSurge,
      least: deployment.replicas - maxUnavailable,
      isPaused: deployment.isRolloutPaused,
      generation: deployment.generation,
      observed: status.observedGeneration ?? 0,
      available: this.#machinesOf(pool).filter(isAvailable).length,
      taken: this.#taken.get(pool) ?? 0,
    };
    this.#moments.set(pool, [...(this.#moments.get(pool) ?? []), moment]);
  }

  #machinesOf(pool: string): MachineObject[] {
    return this.#options.api.all<MachineObject>(MACHINES).filter(({ metadata }) => metadata.labels?.['pool'] === pool);
  }
}
