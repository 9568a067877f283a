/**
 * The engine of both clouds: what runs, what was called, what is set to happen. It speaks no protocol; that is for the
 * fronts, which lead every call through {@link CloudEngine.door}.
 */

import { systemClock, type Clock } from '../../../providers/clock.ts';
import type { RateLimit } from '../../../providers/rate-limits.ts';
import type { Behaviour } from './behaviour.ts';
import { Behaviours, EVERY_TYPE } from './behaviours.ts';
import type { HandOperation } from './by-hand.ts';
import { ClientTokens } from './client-tokens.ts';
import { describeInstance, type CloudInstance, type DescribedInstance } from './cloud-instance.ts';
import { FrontDoor, type CallFacts } from './front-door.ts';
import { Instances } from './instances.ts';
import { Journal, type JournalRecord } from './journal.ts';
import { Launches } from './launches.ts';
import { readLedger, type Ledger, type LedgerCall, type Owner } from './ledger.ts';
import { RequestLimits } from './request-limits.ts';
import { unknownInstances } from './view.ts';

export interface CloudEngineOptions {
  /** Folder of the journal; made where it is missing. One process at a time. @default nothing outlives this object */
  readonly stateDir?: string | undefined;
  /** @default the host's */
  readonly clock?: Clock | undefined;
  /** The limit of calls of an action. @default none has any */
  readonly limitOf?: ((action: string) => RateLimit | undefined) | undefined;
  /** Where this cloud's behaviour differs from that of others. */
  readonly defaults?: Behaviour;
  /** Of provider ids: `<scheme>:///<zone>/<id>`. */
  readonly scheme: string;
  readonly ownerOf: (tags: CloudInstance['tags']) => Owner;
}

export class CloudEngine {
  readonly clock: Clock;
  readonly instances: Instances;
  readonly launches: Launches;
  readonly door: FrontDoor;
  readonly #behaviours: Behaviours;
  readonly #tokens: ClientTokens;
  readonly #calls: LedgerCall[] = [];
  readonly #journal: Journal | undefined;
  readonly #scheme: string;
  readonly #ownerOf: CloudEngineOptions['ownerOf'];

  constructor({ stateDir, clock = systemClock, limitOf, defaults, scheme, ownerOf }: CloudEngineOptions) {
    const now = () => clock.timeOfDay();
    const write = (record: JournalRecord) => this.#journal?.append(record);
    this.clock = clock;
    this.#scheme = scheme;
    this.#ownerOf = ownerOf;
    const behaviours = new Behaviours(
      (instanceType, behaviour) => write({ record: 'behaviour', instanceType, behaviour }),
      defaults,
    );
    this.#behaviours = behaviours;
    this.#tokens = new ClientTokens((binding) => write({ record: 'token', binding }));
    this.instances = new Instances(behaviours, clock, (instance) => write({ record: 'instance', instance }));
    this.launches = new Launches({ clock, behaviours, instances: this.instances, tokens: this.#tokens });
    this.door = new FrontDoor({
      behaviours,
      now,
      limits: limitOf && new RequestLimits(limitOf, now),
      onCall: (call) => {
        this.#calls.push(call);
        write({ record: 'call', call });
      },
      onAccess: (access) => write({ record: 'access', access }),
    });
    this.#journal = stateDir === undefined ? undefined : Journal.open(stateDir, (record) => this.#replay(record));
  }

  /** To be called before an answer leaves: what it tells must outlive this process. */
  flush(): void {
    this.#journal?.flush();
  }

  close(): void {
    this.#journal?.close();
  }

  /** Replaces the behaviour of a type; `{}` returns it to what `*` says. */
  setBehaviour(instanceType: string, behaviour: Behaviour): void {
    this.#behaviours.replace(instanceType, behaviour);
    this.#replicate(instanceType, behaviour);
  }

  behaviour(instanceType: string): { readonly set: Behaviour; readonly effective: Required<Behaviour> } {
    return { set: this.#behaviours.get(instanceType), effective: this.#behaviours.effective(instanceType) };
  }

  /** The instance as answers show it, of this moment. @default now */
  describe(instance: CloudInstance, now = this.clock.timeOfDay()): DescribedInstance {
    return describeInstance(instance, this.#scheme, now);
  }

  /**
   * The instances that have not ended, as the machines below the cloud know them: without lag, faults, outages, or a
   * place in the ledger. One that vanished is gone from here too.
   */
  hypervisorView(): readonly DescribedInstance[] {
    return this.instances.live().map((instance) => this.describe(instance));
  }

  byHand(operation: HandOperation, id: string): CloudInstance {
    return this.#change(operation, id, (instance) => this.instances.operate(operation, instance));
  }

  /** Whether the instance's node registers. */
  setJoins(id: string, joins: boolean): CloudInstance {
    return this.#change('joins', id, (instance) => this.instances.setJoins(instance, joins));
  }

  /** What a call about one instance is recorded with. */
  factsOf(id: string): CallFacts {
    const instance = this.instances.get(id);
    if (instance === undefined) return { instance: id };
    return { instance: id, machine: this.#ownerOf(instance.tags).machine, token: instance.token ?? null };
  }

  /** @param machine as the ledger names it, or its UID: only what concerns this Machine. @default everything */
  ledger(machine?: string): Ledger {
    return readLedger(this.instances.all(), this.#calls, this.#ownerOf, this.clock.timeOfDay(), machine);
  }

  #change(operation: string, id: string, change: (instance: CloudInstance) => CloudInstance): CloudInstance {
    const instance = this.instances.get(id);
    if (instance === undefined) throw unknownInstances([id]);
    const changed = change(instance);
    this.door.record(operation, this.factsOf(id));
    return changed;
  }

  #replicate(instanceType: string, { replicaLagsMs = [] }: Behaviour): void {
    if (instanceType === EVERY_TYPE) this.instances.replicate(replicaLagsMs);
  }

  #replay(record: JournalRecord): void {
    if (record.record === 'instance') {
      this.instances.restore(record.instance);
      this.#tokens.restoreInstance(record.instance);
    } else if (record.record === 'token') this.#tokens.restore(record.binding);
    else if (record.record === 'call') this.#calls.push(record.call);
    else if (record.record === 'behaviour') {
      this.#behaviours.restore(record.instanceType, record.behaviour);
      this.#replicate(record.instanceType, record.behaviour);
    } else this.door.restore(record.access);
  }
}
