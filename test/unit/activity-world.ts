import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { startTestCloud, type TestCloud } from '../../devstack/simulated-cloud/cloud-test-client.ts';
import type { LaunchCall } from '../../devstack/simulated-cloud/requests.ts';
import type { KubeClient, KubeList } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { CLUSTER_LABEL, FINALIZER } from '../../k8s/model/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Resource } from '../../k8s/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import type { Credentials, Provider } from '../../providers/provider.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { createSimulatedProvider } from '../../providers/simulated/simulated-provider.ts';
import { createActivities } from '../../workers/activities.ts';
import type { MachineEvent, MachineTarget } from '../../workflows/machine/machine-activities.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';

const API = 'machine.openshift.io/v1beta1';
export const NOW = '2026-01-01T00:00:00.000Z';
const PROVIDER_SPEC = {
  apiVersion: 'machine.millwright.dev/v1alpha1',
  kind: 'SimulatedMachineProviderConfig',
  instanceType: 'sim.small',
};
/** uid of kube-system. */
export const CLUSTER_UID = 'uid-of-the-cluster';

/** The account of all instances. */
export const HOME = 'home-account';

interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Record<string, unknown> & { name: string; namespace?: string; uid: string };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

/** A Machine to be: what is left out is as in most. */
export interface GivenMachine {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly providerID?: string;
  readonly status?: object;
  readonly metadata?: object;
}

/** The real activities, with the simulated cloud and as much of an API server as they need, in memory. */
export class ActivityWorld {
  readonly cloud: TestCloud;
  readonly activities: ReturnType<typeof createActivities>;
  readonly events: (MachineEvent & { readonly name: string })[] = [];
  readonly objects = new Map<string, Stored>();
  /** The account that all credentials lead to, as the cloud tells it; the instances are in {@link HOME}. */
  account: string | undefined;
  /** Ids of each describe. */
  readonly described: string[][] = [];
  /** Runs when an instance has just been tagged as a Machine's. */
  afterClaim: (id: string) => Promise<void> = async () => {};
  /** What the load balancer of every spec was asked. */
  readonly balanced: string[] = [];
  /** Credentials of each describe. */
  readonly credentials: Credentials[] = [];
  /** Plurals of the kinds that the API server refuses to list. */
  readonly refused = new Set<string>();
  readonly #close: () => Promise<void>;
  #version = 1;

  static async open(options: { readonly clusterNames?: readonly string[] } = {}): Promise<ActivityWorld> {
    return new ActivityWorld(await startTestCloud(), options.clusterNames ?? []);
  }

  private constructor(cloud: TestCloud, clusterNames: readonly string[]) {
    this.cloud = cloud;
    const provider = createSimulatedProvider({ clock: systemClock, endpoint: cloud.endpoint });
    const inAccounts: Provider = {
      ...provider,
      accountOf: async () => this.account,
      claim: async (...args) => {
        await provider.claim(...args);
        await this.afterClaim(args[1]);
      },
      loadBalancing: {
        loadBalancersOf: () => [{ name: 'front', type: 'network' }],
        register: async (_credentials, _loadBalancers, { id }) => void this.balanced.push(`register ${id}`),
        deregister: async (_credentials, _loadBalancers, { id }) => void this.balanced.push(`deregister ${id}`),
      },
      describe: async (credentials, ids, signal) => {
        this.described.push([...ids]);
        this.credentials.push(credentials);
        return this.account === undefined || this.account === HOME ? provider.describe(credentials, ids, signal) : [];
      },
    };
    this.#close = async () => {
      await provider.close();
      await cloud.close();
    };
    this.activities = createActivities({
      kube: this.#client(),
      providers: createProviderRegistry([inAccounts]),
      cluster: CLUSTER_UID,
      clusterNames,
      settings: DEFAULT_MACHINE_SETTINGS,
      events: { record: async ({ name }, event) => void this.events.push({ name, ...event }) },
      log: pino({ level: 'silent' }),
      inventoryIntervalSeconds: 300,
      inspect: async () => {},
      recount: async () => {},
      workflows: {
        listRunning: async () => new Set(),
        lookAt: async () => ({ state: 'running' }),
        start: async () => {},
      },
    });
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Runs an activity as a worker does. */
  run<T>(call: (activities: ActivityWorld['activities']) => Promise<T>, isLocal = true): Promise<T> {
    const info = { isLocal, currentAttemptScheduledTimestampMs: Date.now() };
    return new MockActivityEnvironment(info).run(() => call(this.activities));
  }

