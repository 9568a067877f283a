import type { Node } from '../../k8s/model/node.ts';
import { MACHINE_ANNOTATION } from '../../k8s/dialects/openshift/labels.ts';
import { NODES } from '../../k8s/resources.ts';
import { given } from '../../providers/given.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';
import type { MachineFacts } from './builders/a-machine.ts';
import { aNode, type NodeFacts, type StoredNode } from './builders/a-node.ts';
import type { KubeObject } from './kubernetes/kube-object.ts';
import { World } from './world.ts';

/** What tells a Machine from most here: it was launched, and runs the instance i-1, which its workflow saw. */
export interface OwnerFacts extends MachineFacts {
  /** The instance on record; null: none. */
  readonly instance?: string | null;
  /** A launch of ours is on record. @default true */
  readonly launched?: boolean;
  readonly nodeRef?: { readonly name: string; readonly uid: string };
}

export const providerIDOf = (instance: string) => `simulated:///zone-a/${instance}`;
/** What a Node says that is this Machine's. */
export const markedFor = (name: string, namespace = 'default') => ({ [MACHINE_ANNOTATION]: `${namespace}/${name}` });

/** A world with Machines and the Nodes of their instances. */
export class NodeWorld extends World {
  machine(name: string, { instance = 'i-1', launched = true, nodeRef, status, ...facts }: OwnerFacts = {}): NodeTarget {
    const target = this.addMachine({
      name,
      providerID: providerIDOf(instance ?? 'i-1'),
      ...given({ instanceId: instance ?? undefined, launch: launched ? {} : undefined }),
      status: { phase: 'Running', ...given({ nodeRef }), ...status },
      ...facts,
    });
    return { ...target, ...given({ ownInstance: launched && instance !== null ? instance : undefined }) };
  }

  /** A Node of an instance; undefined: it names none yet. */
  node(
    name: string,
    instance: string | undefined,
    annotations: Readonly<Record<string, string>> = {},
    facts: Pick<NodeFacts, 'metadata' | 'spec'> = {},
  ): { readonly name: string; readonly uid: string } {
    const providerID = instance === undefined ? undefined : providerIDOf(instance);
    const registered = aNode({ name, annotations, ...facts, ...given({ providerID }) });
    this.kube.put(registered);
    return { name, uid: registered.metadata.uid };
  }

  /** As it is stored. */
  storedNode(name: string): (StoredNode & Pick<KubeObject, 'metadata'>) | undefined {
    return this.kube.peek(NODES, undefined, name) as (StoredNode & Pick<KubeObject, 'metadata'>) | undefined;
  }

  /** Who wrote anything of it. */
  managersOf(name: string): readonly string[] {
    return (this.storedNode(name)?.metadata.managedFields ?? []).map(({ manager }) => manager);
  }

  /** Names of all there are. */
  get nodeNames(): readonly string[] {
    return this.kube.all<Node>(NODES).map(({ metadata }) => metadata.name);
  }

  /** Somebody else changes a Node. */
  async editNode(name: string, patch: object): Promise<void> {
    await this.kube.others.mergePatch(NODES, undefined, name, patch);
  }
}
