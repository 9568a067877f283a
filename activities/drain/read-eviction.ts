import { isConflict, isNotFound, type KubeError } from '../../k8s/kube-error.ts';
import { given } from '../../providers/given.ts';
import { MOST_RETRY_AFTER_MS } from '../../providers/retry-after.ts';

/** What keeps a pod where it is. */
export type Hold =
  /** Nothing that lasts: ask again in a moment. */
  | 'soon'
  /** Its PodDisruptionBudget allows no disruption now. */
  | 'budget'
  /** Several budgets select it, which the Eviction API cannot cope with. */
  | 'budgets'
  /** Its budget is in a state that its controller has to mend: it allows less than nothing, or waits for very many pods to go. */
  | 'unjudged'
  /** Its namespace is going, which takes the pod along. */
  | 'namespace'
  /** The API server could not do it. */
  | 'server'
  /** A rule, a webhook or a permission says no. */
  | 'refused';

export type EvictionAnswer =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'gone' }
  /** It is not the pod that was asked for any more, or changes just now: a look at it tells. */
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'held'; readonly by: Hold; readonly message: string; readonly retryAfterMs?: number };

/** Codes by which the API server says no for good, until somebody changes something. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 405, 413, 422]);

/** What the Eviction API means by a failure. (Kubernetes: pkg/registry/core/pod/storage/eviction.go) */
export function readEviction(error: KubeError): EvictionAnswer {
  // The client says so only where the pod itself is missing: a budget that is gone says nothing of it.
  if (isNotFound(error)) return { outcome: 'gone' };
  if (isConflict(error)) return { outcome: 'changed' };
  const { retryAfterSeconds } = error.details;
  // A webhook may answer this, too, and must not hold up a drain for days.
  const retryAfterMs =
    retryAfterSeconds === undefined ? undefined : Math.min(retryAfterSeconds * 1000, MOST_RETRY_AFTER_MS);
  return { outcome: 'held', by: holdOf(error), message: error.message, ...given({ retryAfterMs }) };
}

function holdOf({ status, message, details }: KubeError): Hold {
  const causes = (details.causes ?? []).map(({ reason }) => reason);
  if (status === 429) {
    // The budget itself is asked again in a moment where it names a time: its controller has not seen its last change.
    return causes.includes('DisruptionBudget') && (details.retryAfterSeconds ?? 0) === 0 ? 'budget' : 'soon';
  }
  if (causes.includes('NamespaceTerminating')) return 'namespace';
  if (status === 403 && details.kind?.startsWith('poddisruptionbudget') === true) return 'unjudged';
  if (REFUSALS.has(status)) return 'refused';
  if (message.includes('more than one PodDisruptionBudget')) return 'budgets';
  // The quote begins the webhook's name. The word alone may be a part of the pod's name, which the message has as well.
  return message.includes('webhook "') ? 'refused' : 'server';
}
