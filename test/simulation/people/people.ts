import type { ClusterObject } from '../../../k8s/api/machine.openshift.io/cluster.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { CLUSTERS, MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { CloudError } from '../../../devstack/doubles/cloud/cloud-error.ts';
import { aMachine, type MachineFacts } from '../../world/builders/a-machine.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { CREDENTIALS, putSecret, USER_DATA } from '../cluster/marked-secrets.ts';
import type { Random } from '../time/random.ts';
import type { Universe } from '../universe.ts';
import { endWhatIsAbandoned } from './cloud-deeds.ts';
import { undoRolls } from './deployment-deeds.ts';
import { letDrain } from './drain-deeds.ts';
import { DEEDS, drawDeed, type Habits } from './habits.ts';
import { letHeal } from './health-deeds.ts';
import { Lately } from './lately.ts';
import { letRoll } from './rollout-deeds.ts';
import { bringUpNodes } from './settings-deeds.ts';
import { given } from '../../../providers/given.ts';

/** Those who use the cluster, and those who break it. */
export class People {
  readonly universe: Universe;
  readonly random: Random;
  readonly mostReplicas: number;
  /** uids of Machines whose object was taken away by force, or whose record was: what is left of them nobody can know. */
  readonly forced = new Set<string>();
  /** When our finalizer was last taken from a Machine, by its uid. */
  readonly stripped = new Map<string, number>();
  /** uids of Machines that they deleted, one by one. */
  readonly deleted = new Set<string>();
  /** By the uids of Machines that came back from a backup: those that they had before. */
  readonly restored = new Map<string, string>();
  /** How many replicas a set was asked for: by uid. */
  readonly asked = new Lately<number>();
  /** What a set's Machines are made from, as JSON: by uid. */
  readonly templates = new Lately<string>();
  /** Whether a Machine (by uid) or a Cluster (by name) is paused. */
  readonly paused = new Lately<boolean>(false);
  /** Whether a Machine has a hook, by its uid and the point. */
  readonly hooks = new Lately<boolean>(false);
  /** Whether a drain is forced at its time-out, by the Machine's uid. */
  readonly forces = new Lately<boolean>(false);
  /** uids of Nodes that they cordoned themselves, which stay so until they uncordon them. */
  readonly cordoned = new Set<string>();
  /** When they last uncordoned a Node, by its uid. */
  readonly uncordoned = new Map<string, number>();
  /** Deployments whose roll they undid. */
  readonly undone = new Set<string>();
  /** What they wrote to Nodes, one word each, by the Node's uid. */
  readonly marked = new Map<string, readonly string[]>();
  /** Of that, what was there already. */
  readonly unsure = new Map<string, readonly string[]>();
  readonly #habits: Habits;
  #count = 0;
  #isOver = false;

  constructor(universe: Universe, habits: Habits, random: Random) {
    this.universe = universe;
    this.#habits = habits;
    this.random = random;
    this.mostReplicas = habits.mostReplicas;
    for (const secret of universe.hasCredentials ? [USER_DATA, CREDENTIALS] : [USER_DATA])
      putSecret(universe.api, secret);
    endWhatIsAbandoned(this);
    undoRolls(this);
    bringUpNodes(this);
    this.#plan();
  }

  /** True: they are not at work any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get others() {
    return this.universe.api.others;
  }

  get now(): number {
    return this.universe.agenda.now;
  }

  /** They go home: what is paused is resumed, what is stopped is started. */
  async goHome(): Promise<void> {
    this.#isOver = true;
    for (const { metadata } of this.machines()) {
      if (metadata.annotations?.[PAUSED_ANNOTATION] !== undefined) await this.pauseMachine(metadata, false);
    }
    for (const { metadata } of this.universe.api.all<ClusterObject>(CLUSTERS)) {
      await this.pauseCluster(metadata.name, false);
    }
    await letDrain(this);
    await letHeal(this);
    await letRoll(this);
    const { cloud } = this.universe;
    for (const { id, state } of cloud.living()) if (state === 'stopped') cloud.byHand('start', id);
  }

  /** The uid that a Machine had first, before it came back from any backup. */
  firstUidOf(uid: string): string {
    const before = this.restored.get(uid);
    return before === undefined ? uid : this.firstUidOf(before);
  }

