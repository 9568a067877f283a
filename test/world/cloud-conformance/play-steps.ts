import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour } from '../../../devstack/doubles/cloud/behaviour.ts';
import { CloudError } from '../../../devstack/doubles/cloud/cloud-error.ts';
import { ProviderError } from '../../../providers/provider-error.ts';
import type { Credentials, Instance, InstanceOwner, LaunchParameters } from '../../../providers/provider.ts';
import { given } from '../../../providers/given.ts';
import type { InstanceReference, Step } from './step.ts';
import type { Subject, Wanted } from './subject.ts';

/** What a workflow can see of what came of a step: the same text where it sees the same. */
export type Seen = string;

const CLUSTER = 'conformance';

/** Plays steps on a cloud that nothing happened in yet. */
export class Player {
  readonly #subject: Subject;
  /** Tells the Machines of this play from those of others on the same moto. */
  readonly #play: string;
  readonly #resolved = new Map<string, LaunchParameters>();
  #isAway = false;

  constructor(subject: Subject, play: string) {
    this.#subject = subject;
    this.#play = play;
    subject.engine.setBehaviour('*', { launchLatencyMs: 0, pendingMs: 1000, terminateMs: 500 });
  }

  async play(step: Step): Promise<Seen> {
    try {
      return JSON.stringify((await this.#carryOut(step)) ?? 'done');
    } catch (error) {
      if (error instanceof ProviderError) return JSON.stringify(this.#failure(error));
      // Of what is done to the cloud by hand.
      if (error instanceof CloudError) return error.code;
      throw error;
    }
  }

  async #carryOut(step: Step): Promise<unknown> {
    const { provider, engine, clock } = this.#subject;
    switch (step.do) {
      case 'launch':
        return this.#launch(step);
      case 'resolve': {
        const parameters = await this.#resolve(0, { type: 'small', zone: step.zone, tag: 0 });
        return this.#wordOf('zone', parameters?.zone);
      }
      case 'find': {
        const token = step.attempt === undefined ? undefined : this.#token(step.machine, step.attempt);
        return this.#all(
          await this.#lookUp(() => provider.findByMachine(this.#credentials, this.#owner(step.machine), token)),
        );
      }
      case 'find many': {
        const searches = step.machines.map((machine) => ({
          owner: this.#owner(machine),
          token: this.#token(machine, step.attempt),
        }));
        const found = await this.#lookUp(() => provider.findByMachines(this.#credentials, searches));
        return found.map((each) => this.#all(each));
      }
      case 'describe':
        return this.#all(
          await provider.describe(
            this.#credentials,
            step.instances.map((each) => this.#id(each)),
          ),
        );
      case 'terminate':
        return provider.terminate(this.#credentials, this.#id(step.instance));
      case 'claim': {
        const id = this.#id(step.instance);
        const tags: Readonly<Record<string, string>> = engine.instances.get(id)?.tags ?? {};
        const { name, Name = name } = tags;
        // Only what bears the name is adopted.
        if (Name !== undefined && Name !== this.#owner(step.machine).name) return undefined;
        return provider.claim(this.#credentials, id, this.#owner(step.machine));
      }
      case 'list':
        return this.#all(await provider.list(this.#credentials, this.#owner(0).clusterName));
      case 'by hand':
        return this.#subject.byHand(step.operation, this.#id(step.instance));
      case 'fail next': {
        const { action, when } = step;
        const how = step.with === 'a cut connection' ? { answer: 'reset' as const } : { code: step.with };
        return this.#disturb({ failures: [{ action: this.#subject.actionOf(action), times: 1, when, ...how }] });
      }
      case 'throttle next': {
        const { retryAfterMs } = step;
        const actions = [this.#subject.actionOf(step.action)];
        return this.#disturb({
          throttling: { actions, next: 1, ...given({ retryAfterMs: retryAfterMs || undefined }) },
        });
      }
      case 'limit': {
        const type = this.#subject.words.type[step.type] ?? '';
        return engine.setBehaviour(type, { ...engine.behaviour(type).set, [step.of]: step.to });
      }
      case 'show late':
        return this.#behave({ visibleAfterMs: step.afterMs });
      case 'go away':
        this.#isAway = true;
        return void engine.door.setOutage({ mode: 'unavailable' });
      case 'come back':
        this.#isAway = false;
        return void engine.door.setOutage({ mode: 'none' });
      case 'pass':
        return clock.pass(step.ms);
    }
    return step satisfies never;
  }

  /** Of a look-up the call that is throttled is made once more, by itself: the time until then passes, and no other. */
  async #lookUp<T>(look: () => Promise<T>): Promise<T> {
    const { engine, clock } = this.#subject;
    const ms = engine.behaviour('*').set.throttling?.retryAfterMs ?? 500;
    const before = clock.pendingWithin(ms);
    const found = look();
    const end = found.then(
      () => true,
      () => true,
    );
    while (clock.pendingWithin(ms) === before) if (await Promise.race([end, delay(1, false)])) return found;
    await clock.pass(ms);
    return found;
  }

  async #launch({ machine, attempt, type, zone, tag, gone }: Step & { readonly do: 'launch' }): Promise<unknown> {
    const resolved = await this.#resolve(machine, { type, zone, tag });
    if (resolved === undefined) return undefined;
    const parameters = gone === undefined ? resolved : this.#subject.without(gone, resolved);
    const token = this.#token(machine, attempt);
    return this.#told(await this.#subject.provider.launch({ owner: this.#owner(machine), token, parameters }));
  }

  /** Undefined while the cloud is away, where it was not done before: each provider remembers other parts of what it read. */
  async #resolve(machine: number, wanted: Wanted): Promise<LaunchParameters | undefined> {
    const key = JSON.stringify([machine, wanted]);
    const known = this.#resolved.get(key);
    if (known !== undefined || this.#isAway) return known;
    const providerSpec = this.#subject.providerSpec(wanted);
    const parameters = await this.#subject.provider.resolve({ owner: this.#owner(machine), providerSpec });
    this.#resolved.set(key, parameters);
    return parameters;
  }

  /** One at a time: where a provider looks several times at once, it could meet either first. */
  #disturb(behaviour: Pick<Behaviour, 'failures' | 'throttling'>): void {
    this.#behave({ failures: [], throttling: null, ...behaviour });
  }

  #behave(behaviour: Behaviour): void {
    const { engine } = this.#subject;
    engine.setBehaviour('*', { ...engine.behaviour('*').set, ...behaviour });
  }

