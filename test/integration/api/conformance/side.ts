import type { KubeClient, ListOptions } from '../../../../k8s/client.ts';
import { MACHINE_SETS } from '../../../../k8s/dialects/openshift/resources.ts';
import { isNotFound, KubeError } from '../../../../k8s/kube-error.ts';
import type { Resource } from '../../../../k8s/resources.ts';
import type { KubeObject } from '../../../world/kubernetes/kube-object.ts';
import { given } from '../../../../providers/given.ts';
import type { Ask, AskOptions } from './asks.ts';
import { Essence } from './essence.ts';
import { KINDS } from './kinds.ts';
import { GENERATED, KEEPER, NAME, TARGET, NAMESPACE, OTHER, SET, STALE, UID, VERSION } from './symbols.ts';

/** A server of the two, as a story sees it. */
export interface Server {
  readonly kube: KubeClient;
  /** Everything a watch tells from this version on, up to the first event that is the last. */
  readonly eventsOf: (
    resource: Resource,
    from: { readonly resourceVersion: string; readonly labelSelector?: string },
    isLast: (event: WatchedEvent) => boolean,
  ) => Promise<readonly WatchedEvent[]>;
  readonly namespace: string;
  readonly namespaceUid: string;
}

export interface WatchedEvent {
  readonly type: string;
  readonly object: Partial<KubeObject>;
}

/** What a policy refuses: the simulated server knows none, and the story ends there. */
export const REFUSED_BY_POLICY = 'refused by a policy';

