import { APIS } from '../../k8s/dialects/registry.ts';
import pino from 'pino';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createEventRecorder } from '../../activities/events.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ObjectMeta } from '../../k8s/object-meta.ts';
import { EVENTS, MACHINE_SETS, MACHINES } from '../../k8s/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { aMachine } from './builders/a-machine.ts';
import { aMachineSet, type MachineSetFacts } from './builders/a-machine-set.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import { ApiServer } from './kubernetes/api-server.ts';
import type { KubeObject } from './kubernetes/kube-object.ts';
import { straight, type KubeRequest, type Passage } from './kubernetes/request.ts';

type Event = KubeObject & { readonly reason: string; readonly message: string };

/** A MachineSet and its Machines in an API server in memory, and what a worker's activities need to act on them. */
export class SetWorld {
  readonly kube = new ApiServer({ garbage: 'when told' });
  readonly ref: ObjectRef;
  readonly requests: KubeRequest[] = [];
  /** What activities are made of. */
  readonly deps: ActivityDeps;
  /** What the requests about sets and Machines go through. */
  onRequest: Passage = straight;
  readonly #given: MachineSetObject;

  constructor(cluster: string, facts: MachineSetFacts) {
    this.#given = aMachineSet(facts);
    this.ref = refOf(this.#given);
    this.kube.put(this.#given);
    this.kube.onRequest = (request, carryOut) => {
      this.requests.push(request);
      return request.resource === EVENTS ? carryOut() : this.onRequest(request, carryOut);
    };
    const log = pino({ level: 'silent' });
    this.deps = {
      kube: this.kube.client,
      apis: APIS,
      providers: createProviderRegistry([]),
      settings: DEFAULT_MACHINE_SETTINGS,
      cluster,
      clusterNames: [],
      events: createEventRecorder(this.kube.client, systemClock, log),
      clock: systemClock,
      log,
    };
  }

  get set(): MachineSetObject | undefined {
    return this.kube.peek(MACHINE_SETS, NAMESPACE, this.ref.name) as MachineSetObject | undefined;
  }

  get machines(): readonly MachineObject[] {
    return this.kube.all<MachineObject>(MACHINES);
  }

  machine(name: string): MachineObject | undefined {
    return this.kube.peek(MACHINES, NAMESPACE, name) as MachineObject | undefined;
  }

  /** Puts a Machine there: the set's own, with our finalizer, unless told otherwise. */
  add(name: string, metadata: Partial<ObjectMeta> = {}): void {
    this.kube.put(aMachine({ name, set: this.#given, metadata }));
  }

  /** Changes the set's spec, as `kubectl scale` or `kubectl edit` do; it may be malformed on purpose. */
  change(spec: object): void {
    const { metadata, ...set } = this.#livingSet();
    const next = { ...metadata, generation: metadata.generation + 1 };
    this.kube.put({ ...set, metadata: next, spec: { ...set.spec, ...spec } } as MachineSetObject);
  }

  changeSetMeta(metadata: Partial<ObjectMeta>): void {
    const set = this.#livingSet();
    this.kube.put({ ...set, metadata: { ...set.metadata, ...metadata } });
  }

  loseSet(): void {
    this.kube.drop(MACHINE_SETS, NAMESPACE, this.ref.name);
  }

  changeMachine(name: string, metadata: Partial<ObjectMeta>): void {
    const machine = this.machine(name);
    if (machine === undefined) throw new Error(`there is no Machine ${name}`);
    this.kube.put({ ...machine, metadata: { ...machine.metadata, ...metadata } });
  }

  lose(name: string): void {
    this.kube.drop(MACHINES, NAMESPACE, name);
  }

  /** Names of the Machines that are not being deleted, sorted. */
  get living(): readonly string[] {
    return this.machines
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  }

  /** Names that this was asked for, in the order of the requests; Events apart. */
  asked(verb: KubeRequest['verb']): readonly string[] {
    const asked = this.requests.filter((request) => request.verb === verb && request.resource !== EVENTS);
    return asked.map(({ name }) => name ?? '');
  }

  /** In the order in which they were told. */
  get events(): readonly Event[] {
    const versionOf = ({ metadata }: Event) => Number(metadata.resourceVersion);
    return this.kube.all<Event>(EVENTS).sort((a, b) => versionOf(a) - versionOf(b));
  }

  condition(type: string) {
    return this.set?.status?.conditions?.find((c) => c.type === type);
  }

  #livingSet(): MachineSetObject {
    const { set } = this;
    if (set === undefined) throw new Error('the set is not there');
    return set;
  }
}
