import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ObjectMeta } from '../../k8s/object-meta.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { aMachine } from './builders/a-machine.ts';
import { aMachineSet, type MachineSetFacts } from './builders/a-machine-set.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import type { KubeRequest } from './kubernetes/request.ts';
import type { WorldClock } from './world-clock.ts';
import { World } from './world.ts';

/** A world with one MachineSet and its Machines. */
export class SetWorld extends World {
  readonly ref: ObjectRef;
  readonly #given: MachineSetObject;

  constructor(clock: WorldClock, facts: MachineSetFacts) {
    super(clock);
    this.#given = aMachineSet(facts);
    this.ref = refOf(this.#given);
    this.kube.put(this.#given);
  }

  get set(): MachineSetObject | undefined {
    return this.kube.peek(MACHINE_SETS, NAMESPACE, this.ref.name) as MachineSetObject | undefined;
  }

  get machines(): readonly MachineObject[] {
    return this.kube.all<MachineObject>(MACHINES);
  }

  machine(name: string): MachineObject | undefined {
    return this.kube.peek(MACHINES, NAMESPACE, name) as MachineObject | undefined;
  }

  /** Puts a Machine there: the set's own, with our finalizer, unless told otherwise. */
  add(name: string, metadata: Partial<ObjectMeta> = {}): void {
    this.kube.put(aMachine({ name, set: this.#given, metadata }));
  }

  /** Changes the set's spec, as `kubectl scale` or `kubectl edit` do; it may be malformed on purpose. */
  change(spec: object): void {
    const { metadata, ...set } = this.#livingSet();
    const next = { ...metadata, generation: metadata.generation + 1 };
    this.kube.put({ ...set, metadata: next, spec: { ...set.spec, ...spec } } as MachineSetObject);
  }

  changeSetMeta(metadata: Partial<ObjectMeta>): void {
    const set = this.#livingSet();
    this.kube.put({ ...set, metadata: { ...set.metadata, ...metadata } });
  }

  loseSet(): void {
    this.kube.drop(MACHINE_SETS, NAMESPACE, this.ref.name);
  }

  changeMachine(name: string, metadata: Partial<ObjectMeta>): void {
    const machine = this.machine(name);
    if (machine === undefined) throw new Error(`there is no Machine ${name}`);
    this.kube.put({ ...machine, metadata: { ...machine.metadata, ...metadata } });
  }

  lose(name: string): void {
    this.kube.drop(MACHINES, NAMESPACE, name);
  }

  /** Names of the Machines that are not being deleted, sorted. */
  get living(): readonly string[] {
    return this.machines
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  }

  /** Names that this was asked for, in the order of the requests. */
  asked(verb: KubeRequest['verb']): readonly string[] {
    return this.requests.filter((request) => request.verb === verb).map(({ name }) => name ?? '');
  }

  condition(type: string) {
    return this.set?.status?.conditions?.find((c) => c.type === type);
  }

  #livingSet(): MachineSetObject {
    const { set } = this;
    if (set === undefined) throw new Error('the set is not there');
    return set;
  }
}
