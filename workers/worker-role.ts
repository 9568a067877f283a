/** Which tasks a worker takes. */
export const WORKER_ROLES = ['all', 'workflows', 'activities'] as const;

/**
 * - `workflows`: decides, with the short reads and patches that are local activities: those run where their workflow does.
 * - `activities`: calls clouds, takes the inventory, takes off finalizers.
 * - `all`: both.
 */
export type WorkerRole = (typeof WORKER_ROLES)[number];
