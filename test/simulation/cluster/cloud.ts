import { readSecret } from '../../../activities/secrets.ts';
import type { CloudInstance, DescribedInstance } from '../../../devstack/doubles/cloud/cloud-instance.ts';
import type { Behaviour } from '../../../devstack/doubles/cloud/behaviour.ts';
import type { HandOperation } from '../../../devstack/doubles/cloud/by-hand.ts';
import type { CloudEngine } from '../../../devstack/doubles/cloud/engine.ts';
import { unlessGivenUp } from '../../../devstack/doubles/cloud/wire/in-memory.ts';
import type { KubeClient } from '../../../k8s/client.ts';
import type { Clock } from '../../../providers/clock.ts';
import type { Provider } from '../../../providers/provider.ts';
import type { SecretReader } from '../../../providers/secret-reader.ts';
import type { Wire, WireAnswer, WireRequest } from '../../../providers/wire.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Random } from '../time/random.ts';
import { given } from '../../../providers/given.ts';
import { QUOTING } from './marked-secrets.ts';

/** What a request asks of a cloud. */
export interface CloudCall {
  readonly action: string;
  /** The instance that it is about, where it names one. */
  readonly instance?: string | undefined;
  /** Of a launch: the Machine that it is for. */
  readonly machineUid?: string | undefined;
}

/** Whose an instance is. */
export type Owner = Pick<DescribedInstance, 'machineUid' | 'name'>;

/** What is behind a load balancer, by an instance's id or its address. */
export interface Registration {
  readonly behind: string;
  readonly target: string;
  readonly machineUid: string;
  readonly name: string;
  readonly isLiving: boolean;
}

/** A cloud as it is: where clouds differ. */
export interface CloudModel {
  readonly engine: CloudEngine;
  /** The way to it, without a network. */
  readonly wire: Wire;
  /** The product's provider. */
  providerOver(wire: Wire, clock: Clock, readSecret: SecretReader): Provider;
  read(request: WireRequest): CloudCall;
  ownerOf(tags: DescribedInstance['tags']): Owner;
  /** Launches somebody else's instance, named as if it were a Machine's; answers its id. */
  launchForeign(): Promise<string>;
  /** Those that people choose from. */
  readonly instanceTypes: readonly string[];
  /** What people write as providerSpec.value. */
  readonly spec: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown };
  /** What people write as a class's provider. */
  readonly classProvider: string;
  /** What is behind load balancers, where machines are to be. */
  readonly registrations?: () => readonly Registration[];
}

/** A cloud in this process. */
export class CloudInMemory {
  /** After each call that reached the cloud; the instance that it was about, where it names one. */
  onCall: (action: string, id: string | undefined) => void = () => {};
  /** A process sends a call to launch for the Machine with this uid. */
  onLaunchSent: (machineUid: string) => void = () => {};
  /** Ids of instances that somebody did something to by hand. */
  readonly touched = new Set<string>();
  readonly #model: CloudModel;
  readonly #viewLagMs: number;
  /** What was last said of an instance: kubelets and judges ask again and again, and little changes. */
  readonly #described = new WeakMap<CloudInstance, DescribedInstance>();

  /** @param viewLagMs how late it shows an instance at most */
  constructor(model: CloudModel, viewLagMs: number) {
    this.#model = model;
    this.#viewLagMs = viewLagMs;
  }

  /** What people write of it. */
  get written(): Pick<CloudModel, 'spec' | 'classProvider' | 'instanceTypes'> {
    return this.#model;
  }

  /** What is behind load balancers; undefined: no machine is to be. */
  registrations(): readonly Registration[] | undefined {
    return this.#model.registrations?.();
  }

  /** What runs, whatever the cloud shows of it. */
  living(): readonly DescribedInstance[] {
    const { instances } = this.#model.engine;
    return instances.live().map((instance) => this.#describe(instance, instances.stateOf(instance)));
  }

  #describe(instance: CloudInstance, state: DescribedInstance['state']): DescribedInstance {
    const known = this.#described.get(instance);
    if (known?.state === state) return known;
    const model = this.#model;
    const described = { ...model.engine.describe(instance), ...model.ownerOf(instance.tags) };
    this.#described.set(instance, described);
    return described;
  }

