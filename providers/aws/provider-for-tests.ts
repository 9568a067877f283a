/** For tests: a provider and the server that it talks to. */

import { afterEach, beforeEach } from '@jest/globals';
import { systemClock } from '../clock.ts';
import { ProviderError } from '../provider-error.ts';
import type { InstanceOwner, LaunchParameters } from '../provider.ts';
import { createAwsProvider } from './aws-provider.ts';
import type { AwsProvider, AwsProviderOptions } from './aws-provider.ts';
import { startEc2TestServer } from './ec2-server-for-tests.ts';
import type { Ec2TestServer } from './ec2-server-for-tests.ts';
import { given } from '../given.ts';

export const owner: InstanceOwner = {
  clusterName: 'c1',
  namespace: 'machines',
  name: 'web-1',
  uid: 'uid-1',
  clusterUid: 'cluster-1',
};
export const credentials = { namespace: 'machines', secretName: 'cloud', region: 'eu-west-1' };
export const keys = { id: 'AKIACANARYCANARY', secret: 'canary/secret+key=0123456789' };
export const spec = {
  kind: 'AWSMachineProviderConfig',
  ami: { id: 'ami-1' },
  instanceType: 'm6i.large',
  subnet: { id: 'subnet-1' },
  placement: { region: 'eu-west-1' },
  credentialsSecret: { name: 'cloud' },
};

/** What a test works with; new for each. */
export class ProviderTest {
  readonly server: Ec2TestServer;
  provider: AwsProvider;
  readonly #opened: AwsProvider[] = [];

  constructor(server: Ec2TestServer) {
    this.server = server;
    this.provider = this.open();
  }

  /** Makes another provider the one that is tested. */
  open(options: Partial<AwsProviderOptions> = {}): AwsProvider {
    this.provider = createAwsProvider({
      clock: systemClock,
      endpoints: { ec2: this.server.url, sts: this.server.url },
      secretTtlMs: 0,
      readSecret: async () => ({
        aws_access_key_id: Buffer.from(keys.id),
        aws_secret_access_key: Buffer.from(keys.secret),
      }),
      ...options,
    });
    this.#opened.push(this.provider);
    return this.provider;
  }

  resolve(more: object = {}): Promise<LaunchParameters> {
    return this.provider.resolve({ owner, providerSpec: { ...spec, ...more } });
  }

  async launch(parameters?: LaunchParameters, userData?: Uint8Array) {
    return this.provider.launch({
      owner,
      token: 'token-1',
      parameters: parameters ?? (await this.resolve()),
      ...given({ userData }),
    });
  }

  callsOf(action: string) {
    return this.server.calls.filter((call) => call.action === action);
  }

  async close(): Promise<void> {
    for (const each of this.#opened) each.close();
    await this.server.close();
  }
}

/** Sets up before each test, and clears up after it. */
export function useProvider(): () => ProviderTest {
  let test: ProviderTest | undefined;
  beforeEach(async () => {
    test = new ProviderTest(await startEc2TestServer());
    test.server.on('DescribeSubnets', () => ({
      body: '<R><subnetSet><item><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId><availabilityZone>eu-west-1b</availabilityZone></item></subnetSet></R>',
    }));
  });
  afterEach(() => test?.close());
  return () => {
    if (test === undefined) throw new Error('no test runs');
    return test;
  };
}

export async function errorOf(attempt: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await attempt.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ProviderError) return error;
  throw error;
}
