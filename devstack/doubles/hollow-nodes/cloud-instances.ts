import { request } from 'undici';
import type { HollowInstance } from './plan-nodes.ts';

const TIMEOUT_MS = 5000;

/**
 * A cloud's instances (the simulated one's, the EC2 front's) as its hypervisors know them: a kubelet runs whether or not
 * the cloud's API is up, so this asks no call that has faults, throttles or a place in the ledger.
 */
export async function listInstances(endpoint: string): Promise<readonly HollowInstance[]> {
  const { statusCode, body } = await request(`${endpoint}/instances`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${endpoint}/instances answered ${statusCode}: ${text.slice(0, 200)}`);
  const answer = JSON.parse(text) as { readonly instances: readonly HollowInstance[] };
  return answer.instances;
}
