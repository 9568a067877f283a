import type { KubeClient } from '../../../k8s/client.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import type { Resource } from '../../../k8s/resources.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { given } from '../../../providers/given.ts';

/** Of every object that is created. */
export const LABELS = { 'machine.openshift.io/cluster-api-cluster': 'c' };

// Fields that the real one fills in with defaults of a core kind. No test reads them, so the one in memory does not know them.
const DEFAULTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['Node', ['status']],
  ['Event', ['eventTime', 'firstTimestamp', 'lastTimestamp', 'reportingComponent', 'reportingInstance', 'source']],
]);

/** Requests about one object, and what came of each, as far as two API servers can agree on it. */
export class ParityStory {
  readonly outcomes: unknown[] = [];
  #version: string | undefined;
  readonly #kube: KubeClient;
  readonly #resource: Resource;
  readonly #namespace: string | undefined;
  readonly #name: string;

  constructor(kube: KubeClient, resource: Resource, namespace: string, name: string) {
    this.#kube = kube;
    this.#resource = resource;
    this.#namespace = resource.namespaced ? namespace : undefined;
    this.#name = name;
  }

  /** @param own laid over its metadata */
  create(body: object, own: object = {}) {
    const metadata = { labels: LABELS, name: this.#name, ...own };
    return this.#tell(() =>
      this.#kube.create(this.#resource, this.#namespace, this.#whole({ metadata, ...body }), {
        fieldManager: 'creator',
      }),
    );
  }

  dryRun(body: object) {
    const metadata = { labels: LABELS, name: this.#name };
    const options = { fieldManager: 'creator', dryRun: true };
    return this.#tell(() =>
      this.#kube.create(this.#resource, this.#namespace, this.#whole({ metadata, ...body }), options),
    );
  }

  get() {
    return this.#tell(() => this.#kube.get(this.#resource, this.#namespace, this.#name));
  }

  /** @param body names the object, unless it has metadata with a name that is undefined */
  apply(
    fieldManager: string,
    { metadata, ...parts }: { readonly metadata?: object; readonly [part: string]: unknown },
    options: { subresource?: 'status'; force?: boolean } = {},
  ) {
    const body = { ...parts, metadata: { name: this.#name, ...metadata } };
    return this.#tell(() =>
      this.#kube.apply(this.#resource, this.#namespace, this.#name, body, { fieldManager, ...options }),
    );
  }

  merge(fieldManager: string, body: object, options: { subresource?: 'status' | 'scale' } = {}) {
    return this.#tell(() =>
      this.#kube.mergePatch(this.#resource, this.#namespace, this.#name, body, { fieldManager, ...options }),
    );
  }

  patch(...steps: readonly object[]) {
    return this.#tell(() =>
      this.#kube.jsonPatch(this.#resource, this.#namespace, this.#name, steps, { fieldManager: 'patcher' }),
    );
  }

  delete(options: Parameters<KubeClient['delete']>[3] = {}) {
    return this.#tell(() => this.#kube.delete(this.#resource, this.#namespace, this.#name, options));
  }

  list(options: { labelSelector?: string; fieldSelector?: string }) {
    return this.#tell(async () => {
      const place = given({ namespace: this.#namespace });
      const { items } = await this.#kube.list<KubeObject>(this.#resource, { ...place, ...options });
      return { names: items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(this.#name)) };
    });
  }

  #whole(body: object): object {
    const { apiVersion, kind } = this.#resource;
    return { apiVersion, kind, ...body };
  }

  async #tell(request: () => Promise<unknown>): Promise<void> {
    try {
      const answer = await request();
      this.outcomes.push(this.#essence(answer as Partial<KubeObject> | undefined));
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      this.outcomes.push(`${error.status} ${error.reason}`);
    }
  }

  #essence(object: Partial<KubeObject> | undefined): unknown {
    if (object?.metadata === undefined) return object ?? 'done';
    const { metadata, ...all } = object;
    const defaulted = DEFAULTED.get(this.#resource.kind) ?? [];
    const parts = Object.fromEntries(Object.entries(all).filter(([part]) => !defaulted.includes(part)));
    const { labels, annotations, finalizers, generation, ownerReferences, managedFields = [] } = metadata;
    const isWritten = metadata.resourceVersion !== this.#version;
    this.#version = metadata.resourceVersion;
    const managers = managedFields.map(({ manager, operation, subresource, fieldsV1 }) => {
      return { who: `${manager} ${operation} ${subresource ?? ''}`, fieldsV1 };
    });
    return {
      ...parts,
      metadata: { labels, annotations, finalizers, generation, ownerReferences },
      isWritten,
      isDeleting: metadata.deletionTimestamp !== undefined,
      grace: metadata.deletionGracePeriodSeconds,
      managers: managers.sort((a, b) => (a.who < b.who ? -1 : 1)),
    };
  }
}
