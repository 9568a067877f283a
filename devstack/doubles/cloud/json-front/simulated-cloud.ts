/** The cloud itself: launches, describes, terminates. Knows no HTTP; {@link ./server.ts} puts it on the wire. */

import { delay, systemClock, type Clock } from '../../../../providers/clock.ts';
import type { Catalog } from '../../../../providers/simulated/catalog.ts';
import type { AcceptedCredentials, Access, Outage } from '../access.ts';
import type { Behaviour } from '../behaviour.ts';
import { Behaviours, EVERY_TYPE } from '../behaviours.ts';
import { operateByHand } from '../by-hand.ts';
import type { HandOperation } from '../by-hand.ts';
import { checkOffered, createCatalog } from './catalog.ts';
import { ClientTokens, type BoundToken } from '../client-tokens.ts';
import { CloudError } from '../cloud-error.ts';
import { addressesOf, describeInstance, isLive, isVisible, stateAt } from '../cloud-instance.ts';
import type { CloudInstance, DescribedInstance } from '../cloud-instance.ts';
import { Fleet, type DescribeCall } from '../fleet.ts';
import { FrontDoor } from '../front-door.ts';
import type { CallFacts } from '../front-door.ts';
import { Journal } from '../journal.ts';
import type { JournalRecord } from '../journal.ts';
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

/** What a launch asks for, whatever its token. */
type TokenlessLaunch = Omit<LaunchCall, 'clientToken'>;

