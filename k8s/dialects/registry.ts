import type { RulesPlace } from '../model/cluster-rules.ts';
import type { ObjectRef } from '../model/object-ref.ts';
import type { Api, Kinds, MachineKind, MachineSetKind, Role } from './kind.ts';
import { healthchecking } from './healthchecking/api.ts';
import { openshift } from './openshift/api.ts';

type Named = Pick<ObjectRef, 'apiVersion' | 'kind'>;

/** The APIs whose objects are driven. Everybody asks it, and nobody names an API. */
export class ApiRegistry {
  readonly apis: readonly Api[];

  constructor(apis: readonly Api[]) {
    this.apis = apis;
  }

  /** All kinds, of whatever role. */
  all(): readonly Kinds[Role][] {
    return this.apis.flatMap((api) => Object.values(api));
  }

  /** All kinds of a role. */
  kinds<R extends Role>(role: R): readonly Kinds[R][] {
    return this.apis.flatMap((api) => api[role] ?? []);
  }

  /** Where the rules of checks are that have none of their own: each place once. */
  clusterRules(): readonly RulesPlace[] {
    const places = this.kinds('machineHealthCheck').flatMap(({ clusterRules }) => clusterRules ?? []);
    return [...new Set(places)];
  }

  /** The kind of an object, which has to be of this role. */
  kindOf<R extends Role>(role: R, ref: Named): Kinds[R] {
    const found = this.kinds(role).find(({ resource }) => isOfKind(resource, ref));
    if (found === undefined) throw new Error(`no dialect reads ${ref.kind} of ${ref.apiVersion} as a ${role}`);
    return found;
  }

  /** What an object is to Millwright. */
  roleOf(ref: Named): Role {
    return this.#find(ref).role;
  }

  /** The kinds beside which an object's own stands. */
  apiOf(ref: Named): Api {
    return this.#find(ref).api;
  }

  #find(ref: Named): { readonly api: Api; readonly role: Role } {
    for (const api of this.apis) {
      const found = Object.values(api).find(({ resource }) => isOfKind(resource, ref));
      if (found !== undefined) return { api, role: found.role };
    }
    throw new Error(`no dialect reads ${ref.kind} of ${ref.apiVersion}`);
  }

  /** The kind of the MachineSets that a MachineDeployment makes. */
  setsOf(deployment: Named): MachineSetKind {
    const { machineSet } = this.apiOf(deployment);
    if (machineSet === undefined) {
      throw new Error(`no dialect reads the MachineSets of ${deployment.kind} of ${deployment.apiVersion}`);
    }
    return machineSet;
  }

  /** The kind of the Machines that a MachineSet makes. */
  machinesOf(set: Named): MachineKind {
    const { machine } = this.apiOf(set);
    if (machine === undefined) throw new Error(`no dialect reads the Machines of ${set.kind} of ${set.apiVersion}`);
    return machine;
  }
}

/** Whether an object is of a kind. */
export function isOfKind(a: Named, b: Named): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind;
}

/** All of them. A further API is a folder beside this file, and its name here. */
export const APIS = new ApiRegistry([openshift, healthchecking]);
