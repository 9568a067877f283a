import { ListWatch, type KubernetesObject, type Watch } from '../../k8s/kubernetes-client.ts';
import type { Logger } from 'pino';
import type { KubeClient } from '../../k8s/client.ts';
import { resourcePath, type Resource } from '../../k8s/resources.ts';
import { delay, type Clock } from '../../providers/clock.ts';
import { given } from '../../providers/given.ts';
import { doubled } from '../../providers/doubling.ts';

/** A watch that tells of whatever ends it, what fails before the request is sent as well. */
export type ObjectWatch = Pick<Watch, 'watch'>;

export interface ObjectSourceOptions {
  /** What follows the changes after a list. */
  readonly watch: ObjectWatch;
  readonly kube: KubeClient;
  readonly resource: Resource;
  /** Only this namespace; undefined: all. */
  readonly namespace?: string | undefined;
  /** Only those with these fields. @default all */
  readonly fieldSelector?: string | undefined;
  /** An object that is new or changed; also one that was deleted and made again under its name. */
  readonly onObject: (object: KubernetesObject) => void;
  readonly onGone: (object: KubernetesObject) => void;
  /** All objects were listed, the first time or again, and handed over. What is not among them is gone. */
  readonly onListed: (objects: readonly KubernetesObject[]) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Longest wait before a watch that ended with an error is started again, in milliseconds. */
  readonly retryMostMs: number;
}

const FIRST_RETRY_MS = 200;
/** The informer's own wait where the server ends a watch doubles up to 30 s, in which a quiet resource goes unwatched. */
const MOST_RECONNECT_MS = 1000;

/**
 * The objects of one resource, listed and then watched, for as long as it takes: the informer of
 * `@kubernetes/client-node` stops at any error but 410, and is started again here. Where the connection was lost it goes
 * on from the last version it saw; where the server refused it, it lists anew.
 */
export class ObjectSource {
  readonly #options: ObjectSourceOptions;
  #informer: ListWatch<KubernetesObject>;
  #callOff: (() => void) | undefined;
  #failures = 0;
  #wasRefused = false;
  #stopped = false;
  #listed = false;

  constructor(options: ObjectSourceOptions) {
    this.#options = options;
    this.#informer = this.#createInformer();
  }

  /** True once all objects were listed. */
  get isSynced(): boolean {
    return this.#listed;
  }

  start(): void {
    // Without a rejection that nobody handles: the authentication of a kubeconfig can fail as well.
    this.#informer.start().catch((error: unknown) => this.#onError(error));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#callOff?.();
    await this.#informer.stop();
  }

  #createInformer(): ListWatch<KubernetesObject> {
    const { resource, namespace, fieldSelector, onObject, onGone, clock } = this.#options;
    const informer = new ListWatch<KubernetesObject>(
      resourcePath(resource, namespace),
      // Its type asks for the class, of which it calls this one function.
      { watch: (...args) => this.#watch(...args) } as Watch,
      () => this.#list(),
      false,
      undefined,
      fieldSelector,
      { delayFn: (ms) => delay(clock, Math.min(ms, MOST_RECONNECT_MS)) },
    );
    const guarded = (handle: (object: KubernetesObject) => void) => (object: KubernetesObject) => {
      this.#failures = 0;
      this.#guard(`take up ${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`, () => handle(object));
      dropBallast(object);
    };
    informer.on('add', guarded(onObject));
    informer.on('update', guarded(onObject));
    informer.on('delete', guarded(onGone));
    informer.on('error', (error: unknown) => {
      if (informer === this.#informer) this.#onError(error);
    });
    return informer;
  }

  /** The informer's own `stop` ends no watch that is being opened, and opens one after a list or a wait that was under way. */
  async #watch(...args: Parameters<ObjectWatch['watch']>): Promise<AbortController> {
    const opened = this.#stopped ? new AbortController() : await this.#options.watch.watch(...args);
    if (this.#stopped) opened.abort();
    return opened;
  }

  async #list() {
    const { kube, resource, namespace, fieldSelector, onListed, clock } = this.#options;
    const { items, resourceVersion } = await kube.list<KubernetesObject>(resource, {
      ...given({ namespace: resource.namespaced ? namespace : undefined, fieldSelector }),
    });
    // The informer hands the objects over as soon as this function has returned.
    clock.after(0, () => {
      if (this.#stopped) return;
      this.#failures = 0;
      this.#listed = true;
      this.#guard('take up the list', () => onListed(items));
    });
    return { apiVersion: resource.apiVersion, kind: `${resource.kind}List`, metadata: { resourceVersion }, items };
  }

  /** A throw inside an informer's callback would end the process. */
  #guard(what: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      const { log, resource } = this.#options;
      log.error({ resource: resource.plural, err: error }, `could not ${what}`);
    }
  }

  #onError(error: unknown): void {
    if (this.#stopped) return;
    const { log, resource, retryMostMs, clock } = this.#options;
    const isRefusal = hasStatus(error);
    // An answer after a silence is the server coming back, e.g. before it serves our kinds: worth a quick look again.
    if (isRefusal && !this.#wasRefused) this.#failures = 0;
    this.#wasRefused = isRefusal;
    const retryMs = doubled({ first: FIRST_RETRY_MS, most: retryMostMs }, this.#failures + 1);
    this.#failures += 1;
    log.warn(
      { resource: resource.plural, error: describeError(error), retryMs },
      isRefusal ? 'the API server refused: listing again' : 'the API server is away: watching again',
    );
    this.#callOff?.();
    this.#callOff = clock.after(retryMs, () => {
      if (isRefusal) this.#informer = this.#createInformer();
      this.start();
    });
  }
}

/** Drops, in place, what is large and not read again: the informer keeps every object. */
function dropBallast(object: KubernetesObject): void {
  delete object.metadata?.managedFields;
  const { status } = object as { status?: { images?: unknown } };
  delete status?.images;
}

function hasStatus(error: unknown): boolean {
  const { statusCode, status } = error as { statusCode?: number; status?: number };
  return (statusCode ?? status ?? 0) > 0;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
