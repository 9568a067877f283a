import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/resources.ts';
import { IndexedMap } from './indexed-map.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import type { MachineClassFacts } from './machine-class-facts.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import type { NodeFacts } from './node-facts.ts';

/** Where to look: what the watcher knows of the cluster, found by what links one object to another. */
export class ObjectIndex {
  readonly machines = new IndexedMap<MachineFacts, 'instance' | 'address' | 'node' | 'class' | 'cluster'>({
    instance: ({ instance }) => (instance === '' ? [] : [instance]),
    address: ({ addresses }) => addresses,
    node: ({ nodeName }) => (nodeName === undefined ? [] : [nodeName]),
    class: (machine) => classKeysOf(machine),
    cluster: ({ ref, cluster }) => (cluster === '' ? [] : [`${ref.namespace}/${cluster}`]),
  });
  readonly machineSets = new IndexedMap<MachineSetFacts, 'namespace' | 'class'>({
    namespace: ({ ref }) => [ref.namespace],
    class: (set) => classKeysOf(set),
  });
  readonly machineClasses = new IndexedMap<MachineClassFacts, never>({});
  readonly clusters = new IndexedMap<ClusterFacts, never>({});
  readonly nodes = new IndexedMap<NodeFacts, 'instance' | 'address' | 'claim'>({
    instance: ({ instance }) => (instance === '' ? [] : [instance]),
    address: ({ addresses }) => addresses,
    claim: ({ claim }) => (claim === undefined ? [] : [claim]),
  });

  /** The object as it is known now; undefined where it is gone, or another one has its name. */
  find(ref: ObjectRef): MachineFacts | MachineSetFacts | undefined {
    const known = this.#ofKind(ref.kind)?.get(objectKey(ref));
    return known?.ref.uid === ref.uid ? known : undefined;
  }

  /** Every object that has a workflow. */
  refs(): ObjectRef[] {
    return [...this.machineSets.values(), ...this.machines.values()].map(({ ref }) => ref);
  }

  /** Whether a Node that may be this machine's is known, before the machine is linked to it. */
  hasNodeOf({ ref, instance, addresses }: MachineFacts): boolean {
    return (
      (instance !== '' && this.nodes.by('instance', instance).length > 0) ||
      this.nodes.by('claim', objectKey(ref)).length > 0 ||
      addresses.some((address) => this.nodes.by('address', address).length > 0)
    );
  }

  /** The machine of a Node, by the first link that holds. Several where the link is ambiguous. */
  machinesOf(node: NodeFacts): MachineFacts[] {
    const byInstance = node.instance === '' ? [] : this.machines.by('instance', node.instance);
    if (byInstance.length > 0) return byInstance;
    const claimed = node.claim === undefined ? undefined : this.machines.get(node.claim);
    if (claimed !== undefined) return [claimed];
    const byAddress = node.addresses.flatMap((address) => this.machines.by('address', address));
    return byAddress.length > 0 ? byAddress : this.machines.by('node', node.name);
  }

  #ofKind(kind: string): IndexedMap<MachineFacts, string> | IndexedMap<MachineSetFacts, string> | undefined {
    if (kind === MACHINES.kind) return this.machines;
    return kind === MACHINE_SETS.kind ? this.machineSets : undefined;
  }
}

/** Key of the MachineClass that a Machine, or the Machines of a set, refer to. */
export function classKeyOf({ ref, machineClass }: MachineFacts | MachineSetFacts): string | undefined {
  return machineClass === undefined ? undefined : `${ref.namespace}/${machineClass}`;
}

function classKeysOf(facts: MachineFacts | MachineSetFacts): string[] {
  const key = classKeyOf(facts);
  return key === undefined ? [] : [key];
}

export function objectKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
