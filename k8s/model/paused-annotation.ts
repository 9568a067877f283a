/** Any value, on one of our objects: nothing acts on it. Hard-coded in cluster-autoscaler, so not of our group. */
export const PAUSED_ANNOTATION = 'cluster.x-k8s.io/paused';

/** Its value where a take-over has written it: what `millwright resume` takes off, and nothing else. */
export const PAUSED_BY_TAKE_OVER = 'millwright-take-over';