/** One server's part in a story: it puts the server's own values in for the symbols, and symbols for them in what it answers. */
export class Side {
  readonly #server: Server;
  /** What all names begin with, so that stories do not meet. */
  readonly #prefix: string;
  readonly #seen = new Map<string, { uid: string; readonly versions: string[] }>();
  readonly #essence: Essence;
  #generated: string | undefined;
  readonly #watches: {
    readonly resource: Resource;
    readonly resourceVersion: string;
    readonly labelSelector?: string;
  }[] = [];

  constructor(server: Server, prefix: string) {
    this.#server = server;
    this.#prefix = prefix;
    this.#essence = new Essence(server, prefix);
  }

  /** What comes of a request, as far as two servers can agree on it. */
  async ask(ask: Ask): Promise<unknown> {
    try {
      const answer = await this.#send(ask);
      this.#note(ask, answer);
      return this.#essence.of(answer ?? 'done');
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (error.message.includes('ValidatingAdmissionPolicy')) return REFUSED_BY_POLICY;
      return `${error.status} ${error.reason}`;
    }
  }

  /** What the watches told from where they began. */
  async events(): Promise<unknown[]> {
    const all: unknown[] = [];
    for (const resource of new Set(this.#watches.map((watch) => watch.resource))) await this.#markEnd(resource);
    for (const { resource, ...from } of this.#watches) {
      const isLast = ({ object }: WatchedEvent) => object.metadata?.name === this.#last;
      const events = await this.#server.eventsOf(resource, from, isLast);
      const own = events.filter(({ object }) => this.#isOwn(object));
      all.push(own.map(({ type, object }) => this.#essence.of({ type, object })));
    }
    return all;
  }

  /** Who is there, who belongs to whom and what holds them: what the garbage collector changes. */
  async glance(resources: Iterable<Resource>): Promise<string> {
    const all: unknown[] = [];
    for (const resource of resources) {
      for (const { metadata } of await this.#list(resource, {})) {
        const { name, uid, finalizers, ownerReferences, deletionTimestamp } = metadata;
        all.push({ name, uid, finalizers, ownerReferences, isDeleting: deletionTimestamp !== undefined });
      }
    }
    return JSON.stringify(this.#essence.of(all));
  }

  async clear(resources: Iterable<Resource>): Promise<void> {
    const { kube } = this.#server;
    for (const resource of resources) {
      for (const { metadata } of await this.#list(resource, {})) {
        const place = this.#place(resource);
        const free = { metadata: { finalizers: null } };
        await kube.mergePatch(resource, place, metadata.name, free).catch(ifGone);
        await kube.delete(resource, place, metadata.name).catch(ifGone);
      }
    }
  }

  async #send(ask: Ask): Promise<unknown> {
    const { kube, namespace } = this.#server;
    const { verb, resource } = ask;
    const name = this.#target(ask);
    const at = [resource, this.#place(resource)] as const;
    const { body, options = {} } = this.#resolved(ask, name);
    switch (verb) {
      case 'create':
        return kube.create(...at, body ?? {}, options);
      case 'get':
        return kube.get(...at, name);
      case 'list':
        return this.#list(resource, options);
      case 'apply': {
        const { fieldManager = '', force = true, subresource } = options;
        const part = subresource === 'status' ? { subresource } : {};
        return kube.apply(...at, name, body ?? {}, { fieldManager, force, ...part });
      }
      case 'mergePatch':
        return kube.mergePatch(...at, name, body ?? {}, options);
      case 'jsonPatch':
        return kube.jsonPatch(...at, name, Array.isArray(body) ? (body as object[]) : [], options);
      case 'delete':
        return kube.delete(...at, name, options);
      case 'watch': {
        const { resourceVersion } = await kube.list(resource, { namespace });
        this.#watches.push({ resource, resourceVersion, ...options });
        return 'done';
      }
    }
  }

  #target({ name }: Ask): string {
    return (name === GENERATED ? this.#generated : undefined) ?? `${this.#prefix}${name}`;
  }

  /** The request with this server's values in place of the symbols. */
  #resolved(
    { resource, body, options }: Ask,
    name: string,
  ): Pick<Ask, 'body' | 'options'> & { readonly body?: object } {
    const { namespace, namespaceUid } = this.#server;
    const seen = this.#seen.get(keyOf(resource, name));
    const values: readonly [string, string | undefined][] = [
      [TARGET, name],
      [NAME, this.#prefix],
      [NAMESPACE, namespace],
      [KEEPER, namespaceUid],
      [SET, this.#seen.get(keyOf(MACHINE_SETS, `${this.#prefix}a`))?.uid ?? OTHER],
      [UID, seen?.uid ?? OTHER],
      [VERSION, seen?.versions.at(-1) ?? '1'],
      [STALE, seen?.versions[0] ?? '1'],
    ];
    let text = JSON.stringify({ body, options });
    for (const [symbol, value = ''] of values) text = text.replaceAll(symbol, value);
    return JSON.parse(text) as { body?: object; options?: AskOptions };
  }

  async #list(resource: Resource, options: ListOptions): Promise<KubeObject[]> {
    const place = this.#place(resource);
    const { items } = await this.#server.kube.list<KubeObject>(resource, {
      ...options,
      ...given({ namespace: place }),
    });
    return items.filter((item) => this.#isOwn(item));
  }

  /** An object that every watch of the kind tells of. */
  async #markEnd(resource: Resource): Promise<void> {
    const { apiVersion, kind } = resource;
    const parts = KINDS.get(resource);
    const metadata = { name: this.#last, labels: { ...parts?.metadata.labels, x: '1' } };
    const body = { apiVersion, kind, metadata, ...parts?.least, ...parts?.always };
    const resolved = this.#resolved({ verb: 'create', resource, name: '', body }, this.#last);
    await this.#server.kube.create(resource, this.#place(resource), resolved.body ?? {}, { fieldManager: 'creator' });
  }

  get #last(): string {
    return `${this.#prefix}zz-end`;
  }

  #place({ namespaced }: Resource): string | undefined {
    return namespaced ? this.#server.namespace : undefined;
  }

  #isOwn({ metadata }: Partial<KubeObject>): boolean {
    return metadata?.name.startsWith(this.#prefix) ?? false;
  }

  /** Keeps what later requests are about. */
  #note({ verb, resource, name, options }: Ask, answer: unknown): void {
    const object = answer as Partial<KubeObject> | undefined;
    if (object?.metadata === undefined) return;
    const { uid, resourceVersion, name: own } = object.metadata;
    if (verb === 'create' && name === '') {
      this.#generated = own;
      this.#essence.generated(own);
    }
    if (options?.dryRun === true) return;
    const key = keyOf(resource, own);
    const known = this.#seen.get(key);
    if (known?.uid === uid) known.versions.push(resourceVersion);
    else this.#seen.set(key, { uid, versions: [resourceVersion] });
  }
}

/** The garbage collector was faster. */
function ifGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function keyOf({ plural }: Resource, name: string): string {
  return `${plural}/${name}`;
}
