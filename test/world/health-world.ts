import type { MachineHealthCheckObject } from '../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_HEALTH_CHECKS, MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import type { Node } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ObjectMeta } from '../../k8s/object-meta.ts';
import { NODES } from '../../k8s/resources.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from './builders/a-machine-health-check.ts';
import { aMachineSet } from './builders/a-machine-set.ts';
import { aMachine, type MachineFacts } from './builders/a-machine.ts';
import { aNode, type NodeFacts, type StoredNode } from './builders/a-node.ts';
import { aRulesConfigMap } from './builders/a-rules-config-map.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import type { WorldClock } from './world-clock.ts';
import { World } from './world.ts';
import { given } from '../../providers/given.ts';

type ConditionStatus = 'True' | 'False' | 'Unknown';

export interface HealthWorldFacts {
  /** @default check */
  readonly name?: string;
  /** How many Machines there are, each with a Ready Node: `m-1` on `n-1`, … @default 3 */
  readonly machines?: number;
  readonly spec?: Partial<MachineHealthCheckSpec>;
}

/** A world with one health check, and the MachineSet whose Machines it selects. */
/** The API server keeps who writes what of an object that somebody has created. */
const MADE_BY = {
  manager: 'kubectl-create',
  operation: 'Update',
  apiVersion: 'machine.openshift.io/v1beta1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:providerSpec': {} } },
};

export class HealthWorld extends World {
  readonly ref: ObjectRef;
  readonly #set = aMachineSet({ name: 'workers' });

  constructor(clock: WorldClock, { name, machines = 3, spec }: HealthWorldFacts = {}) {
    super(clock);
    const check = aMachineHealthCheck(name, spec);
    this.ref = refOf(check);
    this.kube.put(check);
    this.scaleSet(machines);
    for (let n = 1; n <= machines; n += 1) this.add(n);
  }

  get check(): MachineHealthCheckObject | undefined {
    return this.kube.peek(MACHINE_HEALTH_CHECKS, NAMESPACE, this.ref.name) as MachineHealthCheckObject | undefined;
  }

  get status(): NonNullable<MachineHealthCheckObject['status']> {
    return this.check?.status ?? {};
  }

