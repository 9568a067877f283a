import { ApplicationFailure } from '@temporalio/common';
import type {
  BalanceAnswer,
  BalanceInstance,
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
  PrepareAnswer,
  PrepareLaunch,
  RecordInstance,
  TerminateInstance,
  WriteMachineStatus,
} from '../../workflows/machine/machine-activities.ts';
import type { EventActivities } from '../../workflows/event-activities.ts';
import type { Machine, MachineStatus, PreparedLaunch } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Instance } from '../../providers/provider.ts';
import { pickInstance } from '../../workflows/machine/instance-facts.ts';
import type { CloudFailure } from '../../workflows/machine/launch-record.ts';
import { DEFAULT_MACHINE_SETTINGS, type MachineSettings } from '../../workflows/machine/settings.ts';
import { OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import { asStored } from './as-stored.ts';
import { sightingOf, type FakeNode } from './fake-node.ts';

/** What a call to launch comes to: an instance, with or without the answer arriving; silence about nothing; an error. */
export type LaunchFate = 'instance' | 'unansweredInstance' | 'unansweredNothing' | CloudFailure;

export interface Call {
  readonly at: number;
  readonly name: keyof MachineActivities;
  readonly token?: string;
  readonly attempt?: number;
  readonly lookFirst?: boolean;
  readonly trustToken?: boolean | undefined;
}

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
  /** Instances end some looks after they were asked to. */
  looksUntilTerminated = 1;
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
      createdAt: '2026-01-01T00:00:00.000Z',
      hasFinalizer: true,
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

  setInstanceState(state: Instance['state']): void {
    this.instances = this.instances.map((i) => ({ ...i, state }));
  }

  addInstance(token?: string, at = 0): Instance {
    const id = `i-${this.ref.name}-${this.instances.length + 1}`;
    const instance: Instance = {
      id,
      providerID: `simulated:///zone-a/${id}`,
      state: 'running',
      region: 'region-1',
      zone: 'zone-a',
      instanceType: 'small',
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      machineUid: this.ref.uid,
      launchedAt: new Date(at).toISOString(),
      ...(token === undefined ? {} : { token }),
    };
    this.instances.push(instance);
    return instance;
  }

  async observeMachine(_target: MachineTarget): ReturnType<MachineActivities['observeMachine']> {
    await this.note('observeMachine');
    if (this.object === undefined) return { found: false };
    const { nodeRef } = this.object.status;
    const node = this.nodes.find((n) => n.uid === nodeRef?.uid);
    return {
      found: true,
      machine: this.object,
      provider: 'simulated',
      settings: this.settings,
      shortDeletion: true,
      ...(node === undefined ? {} : { node: sightingOf(node) }),
    };
  }

  async prepareLaunch({ attempt, replace, status }: PrepareLaunch): Promise<PrepareAnswer> {
    const at = await this.note('prepareLaunch', { attempt });
    const object = this.requireObject();
    if (object.deletedAt !== undefined || object.paused || object.providerID !== undefined) {
      return { outcome: 'changed' };
    }
    const stored = object.status.launch;
    if (stored !== undefined && (stored.attempt > attempt || (stored.attempt === attempt && !replace))) {
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
        zone: 'zone-a',
        instanceType: 'small',
        ...(this.loadBalancers.length === 0
          ? {}
          : { loadBalancers: this.loadBalancers.map((name) => ({ name, type: 'network' as const })) }),
        request: {},
      },
    };
    this.store({ ...status, launch });
    return { outcome: 'prepared', launch, found: false };
  }

  async launchInstance({ launch, lookFirst, trustToken }: LaunchInstance): Promise<LaunchAnswer> {
    const { attempt, token } = launch;
    const at = await this.note('launchInstance', {
      attempt,
      token,
      lookFirst,
      trustToken,
    });
    if (lookFirst && trustToken !== true) {
      const instance = pickInstance(this.instances, token);
      if (instance !== undefined) return { outcome: 'instance', instance, found: true };
    }
    const fate = this.fateOf(this.launches.length);
    if (typeof fate === 'object') {
      if (fate.notSent === true) return { outcome: 'notCalled', because: 'NotSent', failure: fate };
      return { outcome: 'refused', failure: fate };
    }
    const silence = ApplicationFailure.nonRetryable('the connection broke', 'Silence');
    if (fate === 'unansweredNothing') throw silence;
    const instance = this.instances.find((i) => i.token === token) ?? this.addInstance(token, at);
    if (fate === 'unansweredInstance') throw silence;
    return { outcome: 'instance', instance, found: false };
  }

  async findInstances({ token }: FindInstances): ReturnType<MachineActivities['findInstances']> {
    await this.note('findInstances', token === undefined ? {} : { token });
    return { outcome: 'answered', instances: this.instances };
  }

  async lookAtInstance({ id }: Pick<LookAtInstance, 'id'>): ReturnType<MachineActivities['lookAtInstance']> {
    await this.note('lookAtInstance');
    if (this.lookFailure !== undefined) return { outcome: 'failed', failure: this.lookFailure };
    if (this.foreign !== undefined) return { outcome: 'foreign', message: this.foreign };
    if (this.looksLeft > 0 && --this.looksLeft === 0) this.setInstanceState('terminated');
    const instance = this.instances.find((i) => i.id === id);
    if (instance !== undefined) return { outcome: 'found', instance };
    return this.doubt === undefined ? { outcome: 'absent' } : { outcome: 'untrusted', message: this.doubt };
  }

  async lookAtLeftover({ id }: LookAtLeftover): ReturnType<MachineActivities['lookAtLeftover']> {
    await this.note('lookAtLeftover');
    const instance = this.instances.find((i) => i.id === id);
    if (instance === undefined) return { outcome: 'unknown' };
    return { outcome: instance.state === 'terminated' ? 'gone' : 'there' };
  }

  async recordInstance({ instance, status, event }: RecordInstance): Promise<void> {
    await this.note('recordInstance');
    this.change({ providerID: instance.providerID });
    this.store(status, event);
  }

  async joinNode({ providerID }: JoinNode): ReturnType<MachineActivities['joinNode']> {
    await this.note('joinNode');
    const node = this.nodes.find((n) => n.providerID === providerID);
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

  async terminateInstance({ id, lookAfterMs }: TerminateInstance): ReturnType<MachineActivities['terminateInstance']> {
    const { terminationFailure: failure } = this;
    await this.note('terminateInstance');
    if (failure !== undefined) {
      this.terminationFailure = undefined;
      return { outcome: 'failed', failure };
    }
    if (this.terminateLags-- > 0 || !this.instances.some((i) => i.id === id)) return { outcome: 'unknownInstance' };
    this.setInstanceState('shutting-down');
    this.looksLeft = this.looksUntilTerminated;
    if (lookAfterMs === undefined) return { outcome: 'asked', state: 'shutting-down' };
    const look = await this.lookAtInstance({ id });
    return { outcome: 'asked', state: look.outcome === 'found' ? look.instance.state : 'shutting-down' };
  }

  async deleteNode(_target: MachineTarget): Promise<void> {
    await this.note('deleteNode');
    this.nodes = [];
  }

  async removeFinalizer(_target: MachineTarget): Promise<void> {
    await this.note('removeFinalizer');
    this.object = undefined;
  }

  async letGo({ event, ...target }: LetGo): Promise<LetGoAnswer> {
    if (this.letGoFailure !== undefined) {
      const message = this.letGoFailure;
      this.letGoFailure = undefined;
      return { outcome: 'failed', message };
    }
    await this.deleteNode(target);
    await this.removeFinalizer(target);
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
