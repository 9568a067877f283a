import type { Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createEventRecorder } from '../../activities/events.ts';
import { readSecret } from '../../activities/secrets.ts';
import { APIS, type ApiRegistry } from '../../k8s/dialects/registry.ts';
import { EVENTS } from '../../k8s/resources.ts';
import { guardProvider } from '../../providers/guarded-provider.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { createActivities } from '../../workers/activities.ts';
import { DEFAULT_MACHINE_SETTINGS, type MachineSettings } from '../../workflows/machine/settings.ts';
import type { MachineTarget } from '../../workflows/machine/machine-activities.ts';
import { aLaunch } from './builders/a-launch.ts';
import { aMachine, type MachineFacts } from './builders/a-machine.ts';
import { refOf } from './builders/metadata.ts';
import { ApiServer } from './kubernetes/api-server.ts';
import type { KubeObject } from './kubernetes/kube-object.ts';
import { straight, type KubeRequest, type Passage } from './kubernetes/request.ts';
import { WorldCloud } from './world-cloud.ts';
import type { WorldClock } from './world-clock.ts';
import { WorldWorkflows } from './world-workflows.ts';

/** uid of kube-system. */
export const CLUSTER_UID = 'uid-of-the-cluster';

export interface WorldOptions {
  /** Whose objects are served and driven. @default the product's */
  readonly apis?: ApiRegistry;
  /** Clusters whose instances may be adopted without a Cluster object. @default none */
  readonly clusterNames?: readonly string[];
  readonly settings?: Partial<MachineSettings>;
  /** Whether the cloud honours client tokens. @default true */
  readonly tokens?: boolean;
}

export type ActivityPassage = <T>(name: string, run: () => Promise<T>) => Promise<T>;

/** The worker dies once, when this activity has done its work, for the n-th time, and nobody knows. */
export function diesAfter(activity: string, nth = 1): ActivityPassage {
  let times = 0;
  return async (name, run) => {
    const answer = await run();
    if (name !== activity || (times += 1) !== nth) return answer;
    throw ApplicationFailure.nonRetryable('the worker died', 'Silence');
  };
}

type Event = KubeObject & { readonly type: string; readonly reason: string; readonly message: string };

interface WorldWorker {
  readonly deps: ActivityDeps;
  readonly activities: ReturnType<typeof createActivities>;
}

/** Time that is skipped passes faster than heartbeats reach Temporal. */
const UNHURRIED: Partial<MachineSettings> = { heartbeatSeconds: DEFAULT_MACHINE_SETTINGS.callTimeoutSeconds };

/** Sets all uids of this process apart. */
let uids = 0;

/**
 * An API server and a cloud in memory, on one clock, and the activities of a worker that act on them. Each request to either
 * goes through a passage, where it can be held back, failed, or robbed of its answer.
 */
export class World {
  readonly clock: WorldClock;
  readonly kube: ApiServer;
  readonly cloud: WorldCloud;
  readonly workflows = new WorldWorkflows();
  /** The worker's requests to the API server; those about Events are not in here. */
  readonly requests: (KubeRequest & { readonly at: number })[] = [];
  /** What these requests go through. */
  onRequest: Passage = straight;
  /** What the worker's activities go through: it dies, as far as anybody can tell, where this throws. */
  onActivity: ActivityPassage = (_name, run) => run();
  readonly #given: Pick<ActivityDeps, 'apis' | 'clusterNames' | 'settings'>;
  #worker: WorldWorker;

  constructor(clock: WorldClock, options: WorldOptions = {}) {
    const { apis = APIS, clusterNames = [], settings, tokens = true } = options;
    this.clock = clock;
    this.kube = new ApiServer({
      apis,
      garbage: 'when told',
      now: () => clock.timeOfDay(),
      newUid: () => `00000000-0000-4000-8000-${(uids += 1).toString(16).padStart(12, '0')}`,
    });
    this.kube.onRequest = (request, carryOut) => {
      if (request.resource === EVENTS) return carryOut();
      this.requests.push({ ...request, at: clock.timeOfDay() });
      return this.onRequest(request, carryOut);
    };
    const secretData = async (namespace: string, name: string) =>
      (await readSecret(this.kube.client, namespace, name))?.data;
    this.cloud = new WorldCloud({ clock, tokens, readSecret: secretData });
    this.#given = { apis, clusterNames, settings: { ...DEFAULT_MACHINE_SETTINGS, ...UNHURRIED, ...settings } };
    this.#worker = this.#workerOver(this.cloud.provider);
  }

  /** What activities are made of. */
  get deps(): ActivityDeps {
    return this.#worker.deps;
  }

  get activities(): WorldWorker['activities'] {
    return this.#worker.activities;
  }

  /** Another worker takes over, which knows the cloud so. */
  replaceWorker(provider: Provider): void {
    this.#worker = this.#workerOver(provider);
  }

  #workerOver(provider: Provider): WorldWorker {
    const { clock } = this;
    const log = pino({ level: 'silent' });
    const deps: ActivityDeps = {
      ...this.#given,
      kube: this.kube.client,
      providers: createProviderRegistry([guardProvider(provider, clock)]),
      clusterUid: CLUSTER_UID,
      leaseNamespace: 'kube-system',
      events: createEventRecorder(this.kube.client, clock, log),
      clock,
      log,
    };
    return { deps, activities: createActivities({ ...deps, ...this.workflows.reached }) };
  }

  /**
   * Runs an activity as a worker does: a local one, unless it is said to be recorded.
   *
   * @param disturb may cancel it
   */
  run<T>(
    call: (activities: WorldWorker['activities']) => Promise<T>,
    info: Partial<Info> = {},
    disturb: (environment: MockActivityEnvironment) => void = () => {},
  ): Promise<T> {
    const asked = { isLocal: true, currentAttemptScheduledTimestampMs: this.clock.timeOfDay() };
    const environment = new MockActivityEnvironment({ ...asked, ...info }, { logger: new DefaultLogger('ERROR') });
    disturb(environment);
    return environment.run(() => call(this.activities));
  }

  /** Puts a Machine there, in place of the one of its name; answers how activities are asked about it. */
  addMachine(facts: MachineFacts = {}): MachineTarget {
    const machine = aMachine(facts);
    this.kube.put(machine);
    return { ref: refOf(machine), clusterUid: CLUSTER_UID };
  }

  /** The same, of a Machine that has an instance on record, which its launch made. */
  async addLaunched(facts: MachineFacts = {}): Promise<{ readonly target: MachineTarget; readonly id: string }> {
    const { metadata } = aMachine(facts);
    const { namespace, name, uid } = metadata;
    const { token } = aLaunch(metadata, facts.launch);
    const tags = { cluster: facts.cluster ?? 'c1', namespace, name, machineUid: uid, clusterUid: CLUSTER_UID };
    const { id, providerID } = await this.cloud.launch(tags, token);
    return { target: this.addMachine({ instanceId: id, providerID, launch: {}, ...facts }), id };
  }

  /** In the order in which they were told. */
  get events(): readonly Event[] {
    const versionOf = ({ metadata }: Event) => Number(metadata.resourceVersion);
    return this.kube.all<Event>(EVENTS).sort((a, b) => versionOf(a) - versionOf(b));
  }
}
