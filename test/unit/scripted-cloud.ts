import {
  ProviderError,
  type Credentials,
  type Instance,
  type LoadBalancer,
  type Provider,
} from '../../providers/provider.ts';

/** A call that reached the cloud. */
export interface CloudCall {
  readonly operation: string;
  readonly credentials: Credentials;
  readonly ids: readonly string[];
}

/** Decides what comes of a call before it is answered: it may throw, or wait, for ever if need be. */
export type Disturbance = (call: CloudCall) => Promise<void> | void;

/** A cloud in memory, for activities: instances by id, and the calls that reached it. Specs may name region and secret. */
export class ScriptedCloud {
  readonly instances = new Map<string, Instance>();
  readonly calls: CloudCall[] = [];
  /** Load balancer → instances behind it. */
  readonly behind = new Map<string, Set<string>>();
  disturb: Disturbance = () => {};

  add(id: string, more: Partial<Instance> = {}): Instance {
    const instance: Instance = {
      id,
      providerID: `fake:///zone-a/${id}`,
      state: 'running',
      region: 'r',
      zone: 'zone-a',
      instanceType: 't',
      addresses: [],
      ...more,
    };
    this.instances.set(id, instance);
    return instance;
  }

  called(operation: string): readonly CloudCall[] {
    return this.calls.filter((call) => call.operation === operation);
  }

  readonly provider: Provider = {
    name: 'fake',
    providerSpecKinds: ['Fake'],
    describeBatchSize: 100,
    idempotency: 'token',
    isInstanceId: (id) => id.startsWith('i-'),
    credentialsOf: ({ owner, providerSpec }) => ({ namespace: owner.namespace, ...placeOf(providerSpec) }),
    resolve: async (request) => {
      const credentials = this.provider.credentialsOf(request);
      await this.#note('resolve', credentials);
      return { provider: 'fake', credentials, zone: 'zone-a', instanceType: 't', request: {} };
    },
    launch: async ({ parameters, token, owner }) => {
      await this.#note('launch', parameters.credentials);
      return this.add(`i-of-${owner.name}`, { token, machineUid: owner.uid });
    },
    describe: async (credentials, ids) => {
      await this.#note('describe', credentials, ids);
      return ids.flatMap((id) => this.instances.get(id) ?? []);
    },
    findByMachine: async (credentials, owner, token) => {
      await this.#note('findByMachine', credentials);
      return [...this.instances.values()].filter((i) => i.machineUid === owner.uid || i.token === (token ?? ''));
    },
    findByMachines: (credentials, searches) =>
      Promise.all(searches.map(({ owner, token }) => this.provider.findByMachine(credentials, owner, token))),
    claim: async (credentials, id, { uid }) => {
      await this.#note('claim', credentials, [id]);
      this.add(id, { ...this.instances.get(id), machineUid: uid });
    },
    terminate: async (credentials, id) => {
      await this.#note('terminate', credentials, [id]);
      const instance = this.instances.get(id);
      if (instance === undefined) throw new ProviderError('NotFound', `there is no ${id}`);
      this.add(id, { ...instance, state: 'shutting-down' });
      return 'shutting-down';
    },
    list: async (credentials) => {
      await this.#note('list', credentials);
      return [...this.instances.values()];
    },
    loadBalancing: {
      loadBalancersOf: ({ providerSpec }) => namesIn(providerSpec).map((name) => ({ name, type: 'network' })),
      register: async (credentials, loadBalancers, { id }) => {
        await this.#note('register', credentials, [id]);
        for (const { name } of loadBalancers) this.#behind(name).add(id);
      },
      deregister: async (credentials, loadBalancers: readonly LoadBalancer[], { id }) => {
        await this.#note('deregister', credentials, [id]);
        for (const { name } of loadBalancers) this.#behind(name).delete(id);
      },
    },
  };

  #behind(name: string): Set<string> {
    const known = this.behind.get(name) ?? new Set<string>();
    this.behind.set(name, known);
    return known;
  }

  async #note(operation: string, credentials: Credentials, ids: readonly string[] = []): Promise<void> {
    const call = { operation, credentials, ids };
    this.calls.push(call);
    await this.disturb(call);
  }
}

/** Never answers. */
export const silence = () => new Promise<void>(() => {});

function placeOf(spec: unknown): Partial<Credentials> {
  if (!isObject(spec)) return {};
  const { region, secretName } = spec;
  return {
    ...(typeof region === 'string' ? { region } : {}),
    ...(typeof secretName === 'string' ? { secretName } : {}),
  };
}

function namesIn(spec: unknown): string[] {
  const names = isObject(spec) ? spec['loadBalancers'] : undefined;
  return Array.isArray(names) ? names.map(String) : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
