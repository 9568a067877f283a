/** Calls to AWS, each with the clients of its credentials. */

import { invalidField } from '../invalid-spec.ts';
import type { Clock } from '../clock.ts';
import type { Credentials } from '../provider.ts';
import type { RateLimits } from '../rate-limited.ts';
import type { SecretReader } from '../secret-reader.ts';
import type { Wire } from '../wire.ts';
import { callAws, type AwsCall } from './aws-call.ts';
import { createAwsClientPool, type AwsClients, type AwsEndpoints } from './aws-clients.ts';
import type { AwsKeys } from './credentials.ts';
import type { Caller } from './limit-calls.ts';

export interface AwsCallsOptions {
  readonly clock: Clock;
  /** How `credentialsSecret` is read. @default specs that name one fail with FailedPrecondition */
  readonly readSecret?: SecretReader;
  /** Region of specs that name neither region nor zone. @default AWS_REGION, AWS_DEFAULT_REGION, or none */
  readonly region?: string;
  /** Keys for specs without a `credentialsSecret`. @default what the SDK finds: environment, files, roles */
  readonly defaultKeys?: () => Promise<AwsKeys>;
  /** What carries requests to AWS. @default HTTP */
  readonly wire?: Wire;
  /** URLs of the services. @default AWS_ENDPOINT_URL_EC2 and its like, else those of AWS */
  readonly endpoints?: AwsEndpoints;
  /** How long a credentials Secret that was read counts, in ms. @default 5000 */
  readonly secretTtlMs?: number;
  /**
   * Most connections to one service at once; further calls wait for one, which counts as a wait for a connection. @default
   * 256: more than a worker has launches under way, so that none fails behind others that take their time
   */
  readonly connections?: number;
  /** Longest wait for a connection, in ms. @default 5000 */
  readonly connectionTimeoutMs?: number;
  /** What calls of EC2 are held to; the wait for a turn counts for the times of the calls. @default nothing */
  readonly limits?: RateLimits;
}

type Call<T> = Omit<AwsCall<T>, 'send' | 'secrets' | 'clock'>;

export interface AwsCalls {
  /** The region of these credentials' calls, else the default one. @throws ProviderError where there is neither */
  readonly regionOf: (credentials: Pick<Credentials, 'region'>) => string;
  /** Who the credentials' calls are made for, as the limits see it. @throws ProviderError where their Secret does not give keys */
  readonly callerOf: (credentials: Credentials) => Promise<Caller>;
  /**
   * @param secrets what must not come back in an error, besides the keys
   * @throws ProviderError and nothing else
   */
  readonly call: <T>(
    credentials: Credentials,
    request: Call<T>,
    send: (clients: AwsClients, abortSignal: AbortSignal) => Promise<T>,
    secrets?: readonly Uint8Array[],
  ) => Promise<T>;
  /** Ends the connections; calls that are under way fail. */
  close(): void;
}

export function createAwsCalls(options: AwsCallsOptions): AwsCalls {
  const { clock, readSecret, defaultKeys, wire, limits } = options;
  const { endpoints = {}, connections = 256, connectionTimeoutMs = 5_000, secretTtlMs = 5_000 } = options;
  const pool = createAwsClientPool({
    readSecret,
    endpoints,
    defaultKeys,
    wire,
    connections,
    connectionTimeoutMs,
    secretTtlMs,
    limits,
    clock,
  });
  const defaultRegion = (): string | undefined =>
    options.region ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined);
  const regionOf: AwsCalls['regionOf'] = ({ region = defaultRegion() }) => region ?? refuseRegion();

  return {
    regionOf,
    callerOf: async (credentials) => (await pool.clientsFor(credentials, regionOf(credentials))).caller,
    async call(credentials, request, send, secrets = []) {
      const region = regionOf(credentials);
      let clients: AwsClients | undefined;
      return callAws({
        ...request,
        clock,
        secrets: () => [...secrets, ...(clients?.secrets() ?? [])],
        send: async (abortSignal) => {
          clients = await pool.clientsFor(credentials, region);
          return send(clients, abortSignal);
        },
      });
    },
    close: () => pool.close(),
  };
}

function refuseRegion(): never {
  const field = 'providerSpec.value.placement.region';
  throw invalidField(field, `${field}: is required, as this worker has no region of its own (AWS_REGION)`);
}
