/** The cloud itself: launches, describes, terminates. Knows no HTTP; {@link ./server.ts} puts it on the wire. */

import { systemClock, type Clock } from '../../../../providers/clock.ts';
import type { Catalog } from '../../../../providers/simulated/catalog.ts';
import type { AcceptedCredentials, Access, Outage } from '../access.ts';
import type { Behaviour } from '../behaviour.ts';
import { Behaviours, EVERY_TYPE } from '../behaviours.ts';
import type { HandOperation } from '../by-hand.ts';
import { checkOffered, createCatalog } from './catalog.ts';
import { ClientTokens } from '../client-tokens.ts';
import { addressesOf, describeInstance } from '../cloud-instance.ts';
import type { CloudInstance, DescribedInstance } from '../cloud-instance.ts';
import type { DescribeCall } from '../fleet.ts';
import { FrontDoor } from '../front-door.ts';
import type { CallFacts } from '../front-door.ts';
import { Instances, unknownInstances } from '../instances.ts';
import { Journal } from '../journal.ts';
import type { JournalRecord } from '../journal.ts';
import { Launches } from '../launches.ts';
import { ledgerInstance } from '../ledger.ts';
import type { Ledger, LedgerCall } from '../ledger.ts';
import { RequestLimits, SIMULATED_LIMITS, type LimitedCall } from '../request-limits.ts';
import type { Action } from './behaviour.ts';
import type { LaunchCall, TagCall } from './requests.ts';

export interface SimulatedCloudOptions {
  /** Folder of the journal; made where it is missing. One process at a time. @default nothing outlives this object */
  readonly stateDir?: string;
  /** The one region. @default 'sim-1' */
  readonly region?: string;
  /** Has the limits of calls that EC2 documents; whoever shows another bearer token is another account. @default false */
  readonly limits?: boolean;
  /** False: it ignores client tokens, and every launch makes an instance. @default true */
  readonly tokens?: boolean;
  /** @default the host's */
  readonly clock?: Clock;
}

export class SimulatedCloud {
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #journal: Journal | undefined;
  readonly #catalog: Catalog;
  readonly #behaviours: Behaviours;
  readonly #tokens: ClientTokens;
  readonly #honoursTokens: boolean;
  readonly #instances: Instances;
  readonly #launches: Launches;
  readonly #calls: LedgerCall[] = [];
  readonly #door: FrontDoor;

