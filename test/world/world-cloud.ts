import { answerCall } from '../../devstack/doubles/cloud/json-front/api.ts';
import type {
  Action,
  SimulatedBehaviour,
  SimulatedFailure,
} from '../../devstack/doubles/cloud/json-front/behaviour.ts';
import { INSTANT } from '../../devstack/doubles/cloud/json-front/cloud-test-client.ts';
import type { DescribedInstance } from '../../devstack/doubles/cloud/cloud-instance.ts';
import type { LedgerCall, LedgerInstance } from '../../devstack/doubles/cloud/ledger.ts';
import type { DescribeCall } from '../../devstack/doubles/cloud/fleet.ts';
import type { LaunchCall } from '../../devstack/doubles/cloud/json-front/requests.ts';
import { SimulatedCloud } from '../../devstack/doubles/cloud/json-front/simulated-cloud.ts';
import { unlessGivenUp, wireTo } from '../../devstack/doubles/cloud/wire/in-memory.ts';
import type { Clock } from '../../providers/clock.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import type { Provider } from '../../providers/provider.ts';
import type { SecretReader } from '../../providers/secret-reader.ts';
import { createSimulatedProvider } from '../../providers/simulated/simulated-provider.ts';
import type { Wire, WireAnswer, WireRequest } from '../../providers/wire.ts';
import { straight } from './kubernetes/request.ts';
import { WorldBalancers, type BalancerCall } from './world-balancers.ts';
import { given } from '../../providers/given.ts';

/** A call on its way to the cloud. */
export interface CloudRequest {
  readonly action: Action | BalancerCall['action'];
  /** The instance that a terminate, a reboot, a tag or a call of the load balancers is about. */
  readonly id?: string;
  /** Of a describe. */
  readonly filters?: DescribeCall['filters'];
  /** Who asks, by the token that he shows; missing: he shows none. */
  readonly bearer?: string;
}

/** What every call goes through: it may wait before and after it takes effect, and throw in place of an answer. */
export type CloudPassage = <T>(request: CloudRequest, carryOut: () => Promise<T>) => Promise<T>;

/** Calls of this action are answered with this error, and change nothing. */
export function refused(action: CloudRequest['action'], error: ProviderError): CloudPassage {
  return async (request, carryOut) => {
    if (request.action === action) throw error;
    return carryOut();
  };
}

/** These calls are never answered; what they ask for is not done. */
export function hung(isMeant: (request: CloudRequest) => boolean): CloudPassage {
  return (request, carryOut) => (isMeant(request) ? new Promise(() => {}) : carryOut());
}

/** Calls of this action never leave the worker, so many of them: its limits have no room, or it does not ask for a while. */
export function notSent(
  action: CloudRequest['action'],
  { times = Infinity, cloudCode, retryAfterMs }: { times?: number; cloudCode: string; retryAfterMs: number },
): CloudPassage {
  let left = times;
  return async (request, carryOut) => {
    if (request.action !== action || left === 0) return carryOut();
    left -= 1;
    throw new ProviderError('Throttled', `the call to ${action} has to wait`, {
      cloudCode,
      retryAfterMs,
      notSent: true,
    });
  };
}

export interface WorldCloudOptions {
  readonly clock: Clock;
  /** False: it ignores client tokens, and is asked by look-up only. @default true */
  readonly tokens?: boolean;
  /** How the Secret of a spec's credentials is read. @default specs that name one fail */
  readonly readSecret?: SecretReader;
}

const A_LAUNCH: LaunchCall = { zone: 'zone-a', instanceType: 'sim.small', image: 'image-default' };

/** The simulated cloud in this process, without a network. Its ledger tells what it was asked and what came of it. */
export class WorldCloud {
  readonly #cloud: SimulatedCloud;
  readonly #wire: Wire;
  readonly balancers = new WorldBalancers();
  readonly provider: Provider;
  /** The worker's, whatever came of them; those to the load balancers are not in here. */
  readonly requests: CloudRequest[] = [];
  onRequest: CloudPassage = straight;

