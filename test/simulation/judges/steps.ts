import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { TEMPLATE_HASH_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { stepToken, type MachineDeployment, type StepStatus } from '../../../k8s/model/machine-deployment.ts';
import { scaledValue } from '../../../k8s/model/scaled-value.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import { isMarked, isTaken, withinLook, type RolloutsOptions } from './rollout-sights.ts';
import { given } from '../../../providers/given.ts';

/** Why no old machine may be taken, each under the name of its judge. */
type Held = 'nothing is taken after a stop' | 'Never takes none' | 'a step waits' | 'a paused rollout stands';

/** Of a status that says that new machines failed. */
const FAILURES: readonly string[] = ['NewMachinesFailed', 'ProgressDeadlineExceeded'];

/** A deployment and its machines, from a time on. */
interface Moment {
  readonly at: number;
  /** Hash of its template, and of those that there are, or are to be, machines of. */
  readonly hash: string;
  readonly filled: ReadonlySet<string | undefined>;
  /** Absent: old machines may be taken. */
  readonly held?: Held;
  /** Machines that nobody asked to go. */
  readonly active: number;
  /** How many of them have to be left for none to be taken that is not too many. */
  readonly kept: number;
}

/** The time in which a deployment has one template. */
interface Era {
  readonly hash: string;
  readonly replicas: number;
  /** How many machines of the template the steps that were reached allow; Infinity: any number. */
  most: number;
}

/** What there is of a deployment beside itself. */
interface Seen {
  /** Those that nobody asked to go. */
  readonly machines: readonly MachineObject[];
  readonly sets: readonly MachineSetObject[];
  /** How many steps are behind it. */
  readonly passed: number;
  /** Its template was rolled out whole before. */
  readonly isComplete: boolean;
}

/**
 * Never more machines of a new template than the steps that a deployment's status has reached allow; no step that waits for somebody is
 * passed without a word; what old machines are lost is made of a template that others are left of; and where a rollout is stopped for failures, is paused, waits at a step, or may replace nothing, no old machine is
 * taken but such as are too many.
 */
export class StepJudge {
  readonly #options: RolloutsOptions;
  /** By the deployment's name. */
  readonly #moments = new Map<string, readonly Moment[]>();
  readonly #eras = new Map<string, Era>();
  /** What people said of steps. */
  readonly #words = new Set<string>();

  constructor(options: RolloutsOptions) {
    this.#options = options;
    options.api.store.onChange((change) => this.#see(change));
  }

  #see({ resource, type, object, previous }: Change): void {
    const { plural } = resource;
    if (plural === MACHINE_DEPLOYMENTS.plural) this.#seeDeployment(object, previous);
    if (plural === MACHINE_SETS.plural) {
      if (previous !== undefined) this.#seeSet(object as never, previous as never);
      for (const each of this.#deployments()) this.#note(each);
    }
    if (plural !== MACHINES.plural) return;
    const machine = object as unknown as MachineObject;
    const pool = machine.metadata.labels?.['pool'];
    const deployment = this.#deployments().find(({ metadata }) => metadata.name === pool);
    if (deployment === undefined) return;
    if (type === 'ADDED') this.#seeNew(deployment, machine);
    if (isTaken(object, previous, this.#options)) this.#seeTaken(deployment, machine);
    this.#note(deployment);
  }

  #seeDeployment(object: KubeObject, previous: KubeObject | undefined): void {
    const deployment = object as unknown as MachineDeploymentObject;
    const { machineDeployment: read, status } = openshift.machineDeployment.read(deployment);
    for (const word of [read.approvedStep, read.resumedStep]) if (word !== undefined) this.#words.add(word.token);
    if (previous !== undefined) {
      const before = openshift.machineDeployment.read(previous as never).status.step;
      if (status.step !== undefined) this.#seePassed(read, status.step, before);
    }
    if (object.metadata.deletionTimestamp === undefined) this.#note(deployment);
  }

  /** Somebody's word ends what waits for one; a pause of some time is over by itself. */
  #seePassed({ ref, strategy }: MachineDeployment, step: StepStatus, before: StepStatus | undefined): void {
    const isSame = before?.templateHash === step.templateHash && before.revision === step.revision;
    for (let passed = isSame ? before.passed : 0; passed < step.passed; passed += 1) {
      const one = strategy.steps[passed];
      const token = stepToken(step, passed + 1);
      const waits = one?.kind === 'approval' || (one?.kind === 'pause' && one.forMs === undefined);
      if (!waits || this.#words.has(token)) continue;
      this.#options.accuse('a step waits', `${ref.name} has passed step ${token}, and nobody said that it may`);
    }
  }

  /** What old machines are lost comes back of a template that there are machines of: one without was given up. */
  #seeSet(set: MachineSetObject, { spec }: MachineSetObject): void {
    const owner = this.#deployments().find((each) => isOf(set, each));
    if (owner === undefined || spec.replicas !== 0 || set.spec.replicas === 0) return;
    const hash = hashOf(set);
    const moments = this.#recent(owner.metadata.name);
    const isGivenUp = (moment: Moment) =>
      moment.hash !== hash && !moment.filled.has(hash) && [...moment.filled].some((other) => other !== moment.hash);
    // Without steps, people who know of no deployment scale sets.
    const hasSteps = owner.spec.strategy?.rollingUpdate?.steps !== undefined;
    if (!hasSteps || moments.length === 0 || !moments.every(isGivenUp)) return;
    const what = `MachineSet ${set.metadata.name} of an earlier template is to have ${set.spec.replicas} machines`;
    this.#options.accuse('what is given up stays so', `${what}, and had none, beside others`);
  }

  #seeNew({ metadata: { name } }: MachineDeploymentObject, machine: MachineObject): void {
    const { isExcused, accuse } = this.#options;
    const era = this.#eras.get(name);
    if (era === undefined || hashOf(machine) !== era.hash) return;
    const count = this.#activeOf(name).filter((each) => hashOf(each) === era.hash).length;
    if (count <= era.most || isExcused(machine)) return;
    const what = `Machine ${machine.metadata.name} is made: ${count} of the new template of ${name}`;
    accuse('nothing beyond the step', `${what}, and the steps so far allow ${era.most}`);
  }

  #seeTaken({ metadata: { name } }: MachineDeploymentObject, machine: MachineObject): void {
    const moments = this.#recent(name);
    const [era, held] = [this.#eras.get(name), moments.at(-1)?.held];
    if (era === undefined || hashOf(machine) === era.hash || isMarked(machine) || held === undefined) return;
    if (moments.some((moment) => moment.held === undefined)) return;
    const active = Math.max(...moments.map((moment) => moment.active));
    const kept = Math.min(...moments.map((moment) => moment.kept));
    if (active > kept) return;
    this.#options.accuse(held, `Machine ${machine.metadata.name} of ${name} is taken: there were ${active} of ${kept}`);
  }

  #recent(name: string): readonly Moment[] {
    return withinLook(this.#moments.get(name) ?? [], this.#options.now());
  }

  #note(stored: MachineDeploymentObject): void {
    const { machineDeployment: deployment, status } = openshift.machineDeployment.read(stored);
    const { name } = deployment.ref;
    const machines = this.#activeOf(name);
    const { replicas, strategy } = deployment;
    const passed = status.step?.templateHash === deployment.templateHash ? status.step.passed : 0;
    const surge = strategy.type === 'RollingUpdate' ? scaledValue(strategy.maxSurge, replicas, Math.ceil) : 0;
    const held = heldBy(stored, deployment, passed, status.completeTemplateHash);
    const sets = this.#options.api.all<MachineSetObject>(MACHINE_SETS).filter((set) => isOf(set, stored));
    const filled = sets.filter((set) => set.spec.replicas !== 0).map(hashOf);
    const isOneSet = new Set(machines.map(hashOf)).size <= 1;
    const moment: Moment = {
      at: this.#options.now(),
      hash: deployment.templateHash,
      filled: new Set([...filled, ...machines.map(hashOf)]),
      active: machines.length,
      kept: isOneSet ? replicas : replicas + surge,
      ...given({ held }),
    };
    this.#moments.set(name, [...this.#recent(name), moment]);
    const isComplete = status.completeTemplateHash === deployment.templateHash;
    this.#noteEra(deployment, { machines, sets, passed, isComplete });
  }

  /** Only of a template that is new: what is left of one that people went back to may be more than its steps allow. */
  #noteEra(
    { ref, replicas, strategy, templateHash: hash }: MachineDeployment,
    { machines, sets, passed, isComplete }: Seen,
  ): void {
    const known = this.#eras.get(ref.name);
    const isKnown = sets.some((set) => hashOf(set) === hash);
    const era = known?.hash === hash ? known : { hash, replicas, most: isKnown || known === undefined ? Infinity : 0 };
    this.#eras.set(ref.name, era);
    const hasOld =
      machines.some((machine) => hashOf(machine) !== hash) &&
      sets.some((set) => hashOf(set) !== hash && set.spec.replicas !== 0);
    const { steps } = strategy;
    // Where people want more, a rollout that waits grows in proportion.
    const isFree = passed >= steps.length || isComplete || !hasOld || replicas > era.replicas;
    const allowed = steps
      .slice(0, passed + 1)
      .map((step) =>
        step.kind === 'machines' ? Math.min(replicas, scaledValue(step.machines, replicas, Math.ceil)) : 0,
      );
    era.most = isFree ? Infinity : Math.max(era.most, ...allowed);
  }

  #deployments(): readonly MachineDeploymentObject[] {
    return this.#options.api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS);
  }

  #activeOf(pool: string): readonly MachineObject[] {
    return this.#options.api
      .all<MachineObject>(MACHINES)
      .filter(({ metadata }) => metadata.labels?.['pool'] === pool && metadata.deletionTimestamp === undefined);
  }
}

function heldBy(
  { status }: MachineDeploymentObject,
  { isRolloutPaused, strategy, templateHash }: MachineDeployment,
  passed: number,
  complete: string | undefined,
): Held | undefined {
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
  const hasFailed = progress?.status === 'False' && FAILURES.includes(progress.reason ?? '');
  if (isRolloutPaused) return hasFailed ? 'nothing is taken after a stop' : 'a paused rollout stands';
  if (!strategy.mayReplace) return 'Never takes none';
  const waits = strategy.steps[passed]?.kind;
  const isWaiting = complete !== templateHash && (waits === 'pause' || waits === 'approval');
  return isWaiting ? 'a step waits' : undefined;
}

function isOf({ metadata }: MachineSetObject, deployment: MachineDeploymentObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid) === true;
}

function hashOf({ metadata }: Pick<MachineObject | MachineSetObject, 'metadata'>): string | undefined {
  return metadata.labels?.[TEMPLATE_HASH_LABEL];
}
