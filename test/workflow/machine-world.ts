import { ApplicationFailure } from '@temporalio/common';
import type {
  BalanceAnswer,
  BalanceInstance,
  EndSurplusInstance,
  FindInstances,
  JoinNode,
  LaunchAnswer,
  LaunchInstance,
  LookAtInstance,
  LetGo,
  LetGoAnswer,
  LookAtLeftover,
  MachineActivities,
  MachineEvent,
  MachineTarget,
  ObserveMachine,
  NotCalled,
  PrepareAnswer,
  PrepareLaunch,
  RecordInstance,
  SurplusAnswer,
  TerminateInstance,
  WriteMachineStatus,
} from '../../workflows/machine/machine-activities.ts';
import type { EventActivities } from '../../workflows/event-activities.ts';
import type { Machine, MachineStatus, PreparedLaunch } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Idempotency, Instance } from '../../providers/provider.ts';
import { pickInstance } from '../../workflows/machine/instance-facts.ts';
import type { CloudFailure } from '../../workflows/machine/launch-record.ts';
import { DEFAULT_MACHINE_SETTINGS, type MachineSettings } from '../../workflows/machine/settings.ts';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import { makesRoom, whatChanged } from '../../activities/launch-guards.ts';
import { asStored } from './as-stored.ts';
import { sightingOf, type FakeNode } from './fake-node.ts';

/** What a call to launch comes to: an instance, with or without the answer arriving; silence about nothing; an error. */
export type LaunchFate =
  | 'instance'
  | 'unansweredInstance'
  | 'unansweredNothing'
  | CloudFailure
  | FailureWithInstance
  | NotCalled;

const PLACE = { zone: 'zone-a', instanceType: 'small' };

/** An error that comes back although an instance was made, which look-ups show only some time later. */
export interface FailureWithInstance {
  readonly failure: CloudFailure;
  readonly hiddenForMs: number;
}

export interface Call {
  readonly at: number;
  readonly name: keyof MachineActivities;
  readonly token?: string;
  readonly attempt?: number;
  readonly lookFirst?: boolean;
  readonly trustToken?: boolean | undefined;
}

const CHANGED: CloudFailure = {
  code: 'Aborted',
  retryClass: 'soon',
  message: 'the Machine changed',
  provesNoInstance: false,
  tokenTerminated: false,
};
/** The first look at the Machine sets the time of its creation. */
const JUST_NOW = '';

/** One Machine object, its cloud and its Node, in memory: everything the machine's workflow can reach. */
export class MachineWorld implements MachineActivities, EventActivities {
  readonly ref: ObjectRef;
  readonly settings: MachineSettings;
  /** Undefined: the object is gone. */
  object: Machine | undefined;
  instances: Instance[] = [];
  nodes: FakeNode[] = [];
  readonly calls: Call[] = [];
  readonly events: MachineEvent[] = [];
  /** Every status that was written, oldest first. */
  readonly statuses: MachineStatus[] = [];
  fateOf: (call: number) => LaunchFate = () => 'instance';
  hasSecret = true;
  /** Names of the load balancers in the spec. */
  loadBalancers: string[] = [];
  balancerFailure: CloudFailure | undefined;
  /** Load balancer → the instance behind it. */
  readonly behind = new Map<string, string>();
  /** What is wrong with the spec, by its hash. */
  readonly invalidSpecs = new Map<string, { field: string; message: string }>();
  /** Set: the next call of this activity fails for good, with this type. */
  failNext: { readonly name: keyof MachineActivities; readonly type: string } | undefined;
  /** Set: looks at the instance fail so. */
  lookFailure: CloudFailure | undefined;
  /** A Node says that it is this Machine's, of which the Machine says nothing. */
  isNamedByNode = false;
  /** Set: a look-up shows an instance that may not be adopted. */
  another: string | undefined;
  /** What the API server says when the Machine is to go, once. */
  letGoFailure: string | undefined;
  /** What the cloud answers to the next request to terminate. */
  terminationFailure: CloudFailure | undefined;
  /** Set: the instance is another Machine's. */
  foreign: string | undefined;
  /** So many terminations are answered as if the cloud did not know the instance. */
  terminateLags = 0;
  /** Set: so the cloud fails what a launch is prepared with. */
  resolveFailure: CloudFailure | undefined;
  /** Set: the cloud shows so little that nobody trusts it. */
  doubt: string | undefined;
  /** Whether a repeat under the same token is the same call to the cloud. */
  idempotency: Idempotency = 'token';
  /** Whether the cloud has regions, zones and types. */
  hasPlacement = true;
  /** How long ago looks that are answered now were asked for, in milliseconds. */
  lookAgoMs: number | undefined;
  /** Instances end some looks after they were asked to. */
  looksUntilTerminated = 1;
  /** Instances of other Machines: look-ups by uid and token do not show them. */
  readonly foreignInstances = new Set<string>();
  /** Why calls to launch were not sent, as they came. */
  readonly refusedCalls: string[] = [];
  /** Instance → from when on look-ups by uid and token show it; those that are not in here show at once. */
  readonly shownFrom = new Map<string, number>();
  /** What the next look-up by uid and token comes to, by its number from 1; undefined: it is answered. */
  findFailureOf: (look: number) => CloudFailure | undefined = () => undefined;
  private readonly now: () => Promise<number>;
  private looksLeft = 0;

