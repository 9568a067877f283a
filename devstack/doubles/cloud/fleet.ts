/** All instances there ever were, with the indexes that keep describes and limits cheap among thousands. */

import { CloudError } from './cloud-error.ts';
import { isLive } from './cloud-instance.ts';
import type { CloudInstance } from './cloud-instance.ts';
import type { Behaviour } from './behaviour.ts';
import type { InstanceState } from '../../../providers/provider.ts';

/** Which instances. What is given narrows the answer; `{}` asks for all. */
export interface DescribeCall {
  /** One unknown id fails the whole call, as on EC2. */
  readonly ids?: readonly string[];
  readonly filters?: {
    /** Unknown ids are left out. */
    readonly instanceIds?: readonly string[];
    readonly machineUid?: string;
    readonly clientToken?: string;
    /** Of many Machines at once: one of each list. */
    readonly machineUids?: readonly string[];
    readonly clientTokens?: readonly string[];
    readonly names?: readonly string[];
    readonly cluster?: string;
    /** The tags `namespace` and `name`. */
    readonly namespace?: string;
    readonly name?: string;
    readonly states?: readonly InstanceState[];
  };
}

export class Fleet {
  readonly #byId = new Map<string, CloudInstance>();
  readonly #idsByMachine = new Map<string, Set<string>>();
  readonly #idsByToken = new Map<string, Set<string>>();
  readonly #idsByType = new Map<string, Set<string>>();

  /** Instances ever made. */
  get size(): number {
    return this.#byId.size;
  }

  get(id: string): CloudInstance | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<CloudInstance> {
    return this.#byId.values();
  }

  /** Adds an instance or replaces what is known of it. */
  put(instance: CloudInstance): void {
    const known = this.#byId.get(instance.id);
    const machineUid = instance.tags['machineUid'] ?? '';
    const knownUid = known?.tags['machineUid'] ?? '';
    if (known === undefined || knownUid !== machineUid) {
      this.#idsByMachine.get(knownUid)?.delete(instance.id);
      addTo(this.#idsByMachine, machineUid, instance.id);
    }
    if (known === undefined) {
      if (instance.token !== undefined) addTo(this.#idsByToken, instance.token, instance.id);
      addTo(this.#idsByType, instance.instanceType, instance.id);
    }
    this.#byId.set(instance.id, instance);
  }

  /** The instances that all that is given fits, in the order they were made; seen or not. */
  find({ ids, filters = {} }: DescribeCall): CloudInstance[] {
    const { instanceIds, machineUid, machineUids, clientToken, clientTokens, cluster, namespace, name, names } =
      filters;
    const sets = [
      ...(ids === undefined ? [] : [new Set(ids)]),
      ...(instanceIds === undefined ? [] : [new Set(instanceIds)]),
      ...(machineUid === undefined ? [] : [this.#idsByMachine.get(machineUid) ?? new Set<string>()]),
      ...(clientToken === undefined ? [] : [this.#idsByToken.get(clientToken) ?? new Set<string>()]),
      ...(machineUids === undefined ? [] : [idsOf(this.#idsByMachine, machineUids)]),
      ...(clientTokens === undefined ? [] : [idsOf(this.#idsByToken, clientTokens)]),
    ];
    const [first, ...others] = sets;
    const candidates = first === undefined ? [...this.#byId.values()] : this.#resolve(first);
    const wanted = Object.entries({ cluster, namespace, name }).filter(([, value]) => value !== undefined);
    return candidates.filter(
      ({ id, tags }) =>
        others.every((set) => set.has(id)) &&
        wanted.every(([key, value]) => tags[key] === value) &&
        (names?.includes(tags['name'] ?? '') ?? true),
    );
  }

  /** Throws where one more instance of the type is one too many. */
  checkRoom(instanceType: string, limits: Required<Pick<Behaviour, 'capacity' | 'quota'>>, now: number): void {
    const { capacity, quota } = limits;
    if (capacity === null && quota === null) return;
    const live = this.#resolve(this.#idsByType.get(instanceType) ?? new Set()).filter((i) => isLive(i, now)).length;
    if (quota !== null && live >= quota) {
      throw new CloudError('InstanceLimitExceeded', `Your quota allows for ${quota} ${instanceType} instances.`);
    }
    if (capacity !== null && live >= capacity) {
      throw new CloudError('InsufficientInstanceCapacity', `There is no capacity left for ${instanceType} instances.`);
    }
  }

  #resolve(ids: ReadonlySet<string>): CloudInstance[] {
    return [...ids].map((id) => this.#byId.get(id)).filter((instance) => instance !== undefined);
  }
}

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, new Set([id]));
  else ids.add(id);
}

function idsOf(index: ReadonlyMap<string, ReadonlySet<string>>, keys: readonly string[]): Set<string> {
  return new Set(keys.flatMap((key) => [...(index.get(key) ?? [])]));
}
