import type { Role } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { NODES } from '../../k8s/resources.ts';
import { IndexedMap } from './indexed-map.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import type { MachineHealthCheckFacts } from './machine-health-check-facts.ts';
import type { MachineDeploymentFacts } from './machine-deployment-facts.ts';
import type { MachineClassFacts } from './machine-class-facts.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import type { NodeFacts } from './node-facts.ts';
import { objectKey } from './object-key.ts';
import type { OwnFacts } from './own-facts.ts';

/** Role → what is kept of its objects. */
export interface FactsOf extends Readonly<{ [R in Role]: OwnFacts<R> }> {
  readonly cluster: ClusterFacts;
  readonly machineClass: MachineClassFacts;
  readonly machineSet: MachineSetFacts;
  readonly machineDeployment: MachineDeploymentFacts;
  readonly machine: MachineFacts;
  readonly machineHealthCheck: MachineHealthCheckFacts;
}

/** An object that has a workflow. */
export type ObjectFacts = FactsOf[Role];

/** Where to look: what the watcher knows of the cluster, found by what links one object to another. */
export class ObjectIndex {
  readonly machines = new IndexedMap<MachineFacts, 'instance' | 'address' | 'node' | 'class' | 'cluster'>({
    instance: ({ instance }) => (instance === '' ? [] : [instance]),
    address: ({ addresses }) => addresses,
    node: ({ nodeName }) => (nodeName === undefined ? [] : [nodeName]),
    class: ({ classKey }) => (classKey === undefined ? [] : [classKey]),
    cluster: ({ clusterKey }) => (clusterKey === undefined ? [] : [clusterKey]),
  });
  readonly machineSets = new IndexedMap<MachineSetFacts, 'namespace' | 'class' | 'cluster'>({
    namespace: ({ ref }) => [ref.namespace],
    class: ({ classKey }) => (classKey === undefined ? [] : [classKey]),
    cluster: ({ clusterKey }) => (clusterKey === undefined ? [] : [clusterKey]),
  });
  readonly machineDeployments = new IndexedMap<MachineDeploymentFacts, 'namespace' | 'cluster'>({
    namespace: ({ ref }) => [ref.namespace],
    cluster: ({ clusterKey }) => (clusterKey === undefined ? [] : [clusterKey]),
  });
  readonly machineClasses = new IndexedMap<MachineClassFacts, never>({});
  readonly healthChecks = new IndexedMap<MachineHealthCheckFacts, 'namespace'>({
    namespace: ({ ref }) => [ref.namespace],
  });
  readonly clusters = new IndexedMap<ClusterFacts, never>({});
  readonly nodes = new IndexedMap<NodeFacts, 'instance' | 'address' | 'claim'>({
    instance: ({ instance }) => (instance === '' ? [] : [instance]),
    address: ({ addresses }) => addresses,
    claim: ({ claims }) => claims,
  });

  /** Every object that has a workflow, in the order in which a new watcher signals everything. */
  readonly ofRole: { readonly [R in Role]: IndexedMap<FactsOf[R], string> } = {
    cluster: this.clusters,
    machineClass: this.machineClasses,
    machineDeployment: this.machineDeployments,
    machineSet: this.machineSets,
    machine: this.machines,
    machineHealthCheck: this.healthChecks,
  };

  /** The object as it is known now; undefined where it is gone, or another one has its name. */
  find(ref: ObjectRef): ObjectFacts | undefined {
    const key = objectKey(ref);
    const known = Object.values(this.ofRole)
      .map((objects) => objects.get(key))
      .find((facts) => facts !== undefined);
    return known?.ref.uid === ref.uid ? known : undefined;
  }

  node(name: string): NodeFacts | undefined {
    return this.nodes.get(objectKey({ ...NODES, namespace: '', name }));
  }

  /** Every object that has a workflow. */
  refs(): ObjectRef[] {
    return Object.values(this.ofRole).flatMap((objects) => [...objects.values()].map(({ ref }) => ref));
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
    const claimed = node.claims.flatMap((key) => this.machines.get(key) ?? []);
    if (claimed.length > 0) return claimed;
    const byAddress = node.addresses.flatMap((address) => this.machines.by('address', address));
    return byAddress.length > 0 ? byAddress : this.machines.by('node', node.ref.name);
  }
}
