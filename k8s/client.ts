import type { KubeConfig } from '@kubernetes/client-node';
import pLimit from 'p-limit';
import { request, type Dispatcher } from 'undici';
import { KubeError, notSent } from './kube-error.ts';
import { evictionOf, queryOf, removalOf } from './request-texts.ts';
import { openAccess, type Access } from './open-access.ts';
import { readFailure, readHiddenFailure, type RequestTarget } from './read-failure.ts';
import { PODS, resourcePath, type Resource } from './resources.ts';
// oxlint-disable-next-line no-restricted-imports -- the default, for programs that have no other clock
import { startDeadline, systemClock, type Clock } from '../providers/clock.ts';
import { given } from '../providers/given.ts';

export interface KubeList<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Take fields over from other managers. @default true */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

export interface CreateOptions {
  readonly fieldManager?: string;
  /** Have the API server check it and not store it. @default false */
  readonly dryRun?: boolean;
}

/**
 * The requests Millwright makes of the Kubernetes API, over the connection and the credentials that
 * `@kubernetes/client-node` reads from a kubeconfig. The generated client of that package copies every object through
 * its serializer, which is a good part of a worker's CPU; this one passes JSON through. Rejects with {@link KubeError}.
 */
export interface KubeClient {
  get<T>(resource: Resource, namespace: string | undefined, name: string): Promise<T>;
  /** A consistent read: never from a stale cache. Pages of 500. */
  list<T>(resource: Resource, options?: ListOptions): Promise<KubeList<T>>;
  create<T>(resource: Resource, namespace: string | undefined, body: object, options?: CreateOptions): Promise<T>;
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
    options?: { readonly fieldManager?: string; readonly subresource?: 'status' | 'scale' },
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

export interface KubeClientOptions {
  /** Time limit of one request, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
  /** Most requests under way at once, but for those that have Pods leave; further ones wait their turn. @default 32 */
  readonly concurrency?: number;
  /** Tells how long credentials are known, how long ago an answer came, and when a request has taken too long. @default the host's */
  readonly clock?: Clock;
}

const PAGE_SIZE = 500;
/** Time limit of what has a Pod leave, in milliseconds. */
const POD_TIMEOUT_MS = 15_000;

type Limit = <T>(run: () => Promise<T>) => Promise<T>;

const unlimited: Limit = (run) => run();

interface Page<T> {
  readonly items?: T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

/** A client for the current context of `config`. */
export function createKubeClient(config: KubeConfig, options: KubeClientOptions = {}): KubeClient {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const clock = options.clock ?? systemClock;
  const requests = pLimit(options.concurrency ?? 32);
  let access: Promise<Access> | undefined;
  /** When the newest answer was made, in its own words, and when it came. */
  let dated: { readonly date: string | string[] | undefined; readonly at: number } | undefined;

  async function currentAccess(): Promise<Access> {
    const known = await access?.catch(() => undefined);
    if (known !== undefined && known.until > clock.now()) return known;
    access = openAccess(config, clock, known?.dispatcher);
    return access;
  }

  async function send<T>(
    method: Dispatcher.HttpMethod,
    target: RequestTarget,
    path: string,
    body?: string,
    type?: string,
    /** Of what has a Pod leave: beside all other requests. */
    isLate?: () => boolean,
  ): Promise<T> {
    const [limit, mostMs]: readonly [Limit, number] =
      isLate === undefined ? [requests, timeoutMs] : [unlimited, POD_TIMEOUT_MS];
    return limit(async () => {
      const { server, headers, dispatcher } = await currentAccess();
      const what = `${method} ${path}`;
      if (isLate?.() === true) throw notSent(what);
      let status: number;
      let text: string;
      const deadline = startDeadline(clock, mostMs, new Error(`took longer than ${mostMs} ms`));
      try {
        const response = await request(`${server}${path}`, {
          method,
          headers: { ...headers, accept: 'application/json', ...given({ 'content-type': type }) },
          body: body ?? null,
          signal: deadline.signal,
          ...given({ dispatcher }),
        });
        dated = { date: response.headers['date'], at: clock.now() };
        status = response.statusCode;
        text = await response.body.text();
      } catch (error) {
        throw new KubeError(0, 'Unreachable', `${what}: no answer from ${server}: ${String(error)}`, { cause: error });
      } finally {
        deadline.callOff();
      }
      if (status >= 400) throw readFailure(what, target, status, text);
      const hidden = method === 'POST' ? readHiddenFailure(what, target, text) : undefined;
      if (hidden !== undefined) throw hidden;
      return JSON.parse(text) as T;
    });
  }

  return {
    serverTime() {
      const date = Date.parse(String(dated?.date));
      return dated === undefined || Number.isNaN(date) ? undefined : date + clock.now() - dated.at;
    },

    get: (resource, namespace, name) => send('GET', { resource, name }, resourcePath(resource, namespace, name)),

    async list<T>(
      resource: Resource,
      { namespace, labelSelector, fieldSelector }: ListOptions = {},
    ): Promise<KubeList<T>> {
      const items: T[] = [];
      let next: string | undefined;
      for (;;) {
        const query = { limit: String(PAGE_SIZE), labelSelector, fieldSelector, continue: next };
        const path = `${resourcePath(resource, namespace)}${queryOf(query)}`;
        const page = await send<Page<T>>('GET', { resource }, path);
        items.push(...(page.items ?? []));
        next = page.metadata.continue;
        if (next === undefined || next === '') return { items, resourceVersion: page.metadata.resourceVersion };
      }
    },

    create: (resource, namespace, body, { fieldManager, dryRun = false } = {}) =>
      send(
        'POST',
        { resource },
        `${resourcePath(resource, namespace)}${queryOf({ fieldManager, dryRun: dryRun ? 'All' : undefined })}`,
        JSON.stringify(body),
        'application/json',
      ),

    apply: (resource, namespace, name, body, { fieldManager, force = true, subresource }) =>
      send(
        'PATCH',
        { resource, name },
        `${resourcePath(resource, namespace, name, subresource)}${queryOf({ fieldManager, force: String(force) })}`,
        JSON.stringify({ apiVersion: resource.apiVersion, kind: resource.kind, ...body }),
        'application/apply-patch+yaml',
      ),

    mergePatch: (resource, namespace, name, body, { fieldManager, subresource } = {}) =>
      send(
        'PATCH',
        { resource, name },
        `${resourcePath(resource, namespace, name, subresource)}${queryOf({ fieldManager })}`,
        JSON.stringify(body),
        'application/merge-patch+json',
      ),

    jsonPatch: (resource, namespace, name, body, { fieldManager } = {}) =>
      send(
        'PATCH',
        { resource, name },
        `${resourcePath(resource, namespace, name)}${queryOf({ fieldManager })}`,
        JSON.stringify(body),
        'application/json-patch+json',
      ),

    async delete(resource, namespace, name, options = {}) {
      const text = removalOf(options);
      await send('DELETE', { resource, name }, resourcePath(resource, namespace, name), text, 'application/json');
    },

    async evict(pod, isLate) {
      const { namespace, name } = pod;
      const path = resourcePath(PODS, namespace, name, 'eviction');
      await send('POST', { resource: PODS, name }, path, evictionOf(pod), 'application/json', isLate);
    },

    async removePod({ namespace, name, uid }, gracePeriodSeconds, isLate) {
      const path = resourcePath(PODS, namespace, name);
      const text = removalOf({ uid, gracePeriodSeconds });
      await send('DELETE', { resource: PODS, name }, path, text, 'application/json', isLate);
    },
  };
}
