import type {
  Credentials,
  Instance,
  LoadBalancer,
  LoadBalancing,
  Provider,
  ResolveRequest,
} from '../../providers/provider.ts';

export interface BalancerCall {
  readonly action: keyof Omit<LoadBalancing, 'loadBalancersOf'>;
  /** The instance that it is about. */
  readonly id: string;
  readonly addresses: Instance['addresses'];
  readonly loadBalancers: readonly LoadBalancer[];
  readonly credentials: Credentials;
}

/** What every call goes through. */
type Passing = (call: BalancerCall, carryOut: () => Promise<void>) => Promise<void>;

/** The load balancers of the cloud in a world, and who is behind them. A spec names them in `loadBalancers`. */
export class WorldBalancers {
  /** Those that took effect. */
  readonly calls: BalancerCall[] = [];
  readonly #behind = new Map<string, ReadonlySet<string>>();

  /** Ids of the instances behind each, without those that have none. */
  get behind(): Readonly<Record<string, readonly string[]>> {
    const taken = [...this.#behind].filter(([, ids]) => ids.size > 0);
    return Object.fromEntries(taken.map(([name, ids]) => [name, [...ids]]));
  }

  /** The same provider, of a cloud that has load balancers. */
  added(provider: Provider, pass: Passing): Provider {
    const call =
      (action: BalancerCall['action'], change: (ids: Set<string>, id: string) => void): LoadBalancing[typeof action] =>
      (credentials, loadBalancers, { id, addresses }) => {
        const asked = { action, id, addresses, loadBalancers, credentials };
        return pass(asked, async () => {
          this.calls.push(asked);
          for (const { name } of loadBalancers) {
            const ids = new Set(this.#behind.get(name));
            change(ids, id);
            this.#behind.set(name, ids);
          }
        });
      };
    return {
      ...provider,
      resolve: async (request) => {
        const { names, rest } = parted(request);
        const parameters = await provider.resolve(rest);
        return names.length === 0 ? parameters : { ...parameters, loadBalancers: names };
      },
      loadBalancing: {
        loadBalancersOf: (request) => parted(request).names,
        register: call('register', (ids, id) => ids.add(id)),
        deregister: call('deregister', (ids, id) => ids.delete(id)),
      },
    };
  }
}

/** The load balancers of a spec, and the rest of it, which is the cloud's own. */
function parted(request: ResolveRequest): { readonly names: readonly LoadBalancer[]; readonly rest: ResolveRequest } {
  const { providerSpec: spec } = request;
  if (typeof spec !== 'object' || spec === null || !('loadBalancers' in spec)) return { names: [], rest: request };
  const { loadBalancers, ...providerSpec } = spec;
  const names = Array.isArray(loadBalancers) ? loadBalancers.map(String) : [];
  return { names: names.map((name) => ({ name, type: 'simulated' })), rest: { ...request, providerSpec } };
}
