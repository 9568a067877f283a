import type { Machine, MachineStatus } from '../k8s/model/machine.ts';
import type { WaitReason } from '../k8s/model/reasons/reasons.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Instance } from '../providers/provider.ts';
import type { ActivityDeps } from './deps.ts';
import type { Place } from './place.ts';

/** Reason of a look that counts for nothing because it was made in another account. */
const ACCOUNT_CHANGED = 'AccountChanged' satisfies WaitReason;

/**
 * Makes sure that a look was made in the account that the Machine's instance is in: in another one it is absent, and that
 * proves nothing. Where neither the instance nor the cloud tells the account, the look counts as it is, and the log says so.
 *
 * @param seen what the look found; undefined: nothing
 * @throws ProviderError FailedPrecondition AccountChanged
 */
export async function requireAccount(
  { log }: Pick<ActivityDeps, 'log'>,
  { provider, credentials }: Place,
  { ref, status }: Pick<Machine, 'ref'> & { readonly status: Pick<MachineStatus, 'account' | 'launch'> },
  seen: Instance | undefined,
): Promise<void> {
  const recorded = status.account ?? status.launch?.account;
  if (recorded === undefined) return;
  const now = seen?.account ?? (await provider.accountOf?.(credentials));
  if (now === recorded) return;
  if (now === undefined) {
    log.warn(
      { object: ref, account: recorded },
      'nobody tells which account the credentials lead to: it is taken for the one on record',
    );
    return;
  }
  const { namespace, secretName } = credentials;
  const whose =
    secretName === undefined ? "the worker's own credentials" : `the credentials of Secret ${namespace}/${secretName}`;
  throw new ProviderError(
    'FailedPrecondition',
    `${whose} lead to account ${now}, and the machine's instance was launched in, or is in, account ${recorded}: what is not found there proves nothing`,
    { cloudCode: ACCOUNT_CHANGED },
  );
}
