/** The cloud itself: launches, describes, terminates. Knows no HTTP; {@link ./server.ts} puts it on the wire. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAccess, OPEN_ACCESS } from './access.ts';
import type { AcceptedCredentials, Access, Outage } from './access.ts';
import type { Action, Behaviour } from './behaviour.ts';
import { Behaviours, EVERY_TYPE } from './behaviours.ts';
import type { InjectedFailure } from './behaviours.ts';
import { operateByHand } from './by-hand.ts';
import type { HandOperation } from './by-hand.ts';
import { checkOffered, createCatalog } from './catalog.ts';
import type { Catalog } from '../../providers/simulated/catalog.ts';
import { ClientTokens } from './client-tokens.ts';
import { CloudError, NoAnswer } from './cloud-error.ts';
import { addressesOf, describeInstance, isLive, isVisible, stateAt } from './cloud-instance.ts';
import type { CloudInstance, DescribedInstance } from './cloud-instance.ts';
import { Fleet } from './fleet.ts';
import { Journal } from './journal.ts';
import type { JournalRecord } from './journal.ts';
import { ledgerInstance } from './ledger.ts';
import type { Ledger, LedgerCall } from './ledger.ts';
import type { DescribeCall, LaunchCall } from './requests.ts';

export interface SimulatedCloudOptions {
  /** Folder of the journal; made where it is missing. One process at a time. */
  readonly stateDir: string;
  /** The one region. @default 'sim-1' */
  readonly region?: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** What a call is recorded with; filled in while it runs. */
interface CallFacts {
  machine?: string | null;
  token?: string | null;
  instance?: string | null;
}

export class SimulatedCloud {
  readonly #now: () => number;
  readonly #journal: Journal;
  readonly #catalog: Catalog;
  readonly #behaviours: Behaviours;
  readonly #tokens: ClientTokens;
  readonly #fleet = new Fleet();
  readonly #calls: LedgerCall[] = [];
  #access: Access = OPEN_ACCESS;

