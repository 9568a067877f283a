import type { LedgerCall, LedgerInstance } from '../../devstack/doubles/cloud/ledger.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { tokenOf } from '../../k8s/launch-token.ts';
import { SET_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import type { Machine, MachineStatus } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../k8s/resources.ts';
import { aMachine, readMachine, type MachineFacts } from './builders/a-machine.ts';
import { aMachineSet } from './builders/a-machine-set.ts';
import { aNode, type NodeFacts, type StoredNode } from './builders/a-node.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import type { KubeRequest } from './kubernetes/request.ts';
import type { WorldClock } from './world-clock.ts';
import { World, type WorldOptions } from './world.ts';

interface MachineWorldOptions extends WorldOptions {
  /** The Machine was there before, and no set made it. @default a set has made it just now */
  readonly known?: MachineFacts;
}

/** A world with one Machine. */
export class MachineWorld extends World {
  readonly ref: ObjectRef;
  #lastStatus: MachineStatus = { addresses: [], conditions: [] };

  constructor(name: string, clock: WorldClock, { known, ...options }: MachineWorldOptions = {}) {
    super(clock, options);
    if (known === undefined) {
      const machine = aMachine({ name, set: aMachineSet(), metadata: { resourceVersion: '' } });
      void this.kube.others.create(MACHINES, NAMESPACE, machine, { fieldManager: SET_FIELD_MANAGER });
    } else {
      this.kube.put(aMachine({ name, ...known }));
    }
    this.ref = refOf(this.#stored(name));
  }

  /** As it is stored; undefined: it is gone. */
  get object(): MachineObject | undefined {
    return this.kube.peek(MACHINES, NAMESPACE, this.ref.name) as MachineObject | undefined;
  }

  /** As it is read. */
  get machine(): Machine | undefined {
    const { object } = this;
    return object && readMachine(object);
  }

  /** The last one, where the Machine is gone. */
  get status(): MachineStatus {
    return (this.#lastStatus = this.machine?.status ?? this.#lastStatus);
  }

  condition(type: string): MachineStatus['conditions'][number] | undefined {
    return this.status.conditions.find((c) => c.type === type);
  }

  get nodes(): readonly StoredNode[] {
    return this.kube.all<StoredNode>(NODES);
  }

  /** The Machine's, as the cloud knows them. */
  get instances(): readonly LedgerInstance[] {
    return this.cloud.instances.filter(({ machine }) => machine === this.ref.uid);
  }

  /** Id of the only one. */
  get instanceId(): string {
    const [instance, second] = this.instances;
    if (instance === undefined || second !== undefined) throw new Error(`${this.instances.length} instances`);
    return instance.id;
  }

  /** Calls to launch, as the cloud saw them. */
  get launches(): readonly LedgerCall[] {
    return this.cloud.calls('launch').filter(({ machine }) => machine === this.ref.uid);
  }

  /** Calls that looked for instances by its uid. */
  get lookUps(): readonly LedgerCall[] {
    return this.cloud.calls('describe').filter(({ machine }) => machine === this.ref.uid);
  }

  /** Token of its n-th attempt. */
  token(attempt: number): string {
    return tokenOf(this.ref.uid, attempt);
  }

  /** The worker's requests about the Machine. */
  asked(verb: KubeRequest['verb'], subresource?: string): readonly { readonly at: number }[] {
    return this.requests.filter(
      (request) => request.verb === verb && request.name === this.ref.name && request.subresource === subresource,
    );
  }

  /** As `kubectl patch` does. */
  async edit(patch: object): Promise<void> {
    await this.kube.others.mergePatch(MACHINES, NAMESPACE, this.ref.name, patch);
  }

  /** These fields of providerSpec.value. */
  setSpec(value: Readonly<Record<string, unknown>>): Promise<void> {
    return this.edit({ spec: { providerSpec: { value } } });
  }

  /** As `kubectl delete` does. */
  async delete(): Promise<void> {
    await this.kube.others.delete(MACHINES, NAMESPACE, this.ref.name);
  }

  pause(): Promise<void> {
    return this.edit({ metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
  }

  resume(): Promise<void> {
    return this.edit({ metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
  }

  /** Puts the Machine there with these parts, as who restores a backup does. */
  overwrite(parts: Partial<MachineObject>): void {
    this.kube.put({ ...this.#stored(this.ref.name), ...parts });
  }

  /** The Machine goes without its finalizer's step. */
  drop(): void {
    this.kube.drop(MACHINES, NAMESPACE, this.ref.name);
  }

  /** The kubelet of the machine's only instance registers. */
  nodeRegisters(ready: NonNullable<NodeFacts['ready']> = 'True'): void {
    const providerID = `simulated:///zone-a/${this.instanceId}`;
    this.kube.put(aNode({ name: `node-of-${this.ref.name}`, providerID, ready }));
  }

  nodeGoes(): void {
    this.kube.drop(NODES, undefined, `node-of-${this.ref.name}`);
  }

  #stored(name: string): MachineObject {
    const object = this.kube.peek(MACHINES, NAMESPACE, name) as MachineObject | undefined;
    if (object === undefined) throw new Error(`there is no Machine ${name}`);
    return object;
  }
}