  constructor({ clock, tokens = true, readSecret }: WorldCloudOptions) {
    const cloud = new SimulatedCloud({ clock, tokens });
    this.#cloud = cloud;
    this.#wire = wireTo((call) => answerCall(cloud, call));
    this.behave({});
    const endpoint: Wire = { send: (request) => this.#send(request), close: async () => {} };
    this.provider = this.balancers.added(
      createSimulatedProvider({
        clock,
        endpoint,
        idempotency: tokens ? 'token' : 'lookup',
        ...given({ readSecret }),
      }),
      (request, carryOut) => this.onRequest(request, carryOut),
    );
  }

  /** Of all instance types; nothing takes time that is not said to. */
  behave(behaviour: SimulatedBehaviour): void {
    this.#cloud.engine.setBehaviour('*', { ...INSTANT, ...behaviour });
  }

  /** Fails calls; the first that fits one and is not used up counts. */
  fail(...failures: SimulatedFailure[]): void {
    this.#cloud.engine.setBehaviour('*', { ...this.#cloud.engine.behaviour('*').set, failures });
  }

  get instances(): readonly LedgerInstance[] {
    return this.#cloud.engine.ledger().instances;
  }

  /** The worker's requests of an action. */
  asked(action: Action): readonly CloudRequest[] {
    return this.requests.filter((request) => request.action === action);
  }

  /** Calls of these actions, oldest first, whoever made them. */
  calls(...actions: Action[]): readonly LedgerCall[] {
    const named: readonly string[] = actions;
    return this.#cloud.engine.ledger().calls.filter(({ action }) => named.includes(action));
  }

  /** As somebody would in a console, with these tags. */
  async launch(tags: LaunchCall['tags'] = {}, clientToken?: string): Promise<DescribedInstance> {
    return this.#cloud.launch({ ...A_LAUNCH, tags, ...given({ clientToken }) });
  }

  /** Without having been asked: somebody terminated it. */
  async end(id: string): Promise<void> {
    await this.#cloud.terminate(id);
  }

  /** What the instance is like, whether or not a describe shows it; undefined: there never was one. */
  instance(id: string): DescribedInstance | undefined {
    const instance = this.#cloud.engine.instances.get(id);
    return instance && this.#cloud.engine.describe(instance);
  }

  /** As somebody would in a console. */
  async tag(id: string, tags: Readonly<Record<string, string>>): Promise<void> {
    await this.#cloud.tag(id, { tags });
  }

  /** As somebody would in a console. */
  stop(id: string): void {
    this.#cloud.engine.byHand('stop', id);
  }

  start(id: string): void {
    this.#cloud.engine.byHand('start', id);
  }

  /** As the cloud does with an instance that it may take back. */
  takeBack(id: string): void {
    this.#cloud.engine.byHand('take-back', id);
  }

  vanish(id: string): void {
    this.#cloud.engine.byHand('vanish', id);
  }

  reappear(id: string): void {
    this.#cloud.engine.byHand('reappear', id);
  }

  async #send(sent: WireRequest): Promise<WireAnswer> {
    const { path, headers, body = '', signal } = sent;
    const bearer = headers['authorization']?.replace('Bearer ', '');
    const request = { ...requestOf(path, body), ...given({ bearer }) };
    this.requests.push(request);
    return unlessGivenUp(
      this.onRequest(request, () => this.#wire.send(sent)),
      signal,
    );
  }
}

function requestOf(path: string, body: string): CloudRequest {
  const [collection, name = '', operation] = path.slice(1).split('/');
  if (collection === 'catalog') return { action: 'catalog' };
  if (operation === 'terminate') return { action: 'terminate', id: name };
  if (operation === 'reboot') return { action: 'reboot', id: name };
  if (operation === 'tags') return { action: 'tag', id: name };
  if (name === 'dry-run') return { action: 'dryRun' };
  if (name !== 'describe') return { action: 'launch' };
  const { filters = {} } = JSON.parse(body) as DescribeCall;
  return { action: 'describe', filters };
}
