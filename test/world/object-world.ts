import { APIS } from '../../k8s/dialects/registry.ts';
import pino from 'pino';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createEventRecorder } from '../../activities/events.ts';
import type { ClusterObject } from '../../k8s/api/machine.openshift.io/cluster.ts';
import type { MachineClassObject } from '../../k8s/api/machine.openshift.io/machine-class.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { EVENTS, type Resource } from '../../k8s/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import { ApiServer } from './kubernetes/api-server.ts';
import type { KubeObject } from './kubernetes/kube-object.ts';
import type { KubeRequest } from './kubernetes/request.ts';

/** One object of ours in an API server in memory, and what a worker's activities need to act on it. */
export class ObjectWorld<Stored extends ClusterObject | MachineClassObject> {
  readonly kube = new ApiServer({ garbage: 'when told' });
  readonly ref: ObjectRef;
  readonly deps: ActivityDeps;
  /** Everything that was written, Events apart, and when, in milliseconds. */
  readonly writes: { readonly at: number; readonly request: KubeRequest }[] = [];
  /** Runs before each write; what it throws is the answer. */
  onWrite: (request: KubeRequest) => void = () => {};
  readonly #resource: Resource;

  constructor(
    clusterUid: string,
    { resource, object }: { readonly resource: Resource; readonly object: Stored },
    now: () => Promise<number> = async () => Date.now(),
  ) {
    this.#resource = resource;
    this.ref = refOf(object);
    this.kube.put(object);
    this.kube.onRequest = async (request, carryOut) => {
      if (!['get', 'list', 'watch'].includes(request.verb) && request.resource !== EVENTS) {
        this.writes.push({ at: await now(), request });
        this.onWrite(request);
      }
      return carryOut();
    };
    const log = pino({ level: 'silent' });
    this.deps = {
      kube: this.kube.client,
      apis: APIS,
      providers: createProviderRegistry([]),
      settings: DEFAULT_MACHINE_SETTINGS,
      clusterUid,
      clusterNames: [],
      events: createEventRecorder(this.kube.client, systemClock, log),
      clock: systemClock,
      log,
    };
  }

  get stored(): Stored | undefined {
    return this.kube.peek(this.#resource, NAMESPACE, this.ref.name) as Stored | undefined;
  }

  get status(): NonNullable<Stored['status']> {
    return this.stored?.status ?? {};
  }

  condition(type: string) {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  /** Reasons, in the order in which they were told. */
  get events(): readonly string[] {
    return this.kube.all<KubeObject & { readonly reason: string }>(EVENTS).map(({ reason }) => reason);
  }

  /** Changes the object, as a person does. */
  change(changes: (stored: Stored) => Stored): void {
    const { stored } = this;
    if (stored === undefined) throw new Error(`${this.ref.name} is gone`);
    const { metadata, ...changed } = changes(stored);
    this.kube.put({ ...changed, metadata: { ...metadata, generation: metadata.generation + 1 } });
  }

  lose(): void {
    this.kube.drop(this.#resource, NAMESPACE, this.ref.name);
  }
}
