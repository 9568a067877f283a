/** Type of the failure by which an activity says that the object is not what the workflow thought: look again. */
export const OBJECT_CHANGED = 'ObjectChanged';

/** Type of the failure by which an activity says that the Kubernetes API refuses what it asked for. */
export const KUBERNETES_REFUSED = 'KubernetesRefused';

/** Type of the failure by which an activity says that the object is of another cluster than its worker's. */
export const FOREIGN_CLUSTER = 'ForeignCluster';
