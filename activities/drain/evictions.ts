import pLimit from 'p-limit';
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
/**
 * Evictions that are asked for at once; a further one waits for its turn. Two cores do 500 in half the time that 32 at once take: etcd
 * writes many together. An API server serves 600 requests at once by default, all its clients' together.
 */
export const AT_ONCE = 100;
/** An eviction that has waited longer for its turn is not sent: a pause or a hook may have come meanwhile. Milliseconds. */
const LONGEST_WAIT_MS = 2000;
/** One that is not answered for so long holds up no other any more: a webhook may keep it waiting. Milliseconds. */
const LONGEST_TURN_MS = 2000;

const UNANSWERED: EvictionAnswer = { outcome: 'held', by: 'soon', message: 'the API server has not answered yet' };
const NOT_SENT = { outcome: 'notSent' } as const;

/** `notSent`: its turn has not come. That says nothing of the pod, and nobody was asked. */
export type CallAnswer = EvictionAnswer | typeof NOT_SENT;

interface Call {
  isSent: boolean;
  readonly answer: Promise<CallAnswer>;
}

/** What is done to pods, and what came of it, for all drains of a worker. */
export class PodCalls {
  readonly #kube: KubeClient;
  readonly #clock: Clock;
  readonly #turns = pLimit(AT_ONCE);
  /** Calls that were not answered in time, by what was asked for and the pod's uid. */
  readonly #open = new BoundedMap<string, Call>(MOST);

  constructor(kube: KubeClient, clock: Clock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /**
   * Asks that the pod leave, and waits for the answer so long at most. A call that takes longer goes on: whoever asks again gets
   * its answer.
   */
  evict(pod: Pod, patienceMs: number): Promise<CallAnswer> {
    const key = `evict ${pod.uid}`;
    return this.#hear(key, patienceMs, () => this.#evictInTurn(pod, key));
  }

  /** Deletes the pod, whatever its budget says; otherwise as {@link evict}. */
  remove(pod: Pod, gracePeriodSeconds: number, patienceMs: number): Promise<CallAnswer> {
    const { namespace, name, uid } = pod;
    return this.#hear(`delete ${uid}`, patienceMs, () => ({
      isSent: true,
      answer: this.#settle(pod, this.#kube.delete(PODS, namespace, name, { uid, gracePeriodSeconds })),
    }));
  }

  async #hear(key: string, patienceMs: number, ask: () => Call): Promise<CallAnswer> {
    const call = this.#open.get(key) ?? ask();
    this.#open.set(key, call);
    if (!(await endsWithin(this.#clock, call.answer, patienceMs))) return call.isSent ? UNANSWERED : NOT_SENT;
    this.#open.delete(key);
    return call.answer;
  }

  #evictInTurn(pod: Pod, key: string): Call {
    const askedAt = this.#clock.now();
    const { promise, resolve } = Promise.withResolvers<CallAnswer>();
    const call: Call = { isSent: false, answer: promise };
    void this.#turns(async () => {
      if (this.#clock.now() - askedAt > LONGEST_WAIT_MS) {
        this.#open.delete(key);
        resolve(NOT_SENT);
        return;
      }
      call.isSent = true;
      const answer = this.#settle(pod, this.#kube.evict(pod));
      resolve(answer);
      await endsWithin(this.#clock, answer, LONGEST_TURN_MS);
    });
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