  constructor(options: SimulatedCloudOptions) {
    this.#now = options.now ?? Date.now;
    this.#catalog = createCatalog(options.region ?? 'sim-1');
    this.#behaviours = new Behaviours((instanceType, behaviour) =>
      this.#journal.append({ record: 'behaviour', instanceType, behaviour }),
    );
    this.#tokens = new ClientTokens((binding) => this.#journal.append({ record: 'token', binding }));
    this.#journal = Journal.open(options.stateDir, (record) => this.#replay(record));
  }

  /** To be called before an answer leaves: what it tells must outlive this process. */
  flush(): void {
    this.#journal.flush();
  }

  close(): void {
    this.#journal.close();
  }

  /** Makes an instance, or finds the one that this token has made. */
  launch(call: LaunchCall, authorization?: string): Promise<DescribedInstance> {
    const facts: CallFacts = { machine: call.tags?.['machineUid'] ?? null, token: call.clientToken };
    return this.#serve('launch', call.instanceType, authorization, facts, async (failure) => {
      const { clientToken, zone, ...parameters } = call;
      const bound = this.#tokens.bind(zone, clientToken, parameters);
      if (failure?.when === 'before') throw failure.error;
      checkOffered(this.#catalog, call);
      if (bound.instanceId === undefined) {
        bound.launching ??= this.#makeInstance(call).finally(() => delete bound.launching);
        bound.instanceId = (await bound.launching).id;
      }
      facts.instance = bound.instanceId;
      const instance = this.#fleet.get(bound.instanceId);
      if (instance === undefined || instance.vanishedAt !== null || this.#stateOf(instance) === 'terminated') {
        throw new CloudError(
          'IdempotentInstanceTerminated',
          `The instance of client token "${clientToken}" in ${zone}, ${bound.instanceId}, has been terminated.`,
        );
      }
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
    return this.#serve('describe', EVERY_TYPE, authorization, facts, async (failure) => {
      if (failure?.when === 'before') throw failure.error;
      const unknown = (ids ?? []).filter((id) => !this.#isVisible(this.#fleet.get(id)));
      if (unknown.length > 0) throw unknownInstance(...unknown);
      const now = this.#now();
      return this.#fleet
        .find(call)
        .filter((instance) => this.#isVisible(instance))
        .map((instance) => describeInstance(instance, now));
    });
  }

  /** Idempotent as long as the instance can be seen. */
  terminate(id: string, authorization?: string): Promise<DescribedInstance> {
    const instance = this.#fleet.get(id);
    const facts = this.#factsOf(id);
    return this.#serve('terminate', instance?.instanceType ?? EVERY_TYPE, authorization, facts, async (failure) => {
      if (failure?.when === 'before') throw failure.error;
      if (instance === undefined || !this.#isVisible(instance)) throw unknownInstance(id);
      const state = this.#stateOf(instance);
      if (state === 'shutting-down' || state === 'terminated') return describeInstance(instance, this.#now());
      const settlesAt = this.#now() + this.#of(instance).terminateMs;
      return describeInstance(this.#keep({ ...instance, state: 'shutting-down', settlesAt }), this.#now());
    });
  }

  catalog(authorization?: string): Promise<Catalog> {
    return this.#serve('catalog', EVERY_TYPE, authorization, {}, async (failure) => {
      if (failure?.when === 'before') throw failure.error;
      return this.#catalog;
    });
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

  /** What runs, or might again: what the cloud's hypervisors know whether or not its API is up. In no ledger. */
  hosted(): readonly DescribedInstance[] {
    const now = this.#now();
    return [...this.#fleet.all()].filter((each) => isLive(each, now)).map((each) => describeInstance(each, now));
  }

  setOutage({ mode, forMs }: Outage): Access {
    return this.#setAccess({ outage: mode, outageUntil: forMs === undefined ? null : this.#now() + forMs });
  }

  setCredentials({ acceptedTokens }: AcceptedCredentials): Access {
    return this.#setAccess({ acceptedTokens });
  }

  setBehaviour(instanceType: string, behaviour: Behaviour): void {
    this.#behaviours.replace(instanceType, behaviour);
  }

  behaviour(instanceType: string): { readonly set: Behaviour; readonly effective: Required<Behaviour> } {
    return { set: this.#behaviours.get(instanceType), effective: this.#behaviours.effective(instanceType) };
  }

  /** Every instance as the machines below the cloud know it: without lag, faults, outages, or a place in the ledger. */
  hypervisorView(): readonly DescribedInstance[] {
    const now = this.#now();
    return [...this.#fleet.all()].map((instance) => describeInstance(instance, now));
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

  /** What every call of the API goes through: the door, its throttle, its failures, and the ledger at the end. */
  async #serve<T>(
    action: Action,
    instanceType: string,
    authorization: string | undefined,
    facts: CallFacts,
    run: (failure: InjectedFailure | undefined) => Promise<T>,
  ): Promise<T> {
    try {
      checkAccess(this.#access, authorization, this.#now());
      this.#behaviours.throttle(action, instanceType, this.#now());
      const failure = this.#behaviours.takeFailure(action, instanceType);
      if (failure?.atFrontDoor) throw failure.error;
      const answer = await run(failure);
      if (failure !== undefined) throw failure.error;
      this.#record(action, facts);
      return answer;
    } catch (error) {
      if (error instanceof CloudError || error instanceof NoAnswer) this.#record(action, facts, error.code);
      throw error;
    }
  }

  /** The effect comes after the latency: a client that gave up waiting finds the instance later. */
  async #makeInstance(call: LaunchCall): Promise<CloudInstance> {
    const { launchLatencyMs } = this.#behaviours.effective(call.instanceType);
    if (launchLatencyMs > 0) await sleep(launchLatencyMs);
    const behaviour = this.#behaviours.effective(call.instanceType);
    const now = this.#now();
    this.#fleet.checkRoom(call.instanceType, behaviour, now);
    return this.#keep({
      id: `i-${randomBytes(9).toString('hex').slice(1)}`,
      region: this.#catalog.region,
      zone: call.zone,
      instanceType: call.instanceType,
      image: call.image,
      tags: call.tags ?? {},
      token: call.clientToken,
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

  #keep(instance: CloudInstance): CloudInstance {
    this.#fleet.put(instance);
    this.#journal.append({ record: 'instance', instance });
    return instance;
  }

  #change(operation: string, id: string, change: (instance: CloudInstance) => CloudInstance): DescribedInstance {
    const instance = this.#fleet.get(id);
    if (instance === undefined) throw unknownInstance(id);
    const changed = this.#keep(change(instance));
    this.#record(operation, this.#factsOf(id));
    return describeInstance(changed, this.#now());
  }

  #setAccess(changes: Partial<Access>): Access {
    this.#access = { ...this.#access, ...changes };
    this.#journal.append({ record: 'access', access: this.#access });
    return this.#access;
  }

  #record(action: string, facts: CallFacts, code: string | null = null): void {
    const { machine = null, token = null, instance = null } = facts;
    const at = new Date(this.#now()).toISOString();
    const call: LedgerCall = { at, action, machine, token, instance, ok: code === null, code };
    this.#calls.push(call);
    this.#journal.append({ record: 'call', call });
  }

  #replay(record: JournalRecord): void {
    if (record.record === 'instance') {
      this.#fleet.put(record.instance);
      this.#tokens.restoreInstance(record.instance);
    } else if (record.record === 'token') this.#tokens.restore(record.binding);
    else if (record.record === 'call') this.#calls.push(record.call);
    else if (record.record === 'behaviour') this.#behaviours.restore(record.instanceType, record.behaviour);
    else this.#access = record.access;
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
