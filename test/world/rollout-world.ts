import type { MachineDeploymentObject } from '../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION } from '../../k8s/model/cause.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { FoundRollout } from '../../workflows/machine-deployment/machine-deployment-activities.ts';
import { reportOf } from '../../workflows/machine-set/set-status.ts';
import type { ObjectTarget } from '../../workflows/object-target.ts';
import { aMachineDeployment, type MachineDeploymentFacts } from './builders/a-machine-deployment.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import type { WorldClock } from './world-clock.ts';
import { CLUSTER_UID, World } from './world.ts';
import { recordedActivity } from './recorded-activity.ts';

/** A template's mark, by which a Machine tells which template it is of. */
const MARK = 'example.com/version';

/**
 * A world with one MachineDeployment. Its sets do what they do by their own activities, and Machines come up and go, when the test
 * says so.
 */
export class RolloutWorld extends World {
  readonly ref: ObjectRef;
  #names = 0;

  constructor(clock: WorldClock, facts: MachineDeploymentFacts = {}) {
    super(clock);
    const given = aMachineDeployment(facts);
    this.ref = refOf(given);
    this.kube.put(given);
  }

  get deployment(): MachineDeploymentObject | undefined {
    return this.kube.peek(MACHINE_DEPLOYMENTS, NAMESPACE, this.ref.name) as MachineDeploymentObject | undefined;
  }

  get status(): NonNullable<MachineDeploymentObject['status']> {
    return this.deployment?.status ?? {};
  }

  condition(type: string) {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  get sets(): readonly MachineSetObject[] {
    return this.kube.all<MachineSetObject>(MACHINE_SETS);
  }

  get machines(): readonly MachineObject[] {
    return this.kube.all<MachineObject>(MACHINES);
  }

  /** How many Machines there are of each template, those that are being deleted included. */
  get versions(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { metadata } of this.machines) {
      const version = metadata.annotations?.[MARK] ?? 'first';
      counts[version] = (counts[version] ?? 0) + 1;
    }
    return counts;
  }

  /** Why the Machines go that are being deleted. */
  get causes(): readonly string[] {
    return this.machines.flatMap(({ metadata }) =>
      metadata.deletionTimestamp === undefined ? [] : (metadata.annotations?.[CAUSE_ANNOTATION] ?? ''),
    );
  }

  /** Changes what the deployment wants, as a person does. */
  change(spec: Partial<MachineDeploymentObject['spec']>): void {
    const { deployment } = this;
    if (deployment === undefined) throw new Error('the deployment is not there');
    const metadata = { ...deployment.metadata, generation: deployment.metadata.generation + 1 };
    const changed: MachineDeploymentObject = { ...deployment, metadata, spec: { ...deployment.spec, ...spec } };
    this.kube.put(changed);
  }

  /** Changes something of the deployment's metadata. */
  changeMeta(metadata: Partial<MachineDeploymentObject['metadata']>): void {
    const { deployment } = this;
    if (deployment === undefined) throw new Error('the deployment is not there');
    const changed: MachineDeploymentObject = { ...deployment, metadata: { ...deployment.metadata, ...metadata } };
    this.kube.put(changed);
  }

  /** A Machine is gone, by whoever's hand. */
  dropMachine(name: string): void {
    this.kube.drop(MACHINES, NAMESPACE, name);
  }

  /** Machines fail for good. */
  fail(isIt: (machine: MachineObject) => boolean, errorMessage: string): void {
    for (const machine of this.machines.filter(isIt)) {
      const status = { phase: 'Failed' as const, errorReason: 'CreateError' as const, errorMessage };
      const told: MachineObject = { ...machine, status };
      this.kube.put(told);
    }
  }

  /** Changes the template. */
  release(version: string): void {
    const { template } = this;
    const annotations = { ...template.metadata?.annotations, [MARK]: version };
    this.change({ template: { ...template, metadata: { ...template.metadata, annotations } } });
  }

