import { APIS, type ApiRegistry } from '../../k8s/dialects/registry.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { startTestCloud, type TestCloud } from '../../devstack/doubles/cloud/json-front/cloud-test-client.ts';
import type { LaunchCall } from '../../devstack/doubles/cloud/json-front/requests.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { ObjectMeta } from '../../k8s/object-meta.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import type { Credentials, Provider } from '../../providers/provider.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { createSimulatedProvider } from '../../providers/simulated/simulated-provider.ts';
import { createActivities } from '../../workers/activities.ts';
import type { MachineEvent, MachineTarget } from '../../workflows/machine/machine-activities.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { aCluster } from '../world/builders/a-cluster.ts';
import { aMachine } from '../world/builders/a-machine.ts';
import { aNode } from '../world/builders/a-node.ts';
import { refOf } from '../world/builders/metadata.ts';
import { ApiServer } from '../world/kubernetes/api-server.ts';
import { before } from '../world/kubernetes/request.ts';
import { WorldWorkflows } from '../world/world-workflows.ts';

export const NOW = '2026-01-01T00:00:00.000Z';
/** uid of kube-system. */
export const CLUSTER_UID = 'uid-of-the-cluster';

/** The account of all instances. */
export const HOME = 'home-account';

/** A Machine to be: what is left out is as in most. */
export interface GivenMachine {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly providerID?: string;
  readonly status?: object;
  readonly metadata?: Partial<ObjectMeta>;
}

/** The real activities, with the simulated cloud and an API server in memory. */
export class ActivityWorld {
  readonly kube: ApiServer;
  readonly cloud: TestCloud;
  readonly activities: ReturnType<typeof createActivities>;
  readonly events: (MachineEvent & { readonly name: string })[] = [];
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
  #launches = 0;

  static async open(
    options: { readonly clusterNames?: readonly string[]; readonly apis?: ApiRegistry } = {},
  ): Promise<ActivityWorld> {
    return new ActivityWorld(await startTestCloud(), options.clusterNames ?? [], options.apis ?? APIS);
  }

  private constructor(cloud: TestCloud, clusterNames: readonly string[], apis: ApiRegistry) {
    this.cloud = cloud;
    this.kube = new ApiServer({ apis });
    this.kube.onRequest = before({ verb: 'list' }, ({ resource: { plural } }) => {
      if (this.refused.has(plural)) throw new KubeError(403, 'Forbidden', `${plural} must not be listed`);
    });
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
      kube: this.kube.client,
      apis,
      providers: createProviderRegistry([inAccounts]),
      clusterUid: CLUSTER_UID,
      clusterNames,
      settings: DEFAULT_MACHINE_SETTINGS,
      events: { record: async ({ name }, event) => void this.events.push({ name, ...event }) },
      clock: systemClock,
      log: pino({ level: 'silent' }),
      ...new WorldWorkflows().reached,
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
    const machine = aMachine({
      name,
      cluster,
      ...(providerID === undefined ? {} : { providerID }),
      ...(status === undefined ? {} : { status }),
      metadata: { namespace, uid: `uid-${namespace}-${name}`, creationTimestamp: NOW, ...metadata },
    });
    this.kube.put(machine);
    return { ref: refOf(machine), clusterUid: CLUSTER_UID };
  }

  /** A Machine as it is stored. */
  stored(name: string, namespace = 'default'): MachineObject | undefined {
    return this.kube.peek(MACHINES, namespace, name) as MachineObject | undefined;
  }

  /** What allows the Machines of a namespace to adopt instances of this cluster. */
  clusterObject(name: string, namespace = 'default'): void {
    this.kube.put(aCluster({ name, metadata: { namespace, uid: `uid-of-cluster-${name}` } }));
  }

  node(
    name: string,
    providerID: string | undefined,
    annotations: Record<string, string> = {},
  ): { name: string; uid: string } {
    const node = aNode({ name, annotations, ...(providerID === undefined ? {} : { providerID }) });
    this.kube.put(node);
    return { name, uid: node.metadata.uid };
  }

  /** Launches as somebody else would. */
  launch(tags: LaunchCall['tags'] = {}): Promise<string> {
    return this.cloud.client.launchId({ clientToken: `token-${(this.#launches += 1)}`, tags });
  }

  async tagsOf(id: string): Promise<Readonly<Record<string, string>>> {
    const { body } = await this.cloud.client.describe({ filters: { instanceIds: [id] } });
    return body.instances?.[0]?.tags ?? {};
  }

  async stateOf(id: string): Promise<string | undefined> {
    return this.cloud.client.state(id);
  }
}
