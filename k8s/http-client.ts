import type { KubeConfig } from './kubernetes-client.ts';
import pLimit from 'p-limit';
import { request, type Dispatcher } from 'undici';
import type { KubeClient, KubeList, ListOptions } from './client.ts';
import { isNotServed, KubeError, notSent } from './kube-error.ts';
import { evictionOf, queryOf, removalOf, writeQuery } from './request-texts.ts';
import { openAccess, type Access } from './open-access.ts';
import { readFailure, readHiddenFailure, type RequestTarget } from './read-failure.ts';
import { PODS, resourcePath, versionPath, type Resource } from './resources.ts';
// oxlint-disable-next-line no-restricted-imports -- the default, for programs that have no other clock
import { startDeadline, systemClock, type Clock } from '../providers/clock.ts';
import { given } from '../providers/given.ts';

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

/** What the API server tells of a group in one version. */
interface Served {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

interface Page<T> {
  readonly items?: T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

/** How a request is sent. */
interface Sending {
  /** Asked right before it is. */
  readonly isLate?: (() => boolean) | undefined;
  /** Beside all other requests, and it is waited for longer: what has a Pod leave. @default false */
  readonly isBeside?: boolean;
}

/**
 * A client for the current context of `config`, over the connection and the credentials that `@kubernetes/client-node` reads from
 * it. The generated client of that package copies every object through its serializer, which is a good part of a worker's CPU;
 * this one passes JSON through.
 */
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
    { isLate, isBeside = false }: Sending = {},
  ): Promise<T> {
    const [limit, mostMs]: readonly [Limit, number] = isBeside ? [unlimited, POD_TIMEOUT_MS] : [requests, timeoutMs];
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

    async find(apiVersion, kind) {
      const target = { resource: { apiVersion, kind, plural: '', namespaced: false } };
      try {
        const { resources } = await send<Served>('GET', target, versionPath(apiVersion));
        // What has a slash is a part of an object.
        const served = resources.find(({ name, kind: is }) => is === kind && !name.includes('/'));
        return served && { apiVersion, kind, plural: served.name, namespaced: served.namespaced };
      } catch (error) {
        if (isNotServed(error)) return undefined;
        throw error;
      }
    },

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

    create: (resource, namespace, body, { isLate, ...options } = {}) =>
      send(
        'POST',
        { resource },
        `${resourcePath(resource, namespace)}${queryOf(writeQuery(options))}`,
        JSON.stringify(body),
        'application/json',
        { isLate },
      ),

    apply: (resource, namespace, name, body, { force = true, subresource, isLate, ...options }) =>
      send(
        'PATCH',
        { resource, name },
        `${resourcePath(resource, namespace, name, subresource)}${queryOf({ ...writeQuery(options), force: String(force) })}`,
        JSON.stringify({ apiVersion: resource.apiVersion, kind: resource.kind, ...body }),
        'application/apply-patch+yaml',
        { isLate },
      ),

    mergePatch: (resource, namespace, name, body, { subresource, ...options } = {}) =>
      send(
        'PATCH',
        { resource, name },
        `${resourcePath(resource, namespace, name, subresource)}${queryOf(writeQuery(options))}`,
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
      await send('POST', { resource: PODS, name }, path, evictionOf(pod), 'application/json', {
        isLate,
        isBeside: true,
      });
    },

    async removePod({ namespace, name, uid }, gracePeriodSeconds, isLate) {
      const path = resourcePath(PODS, namespace, name);
      const text = removalOf({ uid, gracePeriodSeconds });
      await send('DELETE', { resource: PODS, name }, path, text, 'application/json', { isLate, isBeside: true });
    },
  };
}