  constructor(options: SimulatedCloudOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#now = () => this.#clock.timeOfDay();
    this.#catalog = createCatalog(options.region ?? 'sim-1');
    this.#behaviours = new Behaviours((instanceType, behaviour) =>
      this.#journal?.append({ record: 'behaviour', instanceType, behaviour }),
    );
    this.#tokens = new ClientTokens((binding) => this.#journal?.append({ record: 'token', binding }));
    this.#honoursTokens = options.tokens ?? true;
    this.#instances = new Instances(this.#behaviours, this.#now, (instance) =>
      this.#journal?.append({ record: 'instance', instance }),
    );
    this.#launches = new Launches({
      clock: this.#clock,
      behaviours: this.#behaviours,
      instances: this.#instances,
      tokens: this.#tokens,
    });
    this.#door = new FrontDoor({
      behaviours: this.#behaviours,
      now: this.#now,
      limits: options.limits === true ? new RequestLimits((action) => SIMULATED_LIMITS[action], this.#now) : undefined,
      onCall: (call) => {
        this.#calls.push(call);
        this.#journal?.append({ record: 'call', call });
      },
      onAccess: (access) => this.#journal?.append({ record: 'access', access }),
    });
    this.#journal =
      options.stateDir === undefined ? undefined : Journal.open(options.stateDir, (record) => this.#replay(record));
  }

  /** To be called before an answer leaves: what it tells must outlive this process. */
  flush(): void {
    this.#journal?.flush();
  }

  close(): void {
    this.#journal?.close();
  }

  /** Makes an instance, or finds the one that this token has made. */
  launch(call: LaunchCall, authorization?: string): Promise<DescribedInstance> {
    const { clientToken, ...parameters } = call;
    const { instanceType, zone } = call;
    const token = this.#honoursTokens ? clientToken : undefined;
    const facts: CallFacts = { machine: call.tags?.['machineUid'] ?? null, token: token ?? null };
    return this.#door.serve({ ...this.#limited('launch', authorization), instanceType, facts }, async (failBefore) => {
      const check = (): void => {
        failBefore();
        checkOffered(this.#catalog, call);
      };
      const make = async () => this.#make(parameters, token);
      const instance = await this.#launches.launch({ instanceType, token, zone, parameters }, facts, check, make);
      return describeInstance(instance, this.#now());
    });
  }

  describe(call: DescribeCall, authorization?: string): Promise<readonly DescribedInstance[]> {
    const { ids, filters } = call;
    const asked = ids ?? filters?.instanceIds ?? [];
    const facts: CallFacts = {
      machine: filters?.machineUid ?? null,
      token: filters?.clientToken ?? null,
      instance: asked.length === 1 ? (asked[0] ?? null) : null,
    };
    return this.#door.serve(
      { ...this.#limited('describe', authorization), instanceType: EVERY_TYPE, facts },
      async (failBefore) => {
        failBefore();
        this.#instances.require(ids ?? []);
        return this.#instances.find(call).map((instance) => describeInstance(instance, this.#now()));
      },
    );
  }

  /** Idempotent as long as the instance can be seen. */
  terminate(id: string, authorization?: string): Promise<DescribedInstance> {
    return this.#serveChange('terminate', id, authorization, (instance) =>
      this.#instances.operate('terminate', instance),
    );
  }

  /** Adds tags to an instance, and replaces those of the same keys. */
  tag(id: string, { tags }: TagCall, authorization?: string): Promise<DescribedInstance> {
    return this.#serveChange('tag', id, authorization, (instance) => this.#instances.addTags(instance, tags));
  }

  catalog(authorization?: string): Promise<Catalog> {
    return this.#door.serve(
      { ...this.#limited('catalog', authorization), instanceType: EVERY_TYPE, facts: {} },
      async (failBefore) => {
        failBefore();
        return this.#catalog;
      },
    );
  }

  byHand(operation: HandOperation, id: string): DescribedInstance {
    return this.#change(operation, id, (instance) => this.#instances.operate(operation, instance));
  }

  /** Whether the instance's node registers. */
  setJoins(id: string, joins: boolean): DescribedInstance {
    return this.#change('joins', id, (instance) => this.#instances.setJoins(instance, joins));
  }

  setOutage(outage: Outage): Access {
    return this.#door.setOutage(outage);
  }

  setCredentials(credentials: AcceptedCredentials): Access {
    return this.#door.setCredentials(credentials);
  }

  setBehaviour(instanceType: string, behaviour: Behaviour): void {
    this.#behaviours.replace(instanceType, behaviour);
  }

  behaviour(instanceType: string): { readonly set: Behaviour; readonly effective: Required<Behaviour> } {
    return { set: this.#behaviours.get(instanceType), effective: this.#behaviours.effective(instanceType) };
  }

  /**
   * The instances that have not ended, as the machines below the cloud know them: without lag, faults, outages, or a
   * place in the ledger. One that vanished is gone from here too.
   */
  hypervisorView(): readonly DescribedInstance[] {
    return this.#instances.live().map((instance) => describeInstance(instance, this.#now()));
  }

  /** @param machine only what concerns the Machine with this UID. @default everything */
  ledger(machine?: string): Ledger {
    const now = this.#now();
    const concerns = (entry: { readonly machine: string | null }) => machine === undefined || entry.machine === machine;
    return {
      instances: [...this.#instances.all()].map((instance) => ledgerInstance(instance, now)).filter(concerns),
      calls: this.#calls.filter(concerns),
    };
  }

  #make({ image, instanceType, tags = {}, zone }: LaunchCall, token: string | undefined): CloudInstance {
    const { region } = this.#catalog;
    return this.#instances.add({
      id: this.#newId(),
      region,
      zone,
      instanceType,
      image,
      tags,
      ...(token === undefined ? {} : { token }),
      addresses: addressesOf(this.#instances.size + 1, region),
    });
  }

  #newId(): string {
    const digits = Array.from({ length: 17 }, () => Math.floor(this.#clock.random() * 16).toString(16));
    return `i-${digits.join('')}`;
  }

  #serveChange(
    action: 'terminate' | 'tag',
    id: string,
    authorization: string | undefined,
    change: (instance: CloudInstance) => CloudInstance,
  ): Promise<DescribedInstance> {
    const instance = this.#instances.get(id);
    const instanceType = instance?.instanceType ?? EVERY_TYPE;
    return this.#door.serve(
      { ...this.#limited(action, authorization), instanceType, facts: this.#factsOf(id) },
      async (failBefore) => {
        failBefore();
        if (!this.#instances.isVisible(instance)) throw unknownInstances([id]);
        return describeInstance(change(instance), this.#now());
      },
    );
  }

  #change(operation: string, id: string, change: (instance: CloudInstance) => CloudInstance): DescribedInstance {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw unknownInstances([id]);
    const changed = change(instance);
    this.#door.record(operation, this.#factsOf(id));
    return describeInstance(changed, this.#now());
  }

  #replay(record: JournalRecord): void {
    if (record.record === 'instance') {
      this.#instances.restore(record.instance);
      this.#tokens.restoreInstance(record.instance);
    } else if (record.record === 'token') this.#tokens.restore(record.binding);
    else if (record.record === 'call') this.#calls.push(record.call);
    else if (record.record === 'behaviour') this.#behaviours.restore(record.instanceType, record.behaviour);
    else this.#door.restore(record.access);
  }

  /** Every call concerns one instance at most. */
  #limited<A extends Action>(
    action: A,
    authorization: string | undefined,
  ): { readonly action: A; readonly authorization: string | undefined; readonly limited: LimitedCall } {
    const { region } = this.#catalog;
    return { action, authorization, limited: { account: authorization ?? '', region, action, instances: 1 } };
  }

  #factsOf(id: string): CallFacts {
    const instance = this.#instances.get(id);
    return { instance: id, machine: instance?.tags['machineUid'] ?? null, token: instance?.token ?? null };
  }
}
