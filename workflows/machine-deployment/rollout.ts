import type { RolloutType } from '../../k8s/model/machine-deployment.ts';
import type { Bounds } from './bounds.ts';

/** A MachineSet as its deployment's plan sees it. */
export interface RolloutSet {
  readonly name: string;
  readonly uid: string;
  /** It has the template as it is now. */
  readonly isCurrent: boolean;
  readonly revision: number;
  /** As its spec has them. */
  readonly replicas: number;
  /** Absent: no limit, which a set of a deployment has only right after its adoption. */
  readonly maxMachines?: number;
  /** Its status answers to its newest spec: it does nothing any more by an earlier one. */
  readonly hasAnswered: boolean;
  readonly isDeleting: boolean;
  /** Its Machines, those included that are being deleted. */
  readonly existing: number;
  /** Of them, those that are not being deleted. */
  readonly active: number;
  /** Of these, those that are Ready for long enough. */
  readonly available: number;
  /** The API server refuses to delete Machines that it was to delete. @default false */
  readonly isRefused?: boolean;
  /** Of the active ones, those that go before others. @default none */
  readonly first?: FirstToGo;
}

/** How many Machines of a set go before all others of their deployment, each counted once. */
export interface FirstToGo {
  /** Somebody marked them, as cluster-autoscaler does before it lowers replicas. */
  readonly marked: number;
  /** Of the marked ones, those that are available. */
  readonly markedAvailable: number;
  readonly failed: number;
  /** Without a Node. */
  readonly pending: number;
}

/** A deployment at one moment: what a plan goes by. */
export interface Rollout {
  readonly replicas: number;
  readonly type: RolloutType;
  readonly bounds: Bounds;
  /** No Machine is made or taken for another template. */
  readonly isHeld: boolean;
  /** So many Machines of the newest template there may be for now; absent: any number. */
  readonly mostNew?: number;
  readonly sets: readonly RolloutSet[];
  /** How many Machines of each set are to stay, by its uid, while a rollout with Machines of several templates is scaled down. */
  readonly goals?: Readonly<Record<string, number>>;
  /** How many Machines sets come up to, by their uids, while a rollout with Machines of several templates is scaled up. */
  readonly raised?: Readonly<Record<string, number>>;
  /** Machines that the deployment selects and that none of its sets has. */
  readonly strays: number;
}

/** How many Machines a set is to have, and how many may be there of it. */
export interface Target {
  readonly replicas: number;
  readonly maxMachines: number;
}

/** The greatest number of the API server's int32, as which a set has its limit. */
const MOST = 2 ** 31 - 1;

/** How many Machines there may be in all; of none, as of Kubernetes' Deployments, there is no surge. */
export function mostMachines({ replicas, bounds }: Pick<Rollout, 'replicas' | 'bounds'>): number {
  return replicas === 0 ? 0 : Math.min(MOST, replicas + bounds.maxSurge);
}

/** How many of them have to stay available where a Machine is taken that is. */
export function leastAvailable({ replicas, bounds }: Pick<Rollout, 'replicas' | 'bounds'>): number {
  return Math.max(0, replicas - bounds.maxUnavailable);
}

/** How many Machines of earlier templates keep their places for now, where so many of the newest there are, or are to be. */
export function leastOld(
  { replicas, mostNew = replicas }: Pick<Rollout, 'replicas' | 'mostNew'>,
  ofNewest: number,
): number {
  return Math.max(0, replicas - Math.max(mostNew, ofNewest));
}

/** How many Machines of a set there may come to be by what it was told. */
export function roomOf({ existing, active, replicas, maxMachines }: RolloutSet): number {
  // Without a limit it fills its replicas beside those that are being deleted.
  return Math.max(existing, maxMachines ?? replicas + existing - active);
}

/** How many Machines there may come to be of all others, and of nobody. */
export function roomBeside(set: RolloutSet, { sets, strays }: Rollout): number {
  const others = sets.filter((other) => other !== set);
  return sum(others, (other) => (other.isDeleting ? other.existing : roomOf(other))) + strays;
}

export function sum<T>(all: readonly T[], numberOf: (one: T) => number): number {
  return all.reduce((total, one) => total + numberOf(one), 0);
}