  /** Changes in the template what reaches the machines that are there. */
  settle(spec: Partial<MachineDeploymentObject['spec']['template']['spec']>): void {
    const { template } = this;
    this.change({ template: { ...template, spec: { ...template.spec, ...spec } } });
  }

  get template(): MachineDeploymentObject['spec']['template'] {
    return (this.deployment?.spec ?? aMachineDeployment().spec).template;
  }

  lose(): void {
    this.kube.drop(MACHINE_DEPLOYMENTS, NAMESPACE, this.ref.name);
  }

  /** As its activities are asked about it. */
  get target(): ObjectTarget {
    return { ref: this.ref, clusterUid: CLUSTER_UID };
  }

  /** What its workflow sees of it. */
  async survey(): Promise<FoundRollout> {
    const found = await this.run((activities) => activities.surveyRollout(this.target));
    if (found.found !== true) throw new Error('it is not there');
    return found;
  }

  /** Its workflow makes the set of its template. */
  async makeSet(): Promise<void> {
    const { generation, steps } = await this.survey();
    if (steps.create === undefined) throw new Error('it has a set');
    await this.activities.createSet({ ...this.target, generation, ...steps.create });
  }

  /** Its workflow tells its sets how many Machines to have. */
  async order(): Promise<void> {
    const { generation, steps } = await this.survey();
    await this.activities.orderSets({ ...this.target, generation, orders: steps.orders });
    await this.runSets();
  }

  /** Each set makes and deletes what it has to by now, and says so. */
  async runSets(): Promise<void> {
    for (const set of this.sets) await this.#runSet(refOf(set));
  }

  /** The Nodes of Machines become Ready, or not any more. */
  say(ready: 'True' | 'False', isIt: (machine: MachineObject) => boolean = () => true): void {
    for (const machine of this.machines.filter(isIt)) {
      const { name } = machine.metadata;
      const known = machine.status?.conditions?.find(({ type }) => type === 'NodeReady');
      if (known?.status === ready) continue;
      const lastTransitionTime = new Date(this.clock.timeOfDay()).toISOString();
      const condition = { type: 'NodeReady', status: ready, reason: 'NodeReady', message: '', lastTransitionTime };
      const status = {
        phase: 'Running' as const,
        nodeRef: { kind: 'Node', name, uid: `uid-of-${name}` },
        conditions: [condition],
      };
      const told: MachineObject = { ...machine, status };
      this.kube.put(told);
    }
  }

  /** What Machines without a Node come to say of themselves. */
  tellNew(status: NonNullable<MachineObject['status']>): void {
    for (const machine of this.machines.filter((each) => each.status?.nodeRef === undefined)) {
      const told: MachineObject = { ...machine, status };
      this.kube.put(told);
    }
  }

  /** Those that are being deleted are gone. */
  endMachines(): void {
    for (const { metadata } of this.machines) {
      if (metadata.deletionTimestamp !== undefined) this.kube.drop(MACHINES, NAMESPACE, metadata.name);
    }
  }

  async #runSet(ref: ObjectRef): Promise<void> {
    const { activities } = this;
    const target = { ref, clusterUid: CLUSTER_UID };
    const environment = recordedActivity();
    const survey = await activities.surveyReplicas({ ...target, issued: [] });
    if (survey.found !== true || survey.deleting) return;
    const names = Array.from({ length: survey.plan.create }, () => `${ref.name}-${(this.#names += 1)}`);
    const { remove, update = [] } = survey.plan;
    if (update.length > 0) {
      await environment.run(() => activities.updateMachines({ ...target, count: update.length, skip: [] }));
    }
    if (remove.length > 0) {
      await environment.run(() => activities.deleteMachines({ ...target, count: remove.length, skip: [] }));
    }
    if (names.length > 0) await environment.run(() => activities.createMachines({ ...target, names }));
    const after = await activities.surveyReplicas({ ...target, issued: [] });
    const report =
      after.found === true
        ? reportOf({ ...after, generation: survey.generation }, {}, this.clock.timeOfDay())
        : undefined;
    if (report !== undefined) await activities.writeMachineSetStatus({ ...target, ...report });
  }
}
