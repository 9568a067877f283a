import type { MachineObject } from '../../k8s/api/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import type { ApplyOptions, KubeClient, KubeList, ListOptions } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { CLUSTER_LABEL, FINALIZER } from '../../k8s/model/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINES, MACHINE_SETS, type Resource } from '../../k8s/resources.ts';

/** A request as {@link MachineSetKube.onRequest} sees it, before it is carried out. */
export interface SetRequest {
  readonly verb: 'get' | 'list' | 'create' | 'delete' | 'patch' | 'apply' | 'event';
  readonly name: string;
}

const API_VERSION = 'machine.openshift.io/v1beta1';
const NAMESPACE = 'default';
const CREATED_AT = '2026-01-01T00:00:00Z';
const LABELS = { set: 'workers' };

/** As much of an API server as a MachineSet needs, in memory, with its preconditions and with finalizers. */
export class MachineSetKube {
  readonly ref: ObjectRef;
  set: MachineSetObject | undefined;
  readonly machines = new Map<string, MachineObject>();
  readonly requests: SetRequest[] = [];
  readonly events: { readonly reason: string; readonly message: string }[] = [];
  /**
   * Asked before every request is carried out: may throw in its place, change the world as somebody else would, or answer
   * `lost`: it is carried out, and nobody hears of it.
   */
  onRequest: (request: SetRequest) => void | 'lost' | Promise<void | 'lost'> = () => {};
  #version = 0;

