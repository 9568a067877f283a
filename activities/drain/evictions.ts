import pLimit from 'p-limit';
import type { KubeClient } from '../../k8s/client.ts';
import { isNotFound, isNotSent, KubeError } from '../../k8s/kube-error.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { PODS } from '../../k8s/resources.ts';
import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';
import type { Moment } from '../../providers/moment.ts';
import { endsWithin } from '../ask-on.ts';
import { readEviction, type EvictionAnswer } from './read-eviction.ts';
import { askedLate } from './in-time.ts';

/** Calls that are remembered. */
const MOST = 5000;
/**
 * Pods that are asked to go at once; a further one waits for its turn. Two cores do 500 in half the time that 32 at once take: etcd
 * writes many together. An API server serves 600 requests at once by default, all its clients' together.
 */
export const AT_ONCE = 100;
/** A request that was not answered for so long gives its turn to another, in milliseconds: a webhook may keep it waiting. */
const LONGEST_TURN_MS = 2000;

const UNANSWERED: EvictionAnswer = { outcome: 'held', by: 'soon', message: 'the API server has not answered yet' };
const NOT_SENT = { outcome: 'notSent' } as const;

/** `notSent`: its turn has not come. That says nothing of the pod, and nobody was asked. */
export type CallAnswer = EvictionAnswer | typeof NOT_SENT;

/** How a pod is asked to go. */
export interface Asking {
  /** When its Machine was looked at, by which it is to go. */
  readonly lookedAt: Moment;
  /** How long the answer is waited for, in milliseconds. */
  readonly patienceMs: number;
}

interface Call {
  isSent: boolean;
  readonly answer: Promise<CallAnswer>;
}

/** Sends the request, unless it is too late by then. */
type Send = (isLate: () => boolean) => Promise<void>;

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
  evict(pod: Pod, asking: Asking): Promise<CallAnswer> {
    return this.#hear(`evict ${pod.uid}`, pod, asking, (isLate) => this.#kube.evict(pod, isLate));
  }

  /** Deletes the pod, whatever its budget says; otherwise as {@link evict}. */
  remove(pod: Pod, gracePeriodSeconds: number, asking: Asking): Promise<CallAnswer> {
    return this.#hear(`delete ${pod.uid}`, pod, asking, (isLate) =>
      this.#kube.removePod(pod, gracePeriodSeconds, isLate),
    );
  }

  async #hear(key: string, pod: Pod, { lookedAt, patienceMs }: Asking, send: Send): Promise<CallAnswer> {
    const call = this.#open.get(key) ?? this.#askInTurn(key, pod, lookedAt, send);
    this.#open.set(key, call);
    if (!(await endsWithin(this.#clock, call.answer, patienceMs))) return call.isSent ? UNANSWERED : NOT_SENT;
    this.#open.delete(key);
    return call.answer;
  }

  #askInTurn(key: string, pod: Pod, lookedAt: Moment, send: Send): Call {
    const { promise, resolve, reject } = Promise.withResolvers<CallAnswer>();
    const call: Call = { isSent: false, answer: promise };
    const isLate = askedLate(this.#clock, lookedAt);
    void this.#turns(async () => {
      call.isSent = !isLate();
      const answer = this.#answerTo(pod, send(isLate));
      answer.then(resolve, reject);
      await endsWithin(this.#clock, answer, LONGEST_TURN_MS);
      if (!call.isSent) this.#open.delete(key);
    });
    return call;
  }

  async #answerTo(pod: Pod, call: Promise<void>): Promise<CallAnswer> {
    try {
      await call;
      return { outcome: 'accepted' };
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (isNotSent(error)) return NOT_SENT;
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