  condition(type: string) {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  machine(n: number): MachineObject | undefined {
    return this.kube.peek(MACHINES, NAMESPACE, `m-${n}`) as MachineObject | undefined;
  }

  node(n: number): StoredNode | undefined {
    return this.kube.peek(NODES, undefined, `n-${n}`) as StoredNode | undefined;
  }

  /** Numbers of the Machines that are being deleted, in order. */
  get deleted(): readonly number[] {
    const machines = this.kube.all<MachineObject>(MACHINES);
    const deleted = machines.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    return deleted.map(({ metadata }) => Number(metadata.name.slice(2))).sort((a, b) => a - b);
  }

  /** Changes what the check wants, as a person does. */
  change(spec: Partial<MachineHealthCheckSpec>): void {
    const check = this.#living();
    const metadata = { ...check.metadata, generation: check.metadata.generation + 1 };
    this.kube.put({ ...check, metadata, spec: { ...check.spec, ...spec } } as MachineHealthCheckObject);
  }

  changeMeta(metadata: Partial<ObjectMeta>): void {
    const check = this.#living();
    this.kube.put({ ...check, metadata: { ...check.metadata, ...metadata } });
  }

  lose(): void {
    this.kube.drop(MACHINE_HEALTH_CHECKS, NAMESPACE, this.ref.name);
  }

  scaleSet(replicas: number, annotations: Readonly<Record<string, string>> = {}): void {
    const { metadata, spec } = this.#set;
    const set: MachineSetObject = {
      ...this.#set,
      metadata: { ...metadata, annotations },
      spec: { ...spec, replicas },
    };
    this.kube.put(set);
  }

  loseSet(): void {
    this.kube.drop(MACHINE_SETS, NAMESPACE, 'workers');
  }

  /** A Machine of the set that runs, on a Node that is Ready unless it is told otherwise; `null`: without any. */
  add(n: number, facts: MachineFacts = {}, node: NodeFacts | null = {}): void {
    const { status, metadata, ...more } = facts;
    const name = `m-${n}`;
    const nodeRef = node === null ? undefined : { kind: 'Node', name: `n-${n}`, uid: `uid-of-n-${n}` };
    const made = { creationTimestamp: new Date(this.clock.timeOfDay()).toISOString() };
    const managedFields = [{ ...MADE_BY, time: made.creationTimestamp }];
    this.kube.put(
      aMachine({
        name,
        set: this.#set,
        instanceId: `i-${n}`,
        launch: { preparedAt: made.creationTimestamp },
        status: { phase: node === null ? 'Provisioned' : 'Running', ...given({ nodeRef }), ...status },
        metadata: { ...made, managedFields, ...metadata },
        ...more,
      }),
    );
    if (node !== null) this.kube.put(aNode({ name: `n-${n}`, ...node, metadata: { ...made, ...node.metadata } }));
  }

  edit(n: number, changes: (machine: MachineObject) => MachineObject): void {
    const machine = this.machine(n);
    if (machine === undefined) throw new Error(`there is no Machine m-${n}`);
    this.kube.put(changes(machine));
  }

  annotate(n: number, annotations: Readonly<Record<string, string>>): void {
    this.edit(n, ({ metadata, ...machine }) => ({
      ...machine,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    }));
  }

  takeOff(n: number, annotation: string): void {
    this.edit(n, ({ metadata, ...machine }) => {
      const { [annotation]: _taken, ...annotations } = metadata.annotations ?? {};
      return { ...machine, metadata: { ...metadata, annotations } };
    });
  }

  annotationsOf(n: number): Readonly<Record<string, string>> {
    return this.machine(n)?.metadata.annotations ?? {};
  }

  fail(n: number, errorReason = 'CreateError'): void {
    const failed = { phase: 'Failed', errorReason, errorMessage: 'no' } as const;
    this.edit(n, ({ status, ...machine }) => ({ ...machine, status: { ...status, ...failed } }));
  }

  /** The cloud says that its instance is gone. */
  terminate(n: number): void {
    this.edit(n, ({ status, ...machine }) => {
      const providerStatus = { ...status?.providerStatus, instanceState: 'terminated' as const };
      return { ...machine, status: { ...status, providerStatus } };
    });
  }

  /** Its deletion comes to its end, with its Node if it had one. */
  endMachine(n: number): void {
    this.kube.drop(MACHINES, NAMESPACE, `m-${n}`);
    if (this.node(n) !== undefined) this.loseNode(n);
  }

  loseNode(n: number): void {
    this.kube.drop(NODES, undefined, `n-${n}`);
  }

  /** A condition of a Node turns to this status now, or says that it did at another time. */
  say(n: number, status: ConditionStatus, { type = 'Ready', at = this.clock.timeOfDay(), reason = 'Told' } = {}): void {
    const node = this.node(n);
    if (node === undefined) throw new Error(`there is no Node n-${n}`);
    const others = (node.status?.conditions ?? []).filter((condition) => condition.type !== type);
    const condition = { type, status, reason, lastTransitionTime: new Date(at).toISOString() };
    this.putNode({ ...node, status: { ...node.status, conditions: [...others, condition] } });
  }

  /** The condition `Sick` of these Nodes is True from now on. */
  sicken(...numbers: number[]): void {
    for (const n of numbers) this.say(n, 'True', { type: 'Sick' });
  }

  heal(...numbers: number[]): void {
    for (const n of numbers) this.say(n, 'False', { type: 'Sick' });
  }

  label(n: number, labels: Readonly<Record<string, string>>): void {
    const node = this.node(n);
    if (node === undefined) throw new Error(`there is no Node n-${n}`);
    this.putNode({ ...node, metadata: { ...node.metadata, labels: { ...labels } } });
  }

  putNode(node: Node): void {
    this.kube.put(node as StoredNode);
  }

  /** The cluster's own rules. */
  writeRules(text: string): void {
    this.kube.put(aRulesConfigMap(text));
  }

  #living(): MachineHealthCheckObject {
    const { check } = this;
    if (check === undefined) throw new Error('the check is not there');
    return check;
  }
}