export class SimulatedCloud {
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #journal: Journal | undefined;
  readonly #catalog: Catalog;
  readonly #behaviours: Behaviours;
  readonly #tokens: ClientTokens;
  readonly #honoursTokens: boolean;
  readonly #fleet = new Fleet();
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
    const { clientToken: sent, ...parameters } = call;
    const token = this.#honoursTokens ? sent : undefined;
    const facts: CallFacts = { machine: call.tags?.['machineUid'] ?? null, token: token ?? null };
    return this.#door.serve(
      { ...this.#limited('launch', authorization), instanceType: call.instanceType, facts },
      async (failBefore) => {
        const bound = token === undefined ? undefined : this.#tokens.bind(call.zone, token, parameters);
        failBefore();
        checkOffered(this.#catalog, call);
        const instance = await (bound === undefined
          ? this.#makeInstance(parameters)
          : this.#instanceOf(bound, parameters));
        facts.instance = instance.id;
        if (instance.vanishedAt !== null || this.#stateOf(instance) === 'terminated') {
          throw new CloudError(
            'IdempotentInstanceTerminated',
            `The instance of client token "${token ?? ''}" in ${call.zone}, ${instance.id}, has been terminated.`,
          );
        }
        return describeInstance(instance, this.#now());
      },
    );
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
        const unknown = (ids ?? []).filter((id) => !this.#isVisible(this.#fleet.get(id)));
        if (unknown.length > 0) throw unknownInstance(...unknown);
        const now = this.#now();
        return this.#fleet
          .find(call)
          .filter((instance) => this.#isVisible(instance))
          .map((instance) => describeInstance(instance, now))
          .filter(({ state }) => filters?.states?.includes(state) ?? true);
      },
    );
  }

  /** Idempotent as long as the instance can be seen. */
  terminate(id: string, authorization?: string): Promise<DescribedInstance> {
    const instance = this.#fleet.get(id);
    const facts = this.#factsOf(id);
    return this.#door.serve(
      { ...this.#limited('terminate', authorization), instanceType: instance?.instanceType ?? EVERY_TYPE, facts },
      async (failBefore) => {
        failBefore();
        if (instance === undefined || !this.#isVisible(instance)) throw unknownInstance(id);
        const state = this.#stateOf(instance);
        if (state === 'shutting-down' || state === 'terminated') return describeInstance(instance, this.#now());
        const settlesAt = this.#now() + this.#of(instance).terminateMs;
        return describeInstance(this.#keep({ ...instance, state: 'shutting-down', settlesAt }), this.#now());
      },
    );
  }

  /** Adds tags to an instance, and replaces those of the same keys. */
  tag(id: string, { tags }: TagCall, authorization?: string): Promise<DescribedInstance> {
    const instance = this.#fleet.get(id);
    const facts = this.#factsOf(id);
    return this.#door.serve(
      { ...this.#limited('tag', authorization), instanceType: instance?.instanceType ?? EVERY_TYPE, facts },
      async (failBefore) => {
        failBefore();
        if (instance === undefined || !this.#isVisible(instance)) throw unknownInstance(id);
        return describeInstance(this.#keep({ ...instance, tags: { ...instance.tags, ...tags } }), this.#now());
      },
    );
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
    return this.#change(operation, id, (instance) =>
      operateByHand(operation, instance, this.#of(instance), this.#now()),
    );
  }

  /** Whether the instance's node registers. */
  setJoins(id: string, joins: boolean): DescribedInstance {
    return this.#change('joins', id, (instance) => ({ ...instance, joins }));
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
    const now = this.#now();
    return [...this.#fleet.all()].filter((each) => isLive(each, now)).map((each) => describeInstance(each, now));
  }

  /** @param machine only what concerns the Machine with this UID. @default everything */
  ledger(machine?: string): Ledger {
    const now = this.#now();
    const concerns = (entry: { readonly machine: string | null }) => machine === undefined || entry.machine === machine;
    return {
      instances: [...this.#fleet.all()].map((instance) => ledgerInstance(instance, now)).filter(concerns),
      calls: this.#calls.filter(concerns),
    };
  }

  /** The one instance of a token, made by its first call. */
  async #instanceOf(bound: BoundToken, call: TokenlessLaunch): Promise<CloudInstance> {
    const made = bound.instanceId === undefined ? undefined : this.#fleet.get(bound.instanceId);
    if (made !== undefined) return made;
    bound.launching ??= this.#makeInstance(call, bound.token).finally(() => delete bound.launching);
    const instance = await bound.launching;
    bound.instanceId = instance.id;
    return instance;
  }

  /** The effect comes after the latency: a client that gave up waiting finds the instance later. */
  async #makeInstance(call: TokenlessLaunch, token?: string): Promise<CloudInstance> {
    const { launchLatencyMs } = this.#behaviours.effective(call.instanceType);
    if (launchLatencyMs > 0) await delay(this.#clock, launchLatencyMs);
    const behaviour = this.#behaviours.effective(call.instanceType);
    const now = this.#now();
    this.#fleet.checkRoom(call.instanceType, behaviour, now);
    return this.#keep({
      id: this.#newId(),
      region: this.#catalog.region,
      zone: call.zone,
      instanceType: call.instanceType,
      image: call.image,
      tags: call.tags ?? {},
      ...(token === undefined ? {} : { token }),
      addresses: addressesOf(this.#fleet.size + 1, this.#catalog.region),
      interruptible: behaviour.interruptible,
      launchedAt: now,
      visibleAt: now + behaviour.visibleAfterMs,
      joins: behaviour.joins,
      state: 'pending',
      settlesAt: now + behaviour.pendingMs,
      vanishedAt: null,
    });
  }

  #newId(): string {
    const digits = Array.from({ length: 17 }, () => Math.floor(this.#clock.random() * 16).toString(16));
    return `i-${digits.join('')}`;
  }

  #keep(instance: CloudInstance): CloudInstance {
    this.#fleet.put(instance);
    this.#journal?.append({ record: 'instance', instance });
    return instance;
  }

  #change(operation: string, id: string, change: (instance: CloudInstance) => CloudInstance): DescribedInstance {
    const instance = this.#fleet.get(id);
    if (instance === undefined) throw unknownInstance(id);
    const changed = this.#keep(change(instance));
    this.#door.record(operation, this.#factsOf(id));
    return describeInstance(changed, this.#now());
  }

  #replay(record: JournalRecord): void {
    if (record.record === 'instance') {
      this.#fleet.put(record.instance);
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

  #of(instance: CloudInstance): Required<Behaviour> {
    return this.#behaviours.effective(instance.instanceType);
  }

  #stateOf(instance: CloudInstance): CloudInstance['state'] {
    return stateAt(instance, this.#now());
  }

  #isVisible(instance: CloudInstance | undefined): boolean {
    return instance !== undefined && isVisible(instance, this.#now(), this.#of(instance).terminatedVisibleMs);
  }

  #factsOf(id: string): CallFacts {
    const instance = this.#fleet.get(id);
    return { instance: id, machine: instance?.tags['machineUid'] ?? null, token: instance?.token ?? null };
  }
}

function unknownInstance(...ids: string[]): CloudError {
  return new CloudError('InvalidInstanceID.NotFound', `The instance IDs '${ids.join(', ')}' do not exist.`);
}
