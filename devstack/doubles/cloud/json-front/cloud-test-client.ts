/** A bare client of the simulated cloud and a cloud to go with it, for tests. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../providers/clock.ts';
import type { SimulatedBehaviour } from './behaviour.ts';
import type { DescribedInstance } from '../cloud-instance.ts';
import type { Ledger } from '../ledger.ts';
import type { DescribeCall } from '../fleet.ts';
import type { LaunchCall } from './requests.ts';
import { startSimulatedCloud } from './server.ts';
import type { SimulatedCloudOptions } from './simulated-cloud.ts';
import { given } from '../../../../providers/given.ts';

export interface CloudAnswer {
  readonly status: number;
  readonly body: {
    readonly instance?: DescribedInstance;
    readonly instances?: readonly DescribedInstance[];
    readonly error?: { readonly code: string; readonly message: string; readonly field?: string };
  };
}

export class CloudTestClient {
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(new URL(path, this.#endpoint), {
      method,
      headers,
      ...given({ body: body === undefined ? undefined : JSON.stringify(body) }),
    });
  }

  async post(path: string, body?: unknown, headers?: Record<string, string>): Promise<CloudAnswer> {
    const response = await this.send('POST', path, body, headers);
    return { status: response.status, body: (await response.json()) as CloudAnswer['body'] };
  }

  /** A launch that is valid as it stands; what is given replaces that of it. */
  launch(call: Partial<LaunchCall> = {}): Promise<CloudAnswer> {
    return this.post('/instances', { ...aLaunch, ...call });
  }

  /** The id of a launch that has to succeed. */
  async launchId(call: Partial<LaunchCall> = {}): Promise<string> {
    const { body } = await this.launch(call);
    if (body.instance === undefined) throw new Error(`the launch failed: ${JSON.stringify(body)}`);
    return body.instance.id;
  }

  describe(call: DescribeCall = {}): Promise<CloudAnswer> {
    return this.post('/instances/describe', call);
  }

  /** Ids that a describe shows. */
  async ids(call: DescribeCall = {}): Promise<readonly string[]> {
    const { body } = await this.describe(call);
    return (body.instances ?? []).map(({ id }) => id);
  }

  async state(id: string): Promise<string | undefined> {
    const { body } = await this.describe({ filters: { instanceIds: [id] } });
    return body.instances?.[0]?.state;
  }

  operate(id: string, operation: string, body?: unknown): Promise<CloudAnswer> {
    return this.post(`/instances/${id}/${operation}`, body);
  }

  async behave(instanceType: string, behaviour: SimulatedBehaviour): Promise<number> {
    const response = await this.send('PUT', `/behaviours/${encodeURIComponent(instanceType)}`, behaviour);
    return response.status;
  }

  async ledger(): Promise<Ledger> {
    const response = await this.send('GET', '/ledger');
    return (await response.json()) as Ledger;
  }
}

export const aLaunch: LaunchCall = {
  clientToken: 'token-1',
  zone: 'zone-a',
  instanceType: 'sim.small',
  image: 'image-1',
  tags: { cluster: 'c1', namespace: 'default', name: 'web-1', machineUid: 'uid-1' },
};

/** Nothing takes time. */
export const INSTANT: SimulatedBehaviour = { launchLatencyMs: 0, pendingMs: 0, terminateMs: 0 };

export interface TestCloud {
  readonly client: CloudTestClient;
  readonly endpoint: string;
  /** Turns the cloud's clock forward. */
  pass(ms: number): void;
  close(): Promise<void>;
}

/** A cloud in this process, with a clock that can be turned forward and the behaviour {@link INSTANT}. */
export async function startTestCloud(options: Pick<SimulatedCloudOptions, 'tokens'> = {}): Promise<TestCloud> {
  const stateDir = mkdtempSync(join(tmpdir(), 'simulated-cloud-'));
  let passed = 0;
  const server = await startSimulatedCloud({
    stateDir,
    clock: { ...systemClock, timeOfDay: () => Date.now() + passed },
    ...options,
  });
  const client = new CloudTestClient(server.endpoint);
  await client.behave('*', INSTANT);
  return {
    client,
    endpoint: server.endpoint,
    pass: (ms) => {
      passed += ms;
    },
    close: async () => {
      await server.close();
      rmSync(stateDir, { recursive: true });
    },
  };
}