  /** The third bears the name of the first: it came after that one was taken away. */
  #owner(machine: number): InstanceOwner {
    const name = `m-${machine % 2}`;
    const uid = `${this.#play}-uid-${machine}`;
    return { clusterName: `${CLUSTER}-${this.#play}`, namespace: this.#play, name, uid, clusterUid: 'cluster-1' };
  }

  #token(machine: number, attempt: number): string {
    return `${this.#play}-${machine}-${attempt}`;
  }

  get #credentials(): Credentials {
    const providerSpec = this.#subject.providerSpec({ type: 'small', zone: 'a', tag: 0 });
    return this.#subject.provider.credentialsOf({ owner: this.#owner(0), providerSpec });
  }

  #id(instance: InstanceReference): string {
    if (instance === 'malformed') return 'i-*';
    const made = this.#made;
    return (instance === 'unknown' ? undefined : made[instance % made.length]) ?? 'i-0123456789abcdef0';
  }

  get #made(): string[] {
    return [...this.#subject.engine.instances.all()].map(({ id }) => id);
  }

  #all(instances: readonly Instance[]): unknown {
    return instances.map((each) => this.#told(each)).toSorted((a, b) => a.instance - b.instance);
  }

  /** What a workflow goes by, in words that are the same for each cloud. */
  #told(instance: Instance) {
    const { id, state, machineUid, token, name, machineKey, clusters, clusterUid, launchedAt, interruptible } =
      instance;
    return {
      instance: this.#made.indexOf(id),
      state,
      machineUid,
      token,
      name,
      machineKey,
      clusters,
      clusterUid,
      launchedAt: launchedAt !== undefined,
      interruptible,
      zone: this.#wordOf('zone', instance.zone),
      type: this.#wordOf('type', instance.instanceType),
      isReachable: state === 'terminated' || instance.addresses.some(({ type }) => type === 'InternalIP'),
    };
  }

  #failure({ code, details }: ProviderError): unknown {
    const { provesNoInstance, tokenTerminated, tokenMismatched, retryAfterMs, notSent, paced } = details;
    return { code, provesNoInstance, tokenTerminated, tokenMismatched, retryAfterMs, notSent, paced };
  }

  #wordOf(what: 'type' | 'zone', own: string | undefined): string | undefined {
    return Object.entries(this.#subject.words[what]).find(([, word]) => word === own)?.[0] ?? own;
  }
}
