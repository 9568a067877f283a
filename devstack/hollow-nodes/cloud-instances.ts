import { request } from 'undici';
import type { HollowInstance } from './plan-nodes.ts';

const TIMEOUT_MS = 5000;

/**
 * The simulated cloud's instances as its hypervisors know them: a kubelet runs whether or not the cloud's API is up, so
 * this asks no call that has faults, throttles or a place in the ledger. Where there is none, the call that has.
 */
export async function listInstances(endpoint: string): Promise<readonly HollowInstance[]> {
  const known = await ask(`${endpoint}/instances`, 'GET');
  const { statusCode, text } = known.statusCode === 404 ? await ask(`${endpoint}/instances/describe`, 'POST') : known;
  if (statusCode !== 200) throw new Error(`${endpoint} answered ${statusCode}: ${text.slice(0, 200)}`);
  const answer = JSON.parse(text) as { readonly instances: readonly HollowInstance[] };
  return answer.instances;
}

async function ask(url: string, method: 'GET' | 'POST'): Promise<{ statusCode: number; text: string }> {
  const body = method === 'POST' ? '{}' : null;
  const response = await request(url, { method, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return { statusCode: response.statusCode, text: await response.body.text() };
}
