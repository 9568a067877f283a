import { hash } from 'node:crypto';

/** What a Lease may be called: parts of small letters, digits and `-`, with dots between. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Name of the Lease by which machines of a cluster's control plane go one at a time. */
export function controlPlaneLeaseName(cluster: string): string {
  return `control-plane-${NAME.test(cluster) ? cluster : hash('sha256', cluster, 'hex').slice(0, 16)}`;
}
