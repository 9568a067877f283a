import { setTimeout as delay } from 'node:timers/promises';
import { Watch } from '@kubernetes/client-node';
import type { KubeClient } from '../../../k8s/client.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { PODS, resourcePath } from '../../../k8s/resources.ts';

interface Pod {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly containerStatuses?: readonly { readonly ready: boolean }[] };
}

interface Seen {
  readonly app: string;
  readonly name: string;
  /** By its kubelet's word: Kubernetes says of the pods of Nodes that it heard nothing of for a while that they are not Ready. */
  readonly isServing: boolean;
  readonly isLeaving: boolean;
}

export interface BudgetsKept {
  /** How many pods that were Ready were asked to end, or went. */
  readonly taken: number;
  /** Such as left fewer Ready than their app's budget says: a sentence each. */
  readonly violations: readonly string[];
}

/** From the end of a watch until the next is begun, in milliseconds: not more often while no API server is there. */
const PAUSE_MS = 100;

/**
 * Follows the pods of a namespace by the label `app`, also where the API server goes away and comes back, and judges by them alone
 * whether enough of each app are left whenever one that was Ready is asked to end.
 */
export class BudgetWatch {
  readonly #kube: KubeClient;
  readonly #kubeconfig: string;
  readonly #namespace: string;
  /** App → how many of it are to be Ready. */
  readonly #budgets: Readonly<Record<string, number>>;
  readonly #violations: string[] = [];
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  #pods = new Map<string, Seen>();
  #taken = 0;

  constructor(
    { kube, kubeconfig }: { readonly kube: KubeClient; readonly kubeconfig: string },
    namespace: string,
    budgets: Readonly<Record<string, number>>,
  ) {
    this.#kube = kube;
    this.#kubeconfig = kubeconfig;
    this.#namespace = namespace;
    this.#budgets = budgets;
    this.#running = this.#follow();
  }

  async end(): Promise<BudgetsKept> {
    this.#ended.abort();
    await this.#running;
    return { taken: this.#taken, violations: this.#violations };
  }

  async #follow(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        const { items, resourceVersion } = await this.#kube.list<Pod>(PODS, { namespace: this.#namespace });
        this.#look(new Map(items.map((pod) => [pod.metadata.uid, seenOf(pod)])));
        await this.#watch(resourceVersion);
      } catch {
        // The API server is away; what it tells when it is back is compared with what was there.
      }
      await delay(PAUSE_MS);
    }
  }

  /** Until the watch ends, by whoever's hand. */
  async #watch(resourceVersion: string): Promise<void> {
    const watch = new Watch(loadKubeConfig({ kubeconfig: this.#kubeconfig }));
    await new Promise<void>((resolve, reject) => {
      const stop = (stream: AbortController): void => {
        if (this.#ended.signal.aborted) stream.abort();
        else this.#ended.signal.addEventListener('abort', () => stream.abort(), { once: true });
      };
      const tell = (change: string, pod: Pod): void => {
        if (change !== 'ADDED' && change !== 'MODIFIED' && change !== 'DELETED') return;
        const now = new Map(this.#pods);
        if (change === 'DELETED') now.delete(pod.metadata.uid);
        else now.set(pod.metadata.uid, seenOf(pod));
        this.#look(now);
      };
      watch.watch(resourcePath(PODS, this.#namespace), { resourceVersion }, tell, () => resolve()).then(stop, reject);
    });
  }

  #look(now: Map<string, Seen>): void {
    const before = this.#pods;
    this.#pods = now;
    for (const [uid, { app, name, isServing: wasServing }] of before) {
      const pod = now.get(uid);
      // One that is only not Ready any more is not taken.
      if (!wasServing || (pod !== undefined && !pod.isLeaving)) continue;
      this.#taken += 1;
      const left = [...now.values()].filter((other) => other.app === app && other.isServing).length;
      const wanted = this.#budgets[app] ?? 0;
      if (left < wanted) this.#violations.push(`${name} was taken: ${left} of ${app} are Ready, not ${wanted}`);
    }
  }
}

function seenOf(pod: Pod): Seen {
  const { name, labels, deletionTimestamp } = pod.metadata;
  const { containerStatuses = [] } = pod.status ?? {};
  const isLeaving = deletionTimestamp !== undefined;
  const areReady = containerStatuses.length > 0 && containerStatuses.every(({ ready }) => ready);
  return { app: labels?.['app'] ?? '', name, isServing: areReady && !isLeaving, isLeaving };
}
