/** The SDK's clients, one set per credentials and region. */

import { hash } from 'node:crypto';
import { EC2Client } from '@aws-sdk/client-ec2';
import { ElasticLoadBalancingClient } from '@aws-sdk/client-elastic-load-balancing';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { STSClient } from '@aws-sdk/client-sts';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { BoundedMap } from '../bounded-map.ts';
import { createCachedRead } from '../cached-read.ts';
import type { Clock } from '../clock.ts';
import { credentialsKey } from '../provider.ts';
import type { Credentials } from '../provider.ts';
import type { RateLimits } from '../rate-limited.ts';
import type { SecretReader } from '../secret-reader.ts';
import { readKeys } from './credentials.ts';
import type { AwsKeys } from './credentials.ts';
import { limitCalls, type Caller } from './limit-calls.ts';
import type { Wire } from '../wire.ts';
import { handlerOf } from './wire-handler.ts';
import { given } from '../given.ts';

/** URLs of the services. */
export interface AwsEndpoints {
  readonly ec2?: string;
  readonly elasticLoadBalancing?: string;
  readonly elasticLoadBalancingV2?: string;
  readonly sts?: string;
}

export interface AwsClientsOptions {
  readonly readSecret?: SecretReader | undefined;
  readonly endpoints: AwsEndpoints;
  readonly defaultKeys?: (() => Promise<AwsKeys>) | undefined;
  /** What carries requests. @default HTTP */
  readonly wire?: Wire | undefined;
  readonly connections: number;
  readonly connectionTimeoutMs: number;
  readonly secretTtlMs: number;
  readonly clock: Pick<Clock, 'now'>;
  /** What calls of EC2 are held to. @default nothing */
  readonly limits?: RateLimits | undefined;
}

export interface AwsClients {
  readonly ec2: EC2Client;
  readonly elasticLoadBalancing: ElasticLoadBalancingClient;
  readonly elasticLoadBalancingV2: ElasticLoadBalancingV2Client;
  /** Who they call for, as the limits see it. */
  readonly caller: Caller;
  readonly sts: STSClient;
  /** Texts that must not come back in an error. */
  secrets(): readonly string[];
}

export interface AwsClientPool {
  /**
   * @param region of the calls
   * @throws ProviderError where the credentials' Secret does not give keys
   */
  clientsFor(credentials: Credentials, region: string): Promise<AwsClients>;
  /** Ends the connections; calls that are under way fail. */
  close(): void;
}

/** Most sets of clients that are kept; whoever writes Machines chooses the credentials and the region of each. */
export const MOST_CLIENTS = 200;

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function createAwsClientPool(options: AwsClientsOptions): AwsClientPool {
  const { connections, connectionTimeoutMs, secretTtlMs } = options;
  const agent = { keepAlive: true, maxSockets: connections };
  const http = () =>
    new NodeHttpHandler({
      connectionTimeout: connectionTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
      // It warns of calls that wait for a connection, as here they should.
      logger: SILENT,
    });
  const requestHandler = options.wire === undefined ? http() : handlerOf(options.wire);
  const readCached = createCachedRead(
    ({ namespace, secretName }: Pick<Credentials, 'namespace' | 'secretName'>) =>
      readKeys({ namespace, ...given({ secretName }) }, options.readSecret),
    { ttlMs: secretTtlMs, clock: options.clock },
  );
  const defaultKeys = options.defaultKeys ?? fromNodeProviderChain();
  // One that goes is not closed: its connections are those of all, and calls that are under way with it end as they may.
  const pool = new BoundedMap<string, { readonly fingerprint: string; readonly clients: AwsClients }>(MOST_CLIENTS);

  const create = (keys: AwsKeys | undefined, fingerprint: string, region: string): AwsClients => {
    let inUse = keys;
    const credentials = async (): Promise<AwsKeys> => {
      inUse = keys ?? (await defaultKeys());
      return inUse;
    };
    const shared = { region, credentials, requestHandler, maxAttempts: 1, customUserAgent: 'millwright' };
    const { ec2, elasticLoadBalancing, elasticLoadBalancingV2, sts } = options.endpoints;
    const client = new EC2Client({ ...shared, ...at(ec2) });
    const caller = { credentials: fingerprint, region };
    if (options.limits !== undefined) limitCalls(client, options.limits, caller);
    return {
      ec2: client,
      caller,
      elasticLoadBalancing: new ElasticLoadBalancingClient({ ...shared, ...at(elasticLoadBalancing) }),
      elasticLoadBalancingV2: new ElasticLoadBalancingV2Client({ ...shared, ...at(elasticLoadBalancingV2) }),
      sts: new STSClient({ ...shared, ...at(sts) }),
      secrets: () => (inUse === undefined ? [] : secretsOf(inUse)),
    };
  };

  return {
    async clientsFor(credentials, region) {
      const { namespace, secretName } = credentials;
      const keys = await readCached({ namespace, ...given({ secretName }) });
      const name = credentialsKey(secretName === undefined ? { namespace: '', region } : { ...credentials, region });
      const fingerprint = keys === undefined ? '' : fingerprintOf(keys);
      const known = pool.get(name);
      if (known !== undefined && known.fingerprint === fingerprint) return known.clients;
      const clients = create(keys, fingerprint, region);
      pool.set(name, { fingerprint, clients });
      return clients;
    },
    close: () => requestHandler.destroy(),
  };
}

/** Without one, the SDK looks at AWS_ENDPOINT_URL_EC2 and its like itself. */
function at(endpoint: string | undefined): { readonly endpoint?: string } {
  return given({ endpoint });
}

function fingerprintOf(keys: AwsKeys): string {
  return hash('sha256', JSON.stringify(keys), 'hex');
}

function secretsOf({ accessKeyId, secretAccessKey, sessionToken }: AwsKeys): readonly string[] {
  return [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
}

function ignore(): void {
  // Nobody is to be told.
}