  constructor(name: string, now: () => Promise<number>, settings: Partial<MachineSettings> = {}) {
    this.now = now;
    this.settings = { ...DEFAULT_MACHINE_SETTINGS, ...settings };
    this.ref = {
      apiVersion: 'machine.openshift.io/v1beta1',
      kind: 'Machine',
      namespace: 'default',
      name,
      uid: `uid-of-${name}`,
    };
    this.object = {
      ref: this.ref,
      generation: 1,
      createdAt: JUST_NOW,
      hasFinalizer: true,
      owner: 'its-set',
      madeBySet: true,
      paused: false,
      cluster: 'c1',
      specHash: 'spec-1',
      status: { addresses: [], conditions: [] },
    };
  }

  get status(): MachineStatus {
    return this.object?.status ?? this.statuses.at(-1) ?? { addresses: [], conditions: [] };
  }

  get launches(): readonly Call[] {
    return this.calls.filter((c) => c.name === 'launchInstance');
  }

  called(name: keyof MachineActivities): number {
    return this.calls.filter((c) => c.name === name).length;
  }

  condition(type: string): MachineStatus['conditions'][number] | undefined {
    return this.status.conditions.find((c) => c.type === type);
  }

  change(changes: Partial<Machine>): void {
    if (this.object === undefined) throw new Error('the object is gone');
    this.object = { ...this.object, ...changes };
  }

  /** The kubelet of the machine's only instance registers. */
  nodeRegisters(ready: FakeNode['ready'] = 'True'): void {
    const [instance] = this.instances;
    if (instance === undefined) throw new Error('there is no instance');
    const name = `node-of-${this.ref.name}`;
    this.nodes = [{ name, uid: `uid-of-${name}`, providerID: instance.providerID, ready, inSync: false }];
  }

  /** @param id @default all of them */
  setInstanceState(state: Instance['state'], id?: string): void {
    this.instances = this.instances.map((i) => (id === undefined || i.id === id ? { ...i, state } : i));
  }

  addInstance(token?: string, at = 0): Instance {
    const id = `i-${this.ref.name}-${this.instances.length + 1}`;
    const instance: Instance = {
      id,
      providerID: `simulated:///zone-a/${id}`,
      state: 'running',
      ...(this.hasPlacement ? { region: 'region-1', ...PLACE } : {}),
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      machineUid: this.ref.uid,
      launchedAt: new Date(at).toISOString(),
      ...(token === undefined ? {} : { token }),
    };
    this.instances.push(instance);
    return instance;
  }

  async observeMachine({ isFirst }: ObserveMachine): ReturnType<MachineActivities['observeMachine']> {
    const at = await this.note('observeMachine');
    if (this.object === undefined) return { found: false };
    if (this.object.createdAt === JUST_NOW) this.change({ createdAt: new Date(at).toISOString() });
    const { nodeRef } = this.object.status;
    const node = this.nodes.find((n) => n.uid === nodeRef?.uid);
    return {
      found: true,
      machine: this.object,
      provider: 'simulated',
      settings: this.settings,
      ...(isFirst === true && this.isNamedByNode ? { isNamedByNode: true as const } : {}),
      ...(node === undefined ? {} : { node: sightingOf(node) }),
    };
  }

