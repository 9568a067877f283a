/** Which tasks a worker takes. */
export const WORKER_ROLES = ['all', 'workflows', 'activities'] as const;

/**
 * - `workflows`: decides, with the local activities, which run where their workflow does: reads and patches of Kubernetes, looks at
 *   instances, and the short end of a machine.
 * - `activities`: launches, load balancers, terminations that take long, the Machines that sets make and delete, the inventory.
 * - `all`: both.
 */
export type WorkerRole = (typeof WORKER_ROLES)[number];