  constructor(name: string, spec: Partial<MachineSetObject['spec']> = {}) {
    const template = { metadata: { labels: { ...LABELS, [CLUSTER_LABEL]: 'example' } }, spec: { providerSpec: {} } };
    this.ref = { apiVersion: API_VERSION, kind: 'MachineSet', namespace: NAMESPACE, name, uid: `uid-of-${name}` };
    this.set = {
      apiVersion: API_VERSION,
      kind: 'MachineSet',
      metadata: { ...this.#meta(name), uid: this.ref.uid },
      spec: { replicas: 3, selector: { matchLabels: LABELS }, template, ...spec },
    } as MachineSetObject;
  }

  /** Puts a Machine there: the set's own, with our finalizer, unless told otherwise. */
  add(name: string, metadata: Partial<MachineObject['metadata']> = {}, status?: MachineObject['status']): void {
    const owner = { apiVersion: API_VERSION, kind: 'MachineSet', name: this.ref.name, uid: this.ref.uid };
    this.machines.set(name, {
      apiVersion: API_VERSION,
      kind: 'Machine',
      metadata: {
        ...this.#meta(name),
        labels: { ...LABELS, [CLUSTER_LABEL]: 'example' },
        finalizers: [FINALIZER],
        ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
        ...metadata,
      },
      spec: { providerSpec: {} },
      ...(status === undefined ? {} : { status }),
    });
  }

  /** Changes the set's spec, as `kubectl scale` or `kubectl edit` do. */
  change(spec: Partial<MachineSetObject['spec']>): void {
    const set = this.#livingSet();
    const metadata = { ...set.metadata, generation: set.metadata.generation + 1, resourceVersion: this.#next() };
    this.set = { ...set, metadata, spec: { ...set.spec, ...spec } };
  }

  changeSetMeta(metadata: Partial<MachineSetObject['metadata']>): void {
    const set = this.#livingSet();
    this.set = { ...set, metadata: { ...set.metadata, resourceVersion: this.#next(), ...metadata } };
  }

  changeMachine(name: string, metadata: Partial<MachineObject['metadata']>): void {
    const known = this.#machine(name);
    const changed = { ...known.metadata, resourceVersion: this.#next(), ...metadata };
    this.machines.set(name, { ...known, metadata: changed });
  }

  /** Names of the Machines that are not being deleted, sorted. */
  get living(): readonly string[] {
    return [...this.machines.values()]
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  /** Names that this was asked for, in the order of the requests. */
  asked(verb: SetRequest['verb']): readonly string[] {
    return this.requests.filter((r) => r.verb === verb).map((r) => r.name);
  }

  condition(type: string) {
    return this.set?.status?.conditions?.find((c) => c.type === type);
  }

  get client(): KubeClient {
    const fake: Pick<KubeClient, 'get' | 'list' | 'create' | 'apply' | 'mergePatch' | 'delete'> = {
      get: <T>({ kind }: Resource, _namespace: string | undefined, name: string) =>
        this.#carryOut('get', name, () => this.#find(kind, name) as T),
      list: <T>(resource: Resource, options: ListOptions = {}) =>
        this.#carryOut('list', options.labelSelector ?? '', () => this.#list<T>(resource, options)),
      create: <T>(resource: Resource, _namespace: string | undefined, body: object) => this.#create<T>(resource, body),
      apply: <T>(_resource: Resource, _namespace: string | undefined, name: string, body: object, _o: ApplyOptions) =>
        this.#carryOut('apply', name, () => this.#applyStatus(body) as T),
      mergePatch: <T>(_resource: Resource, _namespace: string | undefined, name: string, body: object) =>
        this.#carryOut('patch', name, () => this.#patchMachine(name, body) as T),
      delete: (_resource, _namespace, name, options = {}) =>
        this.#carryOut('delete', name, () => this.#delete(name, options)),
    };
    return fake as KubeClient;
  }

  async #carryOut<T>(verb: SetRequest['verb'], name: string, act: () => T): Promise<T> {
    const request = { verb, name };
    this.requests.push(request);
    const fate = await this.onRequest(request);
    const answer = structuredClone(act());
    if (fate === 'lost') throw new KubeError(0, 'Unreachable', `${verb} ${name}: no answer`);
    return answer;
  }

  #list<T>(resource: Resource, { labelSelector }: ListOptions): KubeList<T> {
    if (resource.kind !== MACHINES.kind) throw new Error(`nobody lists ${resource.kind}s here`);
    const wanted = (labelSelector ?? '').split(',').filter((part) => part !== '');
    const items = [...this.machines.values()].filter(({ metadata }) =>
      wanted.every((part) => {
        const [key = '', value] = part.split('=');
        return metadata.labels?.[key] === value;
      }),
    );
    return { items: items as T[], resourceVersion: String(this.#version) };
  }

  #create<T>(resource: Resource, body: object): Promise<T> {
    if (resource.kind === 'Event') {
      const { reason, message } = body as { reason: string; message: string };
      return this.#carryOut('event', reason, () => {
        this.events.push({ reason, message });
        return body as T;
      });
    }
    const machine = body as MachineObject;
    const { name } = machine.metadata;
    return this.#carryOut('create', name, () => {
      if (this.machines.has(name)) throw new KubeError(409, 'AlreadyExists', `${name} exists`);
      this.machines.set(name, { ...machine, metadata: { ...this.#meta(name), ...machine.metadata } });
      return this.#machine(name) as T;
    });
  }

  #applyStatus(body: object): object {
    const { metadata, status } = body as MachineSetObject;
    const set = this.#livingSet();
    if (metadata.uid !== set.metadata.uid) throw new KubeError(409, 'Conflict', 'another set of that name');
    this.set = { ...set, status } as MachineSetObject;
    return this.set;
  }

  #patchMachine(name: string, body: object): object {
    const { uid, resourceVersion, ownerReferences } = (body as MachineObject).metadata;
    this.#demand(name, { uid, resourceVersion });
    if ((ownerReferences ?? []).filter((o) => o.controller === true).length > 1) {
      throw new KubeError(422, 'Invalid', `${name}: only one reference can have controller set to true`);
    }
    this.changeMachine(name, ownerReferences === undefined ? {} : { ownerReferences });
    return this.#machine(name);
  }

  #delete(name: string, { uid, resourceVersion }: { readonly uid?: string; readonly resourceVersion?: string }): void {
    this.#demand(name, {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    });
    const { finalizers = [], deletionTimestamp } = this.#machine(name).metadata;
    if (finalizers.length === 0) this.machines.delete(name);
    else if (deletionTimestamp === undefined) this.changeMachine(name, { deletionTimestamp: '2026-01-02T00:00:00Z' });
  }

  #demand(name: string, wanted: Readonly<Partial<Record<'uid' | 'resourceVersion', string>>>): void {
    const { uid, resourceVersion } = this.#machine(name).metadata;
    const isMeant = (wanted.uid ?? uid) === uid && (wanted.resourceVersion ?? resourceVersion) === resourceVersion;
    if (!isMeant) throw new KubeError(409, 'Conflict', `the preconditions for ${name} do not hold`);
  }

  #find(kind: string, name: string): object {
    if (kind !== MACHINE_SETS.kind) return this.#machine(name);
    if (this.set?.metadata.name !== name) throw new KubeError(404, 'NotFound', `MachineSet ${name} is not there`);
    return this.set;
  }

  #machine(name: string): MachineObject {
    const found = this.machines.get(name);
    if (found === undefined) throw new KubeError(404, 'NotFound', `Machine ${name} is not there`);
    return found;
  }

  #livingSet(): MachineSetObject {
    if (this.set === undefined) throw new KubeError(404, 'NotFound', 'the set is not there');
    return this.set;
  }

  #meta(name: string): MachineObject['metadata'] {
    const resourceVersion = this.#next();
    const known = { namespace: NAMESPACE, generation: 1, creationTimestamp: CREATED_AT, resourceVersion };
    return { name, uid: `uid-of-${name}`, ...known };
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }
}