  async prepareLaunch(request: PrepareLaunch): Promise<PrepareAnswer> {
    const { attempt, status } = request;
    const at = await this.note('prepareLaunch', { attempt });
    const object = this.requireObject();
    if (object.deletedAt !== undefined || object.paused) return { outcome: 'changed' };
    if (object.providerID !== undefined || object.status.instance !== undefined) {
      return { outcome: 'changed' };
    }
    const stored = object.status.launch;
    if (stored !== undefined && !makesRoom(stored, request)) {
      return { outcome: 'prepared', launch: stored, found: true };
    }
    if (this.resolveFailure !== undefined) return { outcome: 'failed', failure: this.resolveFailure };
    const invalid = this.invalidSpecs.get(object.specHash);
    if (invalid !== undefined) return { outcome: 'invalid', ...invalid };
    if (!this.hasSecret)
      return { outcome: 'missing', reason: 'SecretMissing', message: 'Secret default/user-data does not exist' };
    const launch: PreparedLaunch = {
      attempt,
      token: `token-${attempt}`,
      preparedAt: new Date(at).toISOString(),
      specHash: object.specHash,
      parameters: {
        provider: 'simulated',
        credentials: { namespace: 'default' },
        ...(this.hasPlacement ? PLACE : {}),
        ...(this.loadBalancers.length === 0
          ? {}
          : { loadBalancers: this.loadBalancers.map((name) => ({ name, type: 'network' as const })) }),
        request: {},
      },
      idempotency: this.idempotency,
    };
    this.store({ ...status, launch });
    return { outcome: 'prepared', launch, found: false };
  }

  async launchInstance({ launch, lookFirst, trustToken }: LaunchInstance): Promise<LaunchAnswer> {
    const { attempt, token } = launch;
    const change = whatChanged(this.requireObject(), launch);
    if (change !== undefined) {
      this.refusedCalls.push(change);
      return { outcome: 'notCalled', because: 'Changed', failure: { ...CHANGED, message: change } };
    }
    const at = await this.note('launchInstance', { attempt, token, lookFirst, trustToken });
    if (lookFirst && trustToken !== true) {
      const instance = pickInstance(this.shown(at), token);
      if (instance !== undefined) return { outcome: 'instance', instance, found: true };
    }
    const fate = this.fateOf(this.launches.length);
    if (typeof fate === 'object' && 'notSent' in fate && fate.notSent) {
      return { outcome: 'notCalled', because: 'NotSent', failure: fate };
    }
    const silence = ApplicationFailure.nonRetryable('the connection broke', 'Silence');
    if (fate === 'unansweredNothing') throw silence;
    if (typeof fate === 'object' && 'because' in fate) return fate;
    if (typeof fate === 'object' && 'code' in fate) return { outcome: 'refused', failure: fate, calledAt: at };
    const made = this.idempotency === 'token' ? this.instances.find((i) => i.token === token) : undefined;
    const instance = made ?? this.addInstance(token, at);
    if (fate === 'unansweredInstance') throw silence;
    if (fate === 'instance') return { outcome: 'instance', instance, found: false };
    this.shownFrom.set(instance.id, at + fate.hiddenForMs);
    return { outcome: 'refused', failure: fate.failure, calledAt: at };
  }

  async findInstances({ token }: FindInstances): ReturnType<MachineActivities['findInstances']> {
    const at = await this.note('findInstances', token === undefined ? {} : { token });
    const failure = this.findFailureOf(this.called('findInstances'));
    if (failure !== undefined) return { outcome: 'failed', failure };
    const { another } = this;
    if (another !== undefined) return { outcome: 'answered', instances: [], another, lookedAt: at };
    return { outcome: 'answered', instances: this.foreign === undefined ? this.shown(at) : [], lookedAt: at };
  }

  /** The instances that a look-up by uid and token shows by now. */
  private shown(now: number): readonly Instance[] {
    return this.instances.filter(({ id }) => !this.foreignInstances.has(id) && (this.shownFrom.get(id) ?? 0) <= now);
  }

  async lookAtInstance({ id }: Pick<LookAtInstance, 'id'>): ReturnType<MachineActivities['lookAtInstance']> {
    await this.note('lookAtInstance');
    if (this.lookFailure !== undefined) return { outcome: 'failed', failure: this.lookFailure };
    if (this.foreign !== undefined) return { outcome: 'foreign', message: this.foreign };
    if (this.looksLeft > 0 && --this.looksLeft === 0) this.setInstanceState('terminated', id);
    const instance = this.instances.find((i) => i.id === id);
    if (instance !== undefined) return { outcome: 'found', instance };
    const asked = this.lookAgoMs === undefined ? {} : { agoMs: this.lookAgoMs };
    return this.doubt === undefined ? { outcome: 'absent', ...asked } : { outcome: 'untrusted', message: this.doubt };
  }

  async lookAtLeftover({ id }: LookAtLeftover): ReturnType<MachineActivities['lookAtLeftover']> {
    await this.note('lookAtLeftover');
    const instance = this.instances.find((i) => i.id === id);
    if (instance === undefined) return { outcome: 'unknown' };
    return { outcome: instance.state === 'terminated' ? 'gone' : 'there' };
  }

