/** Any value, on one of our objects: nothing acts on it. Hard-coded in cluster-autoscaler, so not of our group. */
export const PAUSED_ANNOTATION = 'cluster.x-k8s.io/paused';
