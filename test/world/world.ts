import { ApplicationFailure } from '@temporalio/common';
import { pino } from 'pino';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createEventRecorder } from '../../activities/events.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import { EVENTS } from '../../k8s/resources.ts';
import { guardProvider } from '../../providers/guarded-provider.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { createActivities } from '../../workers/activities.ts';
import { DEFAULT_MACHINE_SETTINGS, type MachineSettings } from '../../workflows/machine/settings.ts';
import { ApiServer } from './kubernetes/api-server.ts';
import type { KubeObject } from './kubernetes/kube-object.ts';
import { straight, type KubeRequest, type Passage } from './kubernetes/request.ts';
import { WorldCloud } from './world-cloud.ts';
import type { WorldClock } from './world-clock.ts';
import { NO_INVENTORY } from './no-inventory.ts';

/** uid of kube-system. */
export const CLUSTER_UID = 'uid-of-the-cluster';

export interface WorldOptions {
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
  /** The worker's requests to the API server; those about Events are not in here. */
  readonly requests: (KubeRequest & { readonly at: number })[] = [];
  /** What these requests go through. */
  onRequest: Passage = straight;
  /** What the worker's activities go through: it dies, as far as anybody can tell, where this throws. */
  onActivity: ActivityPassage = (_name, run) => run();
  readonly #settings: MachineSettings;
  #worker: WorldWorker;

  constructor(clock: WorldClock, { settings = {}, tokens = true }: WorldOptions = {}) {
    this.clock = clock;
    this.kube = new ApiServer({
      garbage: 'when told',
      now: () => clock.timeOfDay(),
      newUid: () => `00000000-0000-4000-8000-${(uids += 1).toString(16).padStart(12, '0')}`,
    });
    this.kube.onRequest = (request, carryOut) => {
      if (request.resource === EVENTS) return carryOut();
      this.requests.push({ ...request, at: clock.timeOfDay() });
      return this.onRequest(request, carryOut);
    };
    this.cloud = new WorldCloud({ clock, tokens });
    this.#settings = { ...DEFAULT_MACHINE_SETTINGS, ...UNHURRIED, ...settings };
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
      kube: this.kube.client,
      apis: APIS,
      providers: createProviderRegistry([guardProvider(provider, clock)]),
      settings: this.#settings,
      clusterUid: CLUSTER_UID,
      clusterNames: [],
      events: createEventRecorder(this.kube.client, clock, log),
      clock,
      log,
    };
    const activities = createActivities({
      ...deps,
      ...NO_INVENTORY,
    });
    return { deps, activities };
  }

  /** In the order in which they were told. */
  get events(): readonly Event[] {
    const versionOf = ({ metadata }: Event) => Number(metadata.resourceVersion);
    return this.kube.all<Event>(EVENTS).sort((a, b) => versionOf(a) - versionOf(b));
  }
}
