import { readFileSync } from 'node:fs';
import {
  loadClientConfigProfile,
  toClientOptions,
  type ClientConfigProfile,
  type ConfigDataSource,
} from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { given } from '../providers/given.ts';
import { messageOf } from '../providers/message-of.ts';

/** Where Temporal is and how to get in: what the CLI, the watcher and the worker all connect by. */
export interface TemporalConnection {
  /** `host:port` of the frontend. */
  readonly address: string;
  readonly namespace: string;
  /** What the SDK is given besides the address. Holds secrets: never to be logged. */
  readonly access: Pick<NativeConnectionOptions, 'tls' | 'apiKey' | 'metadata'>;
}

export interface TemporalConnectionOptions {
  /** Counts before TEMPORAL_ADDRESS, and that before the profile's. @default 'localhost:7233' */
  readonly address?: string | undefined;
  /** Counts before TEMPORAL_NAMESPACE, and that before the profile's. @default 'default' */
  readonly namespace?: string | undefined;
  /** Profile of the file of profiles. @default TEMPORAL_PROFILE, else `default` where the file has it */
  readonly profile?: string | undefined;
  /** @default that of this process */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** How to connect to Temporal was not understood: a file, a profile or a certificate. Holds no secret. */
export class TemporalConfigError extends Error {
  override readonly name = 'TemporalConfigError';
}

const DEFAULT_ADDRESS = 'localhost:7233';
const DEFAULT_NAMESPACE = 'default';
const FILE_VARIABLE = 'TEMPORAL_CONFIG_FILE';

/**
 * The connection as `temporal` itself finds it: flags, then TEMPORAL_* variables, then a profile of temporal.toml
 * (TEMPORAL_CONFIG_FILE, else the user's). Reads the certificates.
 * @throws TemporalConfigError
 */
export function loadTemporalConnection(options: TemporalConnectionOptions = {}): TemporalConnection {
  const environment = withoutBlanks(options.environment ?? process.env);
  const profile = loadProfile(options.profile, environment);
  const name = options.profile ?? environment['TEMPORAL_PROFILE'];
  const what = name === undefined ? 'the connection to Temporal' : `profile ${name}`;
  checkCertificates(profile, what);
  const { namespace, connectionOptions } = toClientOptions(profile);
  const { address, tls, apiKey, metadata } = connectionOptions;
  return {
    address: options.address ?? address ?? DEFAULT_ADDRESS,
    namespace: options.namespace ?? namespace ?? DEFAULT_NAMESPACE,
    access: {
      ...given({ tls, apiKey, metadata }),
    },
  };
}

/** In words that hold no secret, e.g. `TLS with a client certificate and an API key`. */
export function describeAccess({ access: { tls, apiKey, metadata } }: TemporalConnection): string {
  const hasCertificate = typeof tls === 'object' && tls?.clientCertPair !== undefined;
  const isPlain = tls === undefined || tls === null || tls === false;
  const wire = isPlain ? 'no TLS' : hasCertificate ? 'TLS with a client certificate' : 'TLS';
  const parts = [wire, ...(apiKey === undefined ? [] : ['an API key'])];
  return `${parts.join(' and ')}${metadata === undefined ? '' : `, metadata ${Object.keys(metadata).join(', ')}`}`;
}

/** A variable that is set to nothing counts as not set, as where a manifest has it with an empty value. */
function withoutBlanks(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(environment)) {
    // An empty TEMPORAL_GRPC_META_* takes a header away.
    if (value !== undefined && (value !== '' || name.startsWith('TEMPORAL_GRPC_META_'))) kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

function loadProfile(profile: string | undefined, environment: Record<string, string>): ClientConfigProfile {
  const path = environment[FILE_VARIABLE];
  const file = path ?? 'temporal.toml of the user';
  const named = profile ?? environment['TEMPORAL_PROFILE'];
  // envconfig takes a missing file for an empty one, even where it was named.
  const data = path === undefined ? undefined : readText(path, `the Temporal profiles (${FILE_VARIABLE})`);
  if (data?.trim() === '' && named === undefined) {
    return loadClientConfigProfile({ disableFile: true, overrideEnvVars: environment });
  }
  try {
    return loadClientConfigProfile({
      ...given({ configSource: data === undefined ? undefined : { data }, profile }),
      overrideEnvVars: environment,
    });
  } catch (error) {
    throw new TemporalConfigError(`could not read the Temporal profiles: ${file}: ${reasonOf(error, named)}`);
  }
}

/** The message of the TOML parser goes on with the lines around: an API key may be in one of them. */
function reasonOf(error: unknown, profile: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TypeError) return 'it is not as expected: it has to hold tables [profile.NAME]';
  if (error.message.includes('not found in config data')) return `it has no profile ${profile}`;
  const { line, column } = error as { line?: unknown; column?: unknown };
  const where = typeof line === 'number' && typeof column === 'number' ? ` (line ${line}, column ${column})` : '';
  return `${error.message.split('\n')[0]?.trim() ?? ''}${where}`;
}

/** Each is read here once more, so that the error says which of them it is. */
function checkCertificates({ tls, apiKey }: ClientConfigProfile, what: string): void {
  const headerSafe = apiKey === undefined || /^[\x20-\x7e]+$/.test(apiKey);
  if (!headerSafe)
    throw new TemporalConfigError(`${what}: the API key holds a line break or another control character`);
  if (tls === undefined || tls.disabled === true) return;
  const { clientCert, clientKey, serverCACert } = tls;
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    const [there, missing] = clientCert === undefined ? ['key', 'certificate'] : ['certificate', 'key'];
    throw new TemporalConfigError(`${what} has a client ${there} for TLS but no client ${missing}: it takes both`);
  }
  checkPem(clientCert, 'CERTIFICATE', `the client certificate of ${what}`);
  checkPem(clientKey, 'PRIVATE KEY', `the client key of ${what}`);
  checkPem(serverCACert, 'CERTIFICATE', `the server CA certificate of ${what}`);
}

function checkPem(source: ConfigDataSource | undefined, kind: string, what: string): void {
  if (source === undefined) return;
  const text = 'path' in source ? readText(source.path, what) : Buffer.from(source.data).toString('latin1');
  if (text.includes('-----BEGIN') && text.includes(`${kind}-----`)) return;
  const where = 'path' in source ? ` (${source.path})` : '';
  throw new TemporalConfigError(`${what}${where} is not PEM: it has no -----BEGIN ${kind}-----`);
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TemporalConfigError(`could not read ${what}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
