import type { KubeClient } from '../../k8s/client.ts';
import { isNotFound, KubeError } from '../../k8s/kube-error.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { PODS } from '../../k8s/resources.ts';
import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';
import { endsWithin } from '../ask-on.ts';
import { readEviction, type EvictionAnswer } from './read-eviction.ts';

/** Calls that are remembered. */
const MOST = 5000;

const UNANSWERED: EvictionAnswer = { outcome: 'held', by: 'soon', message: 'the API server has not answered yet' };

/** What is done to pods, and what came of it, for all drains of a worker. */
export class PodCalls {
  readonly #kube: KubeClient;
  readonly #clock: Clock;
  /** Calls that were not answered in time, by what was asked for and the pod's uid. */
  readonly #open = new BoundedMap<string, Promise<EvictionAnswer>>(MOST);

  constructor(kube: KubeClient, clock: Clock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /**
   * Asks that the pod leave, and waits for the answer so long at most. A call that takes longer goes on: whoever asks again gets
   * its answer.
   */
  evict(pod: Pod, patienceMs: number): Promise<EvictionAnswer> {
    return this.#hear(`evict ${pod.uid}`, patienceMs, () => this.#settle(pod, this.#kube.evict(pod)));
  }

  /** Deletes the pod, whatever its budget says; otherwise as {@link evict}. */
  remove(pod: Pod, gracePeriodSeconds: number, patienceMs: number): Promise<EvictionAnswer> {
    const { namespace, name, uid } = pod;
    return this.#hear(`delete ${uid}`, patienceMs, () =>
      this.#settle(pod, this.#kube.delete(PODS, namespace, name, { uid, gracePeriodSeconds })),
    );
  }

  async #hear(key: string, patienceMs: number, ask: () => Promise<EvictionAnswer>): Promise<EvictionAnswer> {
    const call = this.#open.get(key) ?? ask();
    this.#open.set(key, call);
    if (!(await endsWithin(this.#clock, call, patienceMs))) return UNANSWERED;
    this.#open.delete(key);
    return call;
  }

  async #settle(pod: Pod, call: Promise<void>): Promise<EvictionAnswer> {
    try {
      await call;
      return { outcome: 'accepted' };
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      const answer = readEviction(error);
      return answer.outcome === 'changed' ? this.#lookAt(pod, error.message) : answer;
    }
  }

  /** Another pod of its name is none of this drain's. */
  async #lookAt({ namespace, name, uid }: Pod, message: string): Promise<EvictionAnswer> {
    try {
      const { metadata } = await this.#kube.get<{ metadata: { uid: string } }>(PODS, namespace, name);
      return metadata.uid === uid ? { outcome: 'held', by: 'soon', message } : { outcome: 'gone' };
    } catch (error) {
      if (isNotFound(error)) return { outcome: 'gone' };
      if (!(error instanceof KubeError)) throw error;
      return { outcome: 'held', by: 'server', message: error.message };
    }
  }
}
