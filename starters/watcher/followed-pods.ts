import type { Pod } from '../../k8s/model/pod.ts';

/**
 * The pods of a Node that is being drained, as far as its drain waits for them. Each method answers whether the drain is to be looked at
 * at once: all that were asked to end have ended; or one that ends by itself has, or may be asked to by now.
 */
export class FollowedPods {
  /** Uids of those that were asked to end. */
  #ending = new Set<string>();
  /** Uids of those that a drain may wait for until they have ended by themselves. */
  #awaited = new Set<string>();

  see(pod: Pod): boolean {
    const { uid } = pod;
    const wasAwaited = this.#awaited.delete(uid);
    if (pod.endsAt !== undefined) this.#ending.add(uid);
    else if (isAwaited(pod)) this.#awaited.add(uid);
    else return wasAwaited;
    return false;
  }

  drop(uid: string): boolean {
    const isLast = this.#ending.delete(uid) && this.#ending.size === 0;
    return this.#awaited.delete(uid) || isLast;
  }

  /** These are all that there are. */
  list(pods: readonly Pod[]): boolean {
    const [ending, awaited] = [this.#ending, this.#awaited];
    [this.#ending, this.#awaited] = [new Set(), new Set()];
    for (const pod of pods) this.see(pod);
    const isOver = (uid: string): boolean => !this.#awaited.has(uid) && !this.#ending.has(uid);
    return (ending.size > 0 && this.#ending.size === 0) || [...awaited].some(isOver);
  }
}

function isAwaited({ isFinished, drain, isNotToBeDisrupted }: Pod): boolean {
  return !isFinished && (drain === 'wait-completed' || isNotToBeDisrupted);
}