  async recordInstance({ instance, replaces, status, event }: RecordInstance): Promise<void> {
    await this.note('recordInstance');
    const { providerID: named = instance.providerID } = this.requireObject();
    // As admission has it: nobody changes one.
    if (replaces !== true && named.split('/').at(-1) !== instance.id) {
      throw ApplicationFailure.nonRetryable('spec.providerID cannot be changed', KUBERNETES_REFUSED);
    }
    this.change({ providerID: instance.providerID, hasFinalizer: true });
    this.store(status, event);
  }

  async addFinalizer(_target: MachineTarget): Promise<void> {
    await this.note('addFinalizer');
    this.change({ hasFinalizer: true });
  }

  async endSurplusInstance({ id }: EndSurplusInstance): Promise<SurplusAnswer> {
    await this.note('endSurplusInstance');
    const instance = this.instances.find((i) => i.id === id);
    if (instance?.token === undefined) return { outcome: 'left', message: 'its token is not of this Machine' };
    this.instances = this.instances.map((i) => (i.id === id ? { ...i, state: 'terminated' } : i));
    return { outcome: 'ended' };
  }

  async joinNode(_request: JoinNode): ReturnType<MachineActivities['joinNode']> {
    await this.note('joinNode');
    const { instance } = this.status;
    const node = this.nodes.find((n) => n.providerID.split('/').at(-1) === instance?.id);
    if (node === undefined) return { outcome: 'none' };
    node.inSync = true;
    return { outcome: 'joined', node: sightingOf(node) };
  }

  async writeMachineStatus({ status, event }: WriteMachineStatus): Promise<void> {
    await this.note('writeMachineStatus');
    this.store(status, event);
  }

  async attachLoadBalancers({ id }: BalanceInstance): Promise<BalanceAnswer> {
    await this.note('attachLoadBalancers');
    if (this.balancerFailure !== undefined) return { outcome: 'failed', failure: this.balancerFailure };
    for (const name of this.loadBalancers) this.behind.set(name, id);
    return { outcome: 'done', loadBalancers: this.loadBalancers };
  }

  async detachLoadBalancers(_request: BalanceInstance): Promise<BalanceAnswer> {
    await this.note('detachLoadBalancers');
    if (this.balancerFailure !== undefined) return { outcome: 'failed', failure: this.balancerFailure };
    this.behind.clear();
    return { outcome: 'done', loadBalancers: this.loadBalancers };
  }

  async terminateInstance({ id }: TerminateInstance): ReturnType<MachineActivities['terminateInstance']> {
    const { terminationFailure: failure } = this;
    await this.note('terminateInstance');
    if (failure !== undefined) {
      this.terminationFailure = undefined;
      return { outcome: 'failed', failure };
    }
    if (this.terminateLags-- > 0 || !this.instances.some((i) => i.id === id)) return { outcome: 'unknownInstance' };
    this.setInstanceState('shutting-down', id);
    this.looksLeft = this.looksUntilTerminated;
    const look = await this.lookAtInstance({ id });
    return { outcome: 'asked', state: look.outcome === 'found' ? look.instance.state : 'shutting-down' };
  }

  async letGo({ event }: LetGo): Promise<LetGoAnswer> {
    await this.note('letGo');
    if (this.letGoFailure !== undefined) {
      const message = this.letGoFailure;
      this.letGoFailure = undefined;
      return { outcome: 'failed', message };
    }
    this.nodes = [];
    this.object = undefined;
    if (event !== undefined) this.events.push(event);
    return { outcome: 'done' };
  }

  async reportSuspectedOrphan(_request: MachineTarget & { readonly message: string }): Promise<void> {
    await this.note('reportSuspectedOrphan');
  }

  async reportEvent({ event }: MachineTarget & { readonly event: MachineEvent }): Promise<void> {
    this.events.push(event);
  }

  private async note(name: Call['name'], more: Partial<Call> = {}): Promise<number> {
    const at = await this.now();
    this.calls.push({ at, name, ...more });
    if (this.failNext?.name === name) {
      const { type } = this.failNext;
      this.failNext = undefined;
      throw ApplicationFailure.nonRetryable(`${name} failed`, type);
    }
    return at;
  }

  private requireObject(): Machine {
    if (this.object !== undefined) return this.object;
    throw ApplicationFailure.nonRetryable('the Machine is gone', OBJECT_CHANGED);
  }

  private store(status: MachineStatus, event?: MachineEvent): void {
    this.requireObject();
    const stored = asStored(status);
    this.change({ status: stored });
    this.statuses.push(stored);
    if (event !== undefined) this.events.push(event);
  }
}