  machine(name: string, given: GivenMachine = {}): MachineTarget {
    const { namespace = 'default', cluster = 'c1', providerID, status, metadata } = given;
    const ref: ObjectRef = { apiVersion: API, kind: 'Machine', namespace, name, uid: `uid-${namespace}-${name}` };
    this.put({
      apiVersion: API,
      kind: 'Machine',
      metadata: {
        name,
        namespace,
        uid: ref.uid,
        generation: 1,
        creationTimestamp: NOW,
        labels: { [CLUSTER_LABEL]: cluster },
        finalizers: [FINALIZER],
        ...metadata,
      },
      spec: {
        providerSpec: { value: PROVIDER_SPEC },
        ...(providerID === undefined ? {} : { providerID }),
      },
      ...(status === undefined ? {} : { status: status as Record<string, unknown> }),
    });
    return { ref, cluster: CLUSTER_UID };
  }

  /** What allows the Machines of a namespace to adopt instances of this cluster. */
  clusterObject(name: string, namespace = 'default'): void {
    const metadata = { name, namespace, uid: `uid-of-cluster-${name}`, generation: 1, creationTimestamp: NOW };
    this.put({ apiVersion: API, kind: 'Cluster', metadata, spec: {} });
  }

  node(
    name: string,
    providerID: string | undefined,
    annotations: Record<string, string> = {},
  ): { name: string; uid: string } {
    const uid = `uid-of-node-${name}`;
    this.put({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid, creationTimestamp: NOW, annotations },
      spec: providerID === undefined ? {} : { providerID },
    });
    return { name, uid };
  }

  put(object: Stored): void {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.objects.set(keyOf(object.kind, object.metadata.namespace, object.metadata.name), { ...object, metadata });
  }

  get(kind: string, name: string, namespace?: string): Stored | undefined {
    return this.objects.get(keyOf(kind, namespace, name));
  }

  /** Launches as somebody else would. */
  launch(tags: LaunchCall['tags'] = {}): Promise<string> {
    return this.cloud.client.launchId({ clientToken: `token-${(this.#version += 1)}`, tags });
  }

  async tagsOf(id: string): Promise<Readonly<Record<string, string>>> {
    const { body } = await this.cloud.client.describe({ filters: { instanceIds: [id] } });
    return body.instances?.[0]?.tags ?? {};
  }

  async stateOf(id: string): Promise<string | undefined> {
    return this.cloud.client.state(id);
  }

  #client(): KubeClient {
    const find = (resource: Resource, namespace: string | undefined, name: string): Stored => {
      const found = this.get(resource.kind, name, resource.namespaced ? namespace : undefined);
      if (found === undefined) throw new KubeError(404, 'NotFound', `${resource.plural} ${name} not found`);
      return found;
    };
    const change = (found: Stored, body: object): Stored => {
      const { metadata } = body as { metadata?: { uid?: string } };
      if (metadata?.uid !== undefined && metadata.uid !== found.metadata.uid) throw conflict();
      this.put(merged(found, body) as Stored);
      return this.get(found.kind, found.metadata.name, found.metadata.namespace) ?? found;
    };
    const client: Partial<KubeClient> = {
      get: async <T>(resource: Resource, namespace: string | undefined, name: string) =>
        structuredClone(find(resource, namespace, name)) as T,
      list: async <T>({ kind, plural }: Resource): Promise<KubeList<T>> => {
        if (this.refused.has(plural)) throw new KubeError(403, 'Forbidden', `${plural} must not be listed`);
        const items = [...this.objects.values()].filter((object) => object.kind === kind);
        return { items: structuredClone(items) as T[], resourceVersion: String(this.#version) };
      },
      create: async <T>() => ({}) as T,
      apply: async <T>(resource: Resource, namespace: string | undefined, name: string, body: object) =>
        change(find(resource, namespace, name), body) as T,
      mergePatch: async <T>(resource: Resource, namespace: string | undefined, name: string, body: object) =>
        change(find(resource, namespace, name), body) as T,
      // The one that is sent takes a finalizer off.
      jsonPatch: async <T>(resource: Resource, namespace: string | undefined, name: string) =>
        change(find(resource, namespace, name), { metadata: { finalizers: null } }) as T,
      delete: async (resource, namespace, name, { uid } = {}) => {
        const found = find(resource, namespace, name);
        if (uid !== undefined && uid !== found.metadata.uid) throw conflict();
        this.objects.delete(keyOf(found.kind, found.metadata.namespace, name));
      },
    };
    return client as KubeClient;
  }
}

function conflict(): KubeError {
  return new KubeError(409, 'Conflict', 'the object is another one');
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** JSON merge patch (RFC 7396). */
function merged(known: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const base = typeof known === 'object' && known !== null && !Array.isArray(known) ? known : {};
  const result = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}
