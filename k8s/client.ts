import type { Resource } from './resources.ts';

export interface KubeList<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

export interface WriteOptions {
  readonly fieldManager?: string;
  /** Have the API server check it and not store it. @default false */
  readonly dryRun?: boolean;
}

/** Of a write that is not to come late. */
export interface TimedOptions {
  /** Asked right before it is sent: true has it rejected with the reason NotSent. @default it is never late */
  readonly isLate?: (() => boolean) | undefined;
}

export interface ApplyOptions extends WriteOptions, TimedOptions {
  readonly fieldManager: string;
  /** Take fields over from other managers. @default true */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

/** The requests Millwright makes of the Kubernetes API. Rejects with KubeError. */
export interface KubeClient {
  get<T>(resource: Resource, namespace: string | undefined, name: string): Promise<T>;
  /** How the API server serves objects of a kind; undefined: it does not. */
  find(apiVersion: string, kind: string): Promise<Resource | undefined>;
  /** A consistent read: never from a stale cache. Pages of 500. */
  list<T>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  create<T>(
    resource: Resource,
    namespace: string | undefined,
    body: object,
    options?: WriteOptions & TimedOptions,
  ): Promise<T>;
  /**
   * Server-side apply. A `metadata.uid` in the body is a precondition: another object, or none, is a Conflict. So is a
   * `metadata.resourceVersion` where the object is there; where it is not, the object is created all the same. The uid is no
   * precondition where the status of a custom resource is written; nothing is created there. Beside the metadata of a custom
   * resource, `{}` in place of a map that this manager applied all of is Invalid: such a map is to be left out.
   */
  apply<T>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    body: object,
    options: ApplyOptions,
  ): Promise<T>;
  /** JSON merge patch. A `metadata.uid` or `metadata.resourceVersion` in the body is a precondition, as in {@link apply}. */
  mergePatch<T>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    body: object,
    options?: WriteOptions & { readonly subresource?: 'status' | 'scale' },
  ): Promise<T>;
  /** JSON patch (RFC 6902), for list edits with a `test`. */
  jsonPatch<T>(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    body: readonly object[],
    options?: { readonly fieldManager?: string },
  ): Promise<T>;
  delete(resource: Resource, namespace: string | undefined, name: string, options?: DeleteOptions): Promise<void>;
  /**
   * Asks that a Pod leave its Node, where its PodDisruptionBudget allows that. Answered before the Pod has left; a webhook may
   * take its time, so it is waited for longer than for other requests, and beside them: how many are sent at once is the caller's to
   * say.
   *
   * @param isLate asked right before it is sent: true has it rejected with the reason NotSent
   */
  evict(pod: PodName, isLate: () => boolean): Promise<void>;
  /** Deletes a Pod, whatever its PodDisruptionBudget allows; otherwise as {@link KubeClient.evict}. */
  removePod(pod: PodName, gracePeriodSeconds: number, isLate: () => boolean): Promise<void>;
  /** The API server's time of day now, in milliseconds since the epoch, as its newest answer told it; undefined: it did not. */
  serverTime(): number | undefined;
}

export interface PodName {
  readonly namespace: string;
  readonly name: string;
  /** Precondition: another Pod of that name is a Conflict. */
  readonly uid: string;
}

export interface DeleteOptions {
  /** Precondition: another object of that name is a Conflict. */
  readonly uid?: string;
  /** Precondition: an object that changed since it was read is a Conflict. */
  readonly resourceVersion?: string;
  /** @default Background */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}
