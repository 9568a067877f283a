import { hash } from 'node:crypto';

/** What a Lease may be called: parts of small letters, digits and `-`, with dots between. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Name of the Lease by which machines of a cluster's control plane go one at a time. */
export function controlPlaneLeaseName(clusterName: string): string {
  return `control-plane-${NAME.test(clusterName) ? clusterName : hash('sha256', clusterName, 'hex').slice(0, 16)}`;
}
