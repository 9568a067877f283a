/** The account that credentials are of, as STS tells. */

import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { createCachedRead } from '../cached-read.ts';
import type { Clock } from '../clock.ts';
import { ProviderError } from '../provider-error.ts';
import type { Credentials, Provider } from '../provider.ts';
import type { RateLimits } from '../rate-limited.ts';
import type { AwsCalls } from './aws-calls.ts';

interface Options {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly ttlMs: number;
  readonly limits: RateLimits | undefined;
}

/** As of {@link Provider.accountOf}. */
export function createAccountOf(
  calls: AwsCalls,
  { clock, timeoutMs, ttlMs, limits }: Options,
): NonNullable<Provider['accountOf']> {
  /** By the keys as well: others in the same Secret are another account's. */
  const readAccount = createCachedRead(
    ({ credentials }: { readonly credentials: Credentials; readonly keys: string }) =>
      unlessUntold(async () => {
        const attempted = 'ask for the account of the credentials';
        const { Account } = await calls.call(
          credentials,
          { attempted, purpose: 'other', timeoutMs },
          ({ sts }, abortSignal) => sts.send(new GetCallerIdentityCommand({}), { abortSignal }),
        );
        return Account;
      }),
    { ttlMs, clock },
  );
  return (credentials) =>
    unlessUntold(async () => {
      const caller = await calls.callerOf(credentials);
      const account = await readAccount({ credentials, keys: caller.credentials });
      // Before the first launch: until then two Secrets of one account have a limit each.
      if (account !== undefined) limits?.noteAccount(caller.credentials, account);
      return account;
    });
}

/** A network without a way to STS is no reason not to go on; whoever asks says that nobody told. */
async function unlessUntold(ask: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}