  byHand(operation: HandOperation, id: string): void {
    this.touched.add(id);
    this.#model.engine.byHand(operation, id);
  }

  /**
   * How it takes its time, and how far behind its views are: within what is assumed of it.
   * @param reads of how reads are answered
   * @returns how far behind its views are, in words
   */
  behave(strength: number, random: Random, reads: Random): string {
    const lag = (of: Random): number => Math.round(of.next() * this.#viewLagMs);
    const behaviour: Behaviour = {
      launchLatencyMs: Math.round(random.around(300)),
      pendingMs: Math.round(random.around(2000)),
      terminateMs: Math.round(random.around(2000)),
      visibleAfterMs: strength > 0 && random.chance(0.5) ? lag(random) : 0,
      ...given({ capacity: strength > 0 && random.chance(0.3) ? random.below(6) : undefined }),
    };
    const isReplicated = strength > 0 && reads.chance(0.4);
    const replicaLagsMs = isReplicated ? Array.from({ length: 2 + reads.below(2) }, () => lag(reads)) : [];
    // What is behind as a whole and each replica for itself would be behind by more than is assumed.
    this.#model.engine.setBehaviour('*', isReplicated ? { ...behaviour, visibleAfterMs: 0, replicaLagsMs } : behaviour);
    if (isReplicated)
      return `of ${replicaLagsMs.length} replicas, behind by ${replicaLagsMs.map(secondsOf).join(', ')} s`;
    return `behind by ${secondsOf(behaviour.visibleAfterMs ?? 0)} s`;
  }

  /** Somebody else's instance, named as if it were a Machine's; answers its id. */
  launchForeign(): Promise<string> {
    return this.#model.launchForeign();
  }

  /** The next calls that make or end an instance fail, and the answers tell what was sent. */
  quote(times: number): void {
    const failures = [{ action: '*', times, message: QUOTING }] as const;
    for (const type of this.#model.instanceTypes) this.#model.engine.setBehaviour(type, { failures });
  }

  /** From now on each call fails, or none does by that any more. */
  breakDown(isBroken: boolean): void {
    const { engine } = this.#model;
    const { failures: _any, ...set } = engine.behaviour('*').set;
    engine.setBehaviour('*', isBroken ? { ...set, failures: [{ action: '*' }] } : set);
  }

  /** From now on it has room for all, and nothing fails. */
  calmDown(): void {
    this.breakDown(false);
    const { engine, instanceTypes } = this.#model;
    const { set } = engine.behaviour('*');
    engine.setBehaviour('*', { ...set, capacity: null });
    for (const type of instanceTypes) engine.setBehaviour(type, {});
  }

  /** The product's provider, as a process has it: its calls go over that process's network. */
  providerOf(process: SimulatedProcess, kube: KubeClient): Provider {
    const readData: SecretReader = async (namespace, name) => (await readSecret(kube, namespace, name))?.data;
    const waits = new Set<() => void>();
    process.onEnd(() => waits.forEach((forget) => forget()));
    const send = (request: WireRequest): Promise<WireAnswer> => {
      const call = this.#model.read(request);
      if (process.isAlive && call.action === 'launch') this.onLaunchSent(call.machineUid ?? '');
      const answer = process.call(`cloud ${call.action}`, () => this.#carryOut(request, call));
      return unlessGivenUp(answer, request.signal, waits);
    };
    return this.#model.providerOver({ send, close: async () => {} }, process.clock, readData);
  }

  async #carryOut(request: WireRequest, { action, instance }: CloudCall): Promise<WireAnswer> {
    try {
      return await this.#model.wire.send(request);
    } finally {
      this.onCall(action, instance);
    }
  }
}

function secondsOf(ms: number): number {
  return Math.round(ms / 1000);
}
