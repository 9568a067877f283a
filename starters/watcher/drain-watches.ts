import type { KubernetesObject } from '../../k8s/kubernetes-client.ts';
import type { Clock } from '../../providers/clock.ts';
import { readPod, type Pod, type StoredPod } from '../../k8s/model/pod.ts';
import { FollowedPods } from './followed-pods.ts';
import type { NodeFacts } from './node-facts.ts';

/** Most drains are over in less, and cost no watch. Milliseconds. */
const AFTER_MS = 10_000;
/** At most so many Nodes at a time: those beyond wait for one to be done with, and are looked at by their machines alone. */
const MOST = 200;

/** What follows the pods of one Node. */
export interface PodSource {
  start(): void;
  stop(): Promise<void>;
}

export interface PodHandlers {
  readonly onObject: (pod: KubernetesObject) => void;
  readonly onGone: (pod: KubernetesObject) => void;
  readonly onListed: (pods: readonly KubernetesObject[]) => void;
}

export interface DrainWatchesOptions {
  readonly openSource: (node: string, handlers: PodHandlers) => PodSource;
  /** Pods of the Node have ended that its drain waits for: there may be nothing more to wait for, or more to ask. */
  readonly onPodsEnded: (node: NodeFacts) => void;
  readonly clock: Clock;
}

/** What is known of a Node that is being drained. */
interface Drained {
  node: NodeFacts;
  /** Called before it is watched. */
  readonly callOff: () => void;
  /** It drains for long enough to be watched. */
  isDue?: true;
  source?: PodSource;
}

/** Watches the pods of Nodes that are being drained, for as long as that takes, and of no others. */
export class DrainWatches {
  readonly #options: DrainWatchesOptions;
  /** By the Node's name. */
  readonly #drained = new Map<string, Drained>();

  constructor(options: DrainWatchesOptions) {
    this.#options = options;
  }

  /** To be told of each Node that is new or changed. */
  see(node: NodeFacts): void {
    const { name, uid } = node.ref;
    const known = this.#drained.get(name);
    if (known !== undefined && (!node.isDraining || known.node.ref.uid !== uid)) this.drop(name);
    if (!node.isDraining) return;
    const following = this.#drained.get(name);
    if (following !== undefined) following.node = node;
    else this.#drained.set(name, { node, callOff: this.#options.clock.after(AFTER_MS, () => this.#open(name)) });
  }

  /** The Node is gone. */
  drop(name: string): void {
    const known = this.#drained.get(name);
    if (known === undefined) return;
    this.#drained.delete(name);
    known.callOff();
    void known.source?.stop();
    const waiting = [...this.#drained].find(([, { isDue, source }]) => isDue === true && source === undefined);
    if (waiting !== undefined) this.#open(waiting[0]);
  }

  async stop(): Promise<void> {
    const all = [...this.#drained.values()];
    this.#drained.clear();
    for (const { callOff } of all) callOff();
    await Promise.all(all.flatMap(({ source }) => (source === undefined ? [] : [source.stop()])));
  }

  #open(name: string): void {
    const drained = this.#drained.get(name);
    if (drained === undefined) return;
    drained.isDue = true;
    const watched = [...this.#drained.values()].filter(({ source }) => source !== undefined);
    if (watched.length >= MOST) return;
    const pods = new FollowedPods();
    const tellIf = (isTime: boolean): void => {
      if (isTime) this.#options.onPodsEnded(drained.node);
    };
    const read = (pod: KubernetesObject): Pod => readPod(pod as unknown as StoredPod);
    drained.source = this.#options.openSource(name, {
      onObject: (pod) => tellIf(pods.see(read(pod))),
      onGone: ({ metadata }) => tellIf(pods.drop(metadata?.uid ?? '')),
      onListed: (all) => tellIf(pods.list(all.map(read))),
    });
    drained.source.start();
  }
}