  /** A number that no other has. */
  nextNumber(): number {
    return (this.#count += 1);
  }

  /** @param machineClass what its Machines are made from. @default the cloud's smallest */
  async createSet(name: string, replicas: number, machineClass?: string): Promise<void> {
    const providerSpec =
      machineClass === undefined ? { value: this.value } : { valueFrom: { machineClass: { name: machineClass } } };
    const { status: _none, ...set } = aMachineSet({ name, replicas });
    set.spec.template = { ...set.spec.template, spec: { providerSpec } };
    this.#noteSet(await this.others.create<MachineSetObject>(MACHINE_SETS, NAMESPACE, written(set)));
    this.tell(`creates MachineSet ${name} of ${replicas}`);
  }

  async createMachine(name = `single-${this.nextNumber()}`, facts: MachineFacts = {}): Promise<void> {
    const machine = aMachine({ name, value: this.value, ...facts });
    await this.others.create(MACHINES, NAMESPACE, written(machine));
    this.tell(`creates Machine ${name}`);
  }

  /** As a backup has it: without its status, under a uid of its own. */
  async restoreMachine({ apiVersion, kind, metadata, spec }: MachineObject): Promise<void> {
    const { name, namespace, labels, annotations, ownerReferences, finalizers, uid } = metadata;
    const { providerID: _named, ...unnamed } = spec;
    const restored = await this.others.create<MachineObject>(MACHINES, NAMESPACE, {
      apiVersion,
      kind,
      metadata: { name, namespace, labels, annotations, ownerReferences, finalizers },
      spec: this.random.chance(0.5) ? spec : unnamed,
    });
    this.tell(`restores Machine ${name} from a backup, ${restored.spec.providerID ?? 'without its providerID'}`);
    this.restored.set(restored.metadata.uid, uid);
    if (annotations?.[PAUSED_ANNOTATION] !== undefined) this.paused.note(restored.metadata.uid, true, this.now);
  }

  async deleteMachine(name: string): Promise<void> {
    this.tell(`deletes Machine ${name}`);
    const machine = this.universe.api.peek(MACHINES, NAMESPACE, name);
    if (machine !== undefined) this.deleted.add(machine.metadata.uid);
    await this.others.delete(MACHINES, NAMESPACE, name);
  }

  async scale(name: string, replicas: number): Promise<void> {
    this.tell(`scales ${name} to ${replicas}`);
    await this.patchSet(name, { spec: { replicas } });
  }

  async patchSet(name: string, patch: object): Promise<void> {
    this.#noteSet(await this.others.mergePatch<MachineSetObject>(MACHINE_SETS, NAMESPACE, name, patch));
  }

  async pauseMachine({ name, uid }: Pick<MachineObject['metadata'], 'name' | 'uid'>, pauses: boolean): Promise<void> {
    this.tell(`${pauses ? 'pauses' : 'resumes'} Machine ${name}`);
    await this.patch(MACHINES, name, { metadata: { annotations: { [PAUSED_ANNOTATION]: pauses ? '' : null } } });
    this.paused.note(uid, pauses, this.now);
  }

  async pauseCluster(name: string, pauses: boolean): Promise<void> {
    this.tell(`${pauses ? 'pauses' : 'resumes'} Cluster ${name}`);
    await this.patch(CLUSTERS, name, { spec: { paused: pauses } });
    this.paused.note(name, pauses, this.now);
  }

  async patch(resource: Resource, name: string, patch: object): Promise<void> {
    await this.others.mergePatch(resource, NAMESPACE, name, patch);
  }

  machines(): MachineObject[] {
    return this.universe.api.all<MachineObject>(MACHINES);
  }

  sets(): MachineSetObject[] {
    return this.universe.api.all<MachineSetObject>(MACHINE_SETS);
  }

  tell(what: string): void {
    this.universe.story.tell('people', what);
  }

  /** Some time later, unless they went home. What does not work they leave. */
  later(ms: number, act: () => Promise<void>): void {
    this.universe.agenda.after(ms, () => void (this.#isOver || this.#try(act)));
  }

  /** As {@link later}, one after the other, the first at once. */
  inTurn<T>(items: readonly T[], betweenMs: number, act: (item: T) => Promise<void>): void {
    for (const [index, item] of items.entries()) this.later(index * betweenMs, () => act(item));
  }

  /** Soon after an object of this name is gone. */
  whenGone({ plural }: Resource, name: string, act: () => Promise<void>): void {
    const stop = this.universe.api.store.onChange(({ type, resource, object }) => {
      if (type !== 'DELETED' || resource.plural !== plural || object.metadata.name !== name) return;
      stop();
      this.later(this.random.around(500), act);
    });
  }

  /** What they write as providerSpec.value. */
  get value() {
    const { cloud, hasCredentials } = this.universe;
    const credentials = hasCredentials ? { credentialsSecret: CREDENTIALS } : {};
    return { ...cloud.written.spec, ...credentials, userDataSecret: USER_DATA };
  }

  #noteSet({ metadata: { uid }, spec }: MachineSetObject): void {
    this.asked.note(uid, spec.replicas ?? 1, this.now);
    this.templates.note(uid, templateOf(spec.template?.spec), this.now);
  }

  #plan(): void {
    const { perMinute } = this.#habits;
    if (perMinute === 0) return;
    this.universe.agenda.after(this.random.around(60_000 / perMinute), () => {
      if (this.#isOver) return;
      const deed = drawDeed(this.random, this.#habits);
      if (deed !== undefined) void this.#try(async () => DEEDS[deed](this));
      this.#plan();
    });
  }

  async #try(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof KubeError || error instanceof CloudError)) throw error;
    }
  }
}

/** What of a template is in each Machine that is made from it. */
export function templateOf(spec: { readonly providerSpec?: unknown; readonly taints?: unknown } = {}): string {
  const { providerSpec, taints = [] } = spec;
  return JSON.stringify([providerSpec, taints]);
}

/** As somebody writes it: without what the API server fills in. */
export function written(object: MachineObject | Omit<MachineSetObject, 'status'>): object {
  const { name, namespace, labels } = object.metadata;
  return { ...object, metadata: { name, namespace, ...given({ labels }) } };
}
