import type { ApplyOptions, CreateOptions, KubeClient, KubeList } from '../../k8s/client.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { Resource } from '../../k8s/resources.ts';

/** An object, as far as an installation looks at it. */
export interface FakeObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    managedFields?: { manager: string }[];
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  data?: Record<string, string>;
}

/**
 * As much of an API server as an installation needs, in memory: what is applied is in force at once. Every write asks
 * `beforeWrite` first, which may throw in place of a crash, or change the world as somebody else would.
 */
export class FakeKube implements Pick<KubeClient, 'get' | 'list' | 'apply' | 'create' | 'mergePatch'> {
  readonly objects = new Map<string, FakeObject>();
  beforeWrite: (description: string) => void = () => {};
  /** As `beforeWrite`, of each read of one object. */
  beforeRead: (description: string) => void = () => {};
  /** Whether the status of a policy says that it was read. */
  hasPolicyStatus = true;
  /** What is said to an object that is to be created, as a dry run; it may throw. */
  onDryRun: (kind: string) => void = () => {};
  #version = 0;

  add(object: FakeObject): void {
    this.#store({ ...object, metadata: { uid: `uid-${object.kind}-${object.metadata.name}`, ...object.metadata } });
  }

  all(kind: string): FakeObject[] {
    return [...this.objects.values()].filter((object) => object.kind === kind);
  }

  /** Somebody changes an object. */
  change(kind: string, name: string, edit: (object: FakeObject) => FakeObject): void {
    const known = this.all(kind).find(({ metadata }) => metadata.name === name);
    if (known === undefined) throw new Error(`there is no ${kind} ${name}`);
    this.#store(edit(structuredClone(known)));
  }

  async get<T>(resource: Resource, namespace: string | undefined, name: string): Promise<T> {
    this.beforeRead(`get ${resource.kind} ${name}`);
    return this.#find(resource, namespace, name) as T;
  }

  async list<T>(resource: Resource): Promise<KubeList<T>> {
    return { items: structuredClone(this.all(resource.kind)) as T[], resourceVersion: String(this.#version) };
  }

  async apply<T>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    body: object,
    { fieldManager, subresource }: ApplyOptions,
  ): Promise<T> {
    this.beforeWrite(`apply ${resource.kind} ${name}${subresource === undefined ? '' : `/${subresource}`}`);
    const given = body as FakeObject;
    const known = this.objects.get(keyOf(resource.kind, namespace, name));
    if (known !== undefined && subresource === 'status') {
      this.#store({ ...known, status: given.status ?? {} });
      return this.#find(resource, namespace, name) as T;
    }
    const managers = new Set([...(known?.metadata.managedFields ?? []).map(({ manager }) => manager), fieldManager]);
    this.#store({
      ...known,
      ...given,
      metadata: {
        ...known?.metadata,
        ...given.metadata,
        generation: 1,
        managedFields: [...managers].map((manager) => ({ manager })),
      },
      status: {
        ...(this.hasPolicyStatus ? { observedGeneration: 1 } : {}),
        conditions: [{ type: 'Established', status: 'True' }],
      },
    });
    return this.#find(resource, namespace, name) as T;
  }

  async create<T>(
    resource: Resource,
    _namespace: string | undefined,
    body: object,
    options?: CreateOptions,
  ): Promise<T> {
    if (options?.dryRun !== true) throw new Error('not part of an installation');
    this.onDryRun(resource.kind);
    return body as T;
  }

  async mergePatch<T>(resource: Resource, namespace: string | undefined, name: string, body: object): Promise<T> {
    this.beforeWrite(`patch ${resource.kind} ${name}`);
    const known = this.#find(resource, namespace, name);
    const { metadata } = body as { metadata: { resourceVersion?: string; annotations: Record<string, string | null> } };
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== known.metadata.resourceVersion) {
      throw new KubeError(409, 'Conflict', `${resource.kind} ${name} has changed`);
    }
    const merged = Object.entries({ ...known.metadata.annotations, ...metadata.annotations });
    const annotations = Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
    this.#store({ ...known, metadata: { ...known.metadata, annotations } });
    return this.#find(resource, namespace, name) as T;
  }

  /** The client that product code is given. */
  get client(): KubeClient {
    return this as unknown as KubeClient;
  }

  #find(resource: Resource, namespace: string | undefined, name: string): FakeObject {
    const found = this.objects.get(keyOf(resource.kind, namespace, name));
    if (found === undefined) throw new KubeError(404, 'NotFound', `${resource.kind} ${name} not found`);
    return structuredClone(found);
  }

  #store(object: FakeObject): void {
    this.#version += 1;
    const { kind, metadata } = object;
    this.objects.set(keyOf(kind, metadata.namespace, metadata.name), {
      ...object,
      metadata: { ...metadata, resourceVersion: String(this.#version) },
    });
  }
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}
