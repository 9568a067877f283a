/** Calls to the simulated cloud with the token of their credentials, held to the limits of its account. */

import { hash } from 'node:crypto';
import { paced, ProviderError } from '../provider-error.ts';
import type { Credentials, LaunchTurns } from '../provider.ts';
import { ThrottledCall, type LimitedCall, type RateLimits } from '../rate-limited.ts';
import { readCredentialsSecret, type SecretReader } from '../secret-reader.ts';
import type { CloudCall, CloudClient } from './cloud-client.ts';

/** Longest wait of a launch for its turn under the limits, before it is checked, and of any call that is sent, in milliseconds. */
const LAUNCH_PATIENCE_MS = 5_000;
const PATIENCE_MS = 1_000;
/** Of the credentials' Secret. */
const TOKEN_KEY = 'token';

/** Calls of the cloud's API, as its limits name them. */
type Action = 'launch' | 'dryRun' | 'describe' | 'terminate' | 'reboot' | 'tag' | 'catalog';

/**
 * Sends one call, when its turn has come.
 *
 * @param key the same for every repeat of the call. @default it keeps no place where it is turned away
 */
export type LimitedCaller = (
  credentials: Credentials,
  action: Action,
  request: CloudCall,
  key?: string,
) => Promise<unknown>;

interface Options {
  readonly readSecret?: SecretReader | undefined;
  readonly limits?: RateLimits | undefined;
}

export function createLimitedCaller(client: CloudClient, { readSecret, limits }: Options): LimitedCaller {
  return async (credentials, action, request, key) => {
    const bearer = await readToken(credentials, readSecret);
    const send = () =>
      bearer === undefined
        ? client.call(request)
        : client.call({ ...request, bearer, secrets: [...(request.secrets ?? []), bearer] });
    if (limits === undefined) return send();
    try {
      return await limits.run({ ...limited(credentials, bearer, action), key }, send, isThrottling);
    } catch (error) {
      if (error instanceof ThrottledCall && error.cause instanceof ProviderError) {
        throw paced(error.cause, error.retryAfterMs);
      }
      throw error;
    }
  };
}

/** Undefined: nothing limits launches. */
export function createLaunchTurns({ readSecret, limits }: Options): LaunchTurns | undefined {
  if (limits === undefined) return undefined;
  const launch = async (credentials: Credentials, token: string) => {
    const bearer = await readToken(credentials, readSecret);
    return { ...limited(credentials, bearer, 'launch'), key: token };
  };
  return {
    async lineUp(credentials, token) {
      limits.lineUp(await launch(credentials, token));
    },
    async take(credentials, token) {
      await limits.turn({ ...(await launch(credentials, token)), patienceMs: LAUNCH_PATIENCE_MS });
    },
  };
}

/** To this cloud, who shows another token is another account. */
function limited({ region = '' }: Credentials, bearer: string | undefined, action: Action): LimitedCall {
  const credentials = bearer === undefined ? '' : hash('sha256', bearer, 'hex');
  return { credentials, region, action, patienceMs: PATIENCE_MS };
}

function isThrottling(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'Throttled';
}

/** The token of the credentials' Secret; undefined: the call goes without. */
async function readToken(credentials: Credentials, readSecret: SecretReader | undefined): Promise<string | undefined> {
  const secret = await readCredentialsSecret(credentials, readSecret);
  if (secret === undefined) return undefined;
  const token = secret.textOf(TOKEN_KEY);
  if (token === '') throw secret.missing(TOKEN_KEY);
  return token;
}
