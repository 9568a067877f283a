/** How a provider gets at the credentials that a spec names. */

import { ProviderError } from './provider-error.ts';
import type { Credentials } from './provider.ts';
import { messageOf } from './message-of.ts';

/** Reads a Secret: its decoded data, or undefined where there is none. */
export type SecretReader = (
  namespace: string,
  name: string,
) => Promise<Readonly<Record<string, Uint8Array>> | undefined>;

/** The Secret of some credentials. */
export interface CredentialsSecret {
  /** The key's value without white space at its ends; empty where the Secret has no such key. */
  readonly textOf: (key: string) => string;
  /** The refusal of a Secret that lacks this key. */
  readonly missing: (key: string) => ProviderError;
}

/**
 * undefined: the credentials name no Secret.
 * @throws ProviderError Unauthenticated where there is no such Secret, FailedPrecondition where this process reads no
 * Secrets, Unavailable where it could not be read
 */
export async function readCredentialsSecret(
  { namespace, secretName }: Credentials,
  readSecret: SecretReader | undefined,
): Promise<CredentialsSecret | undefined> {
  if (secretName === undefined) return undefined;
  const title = `Secret ${namespace}/${secretName}`;
  if (readSecret === undefined) {
    throw new ProviderError('FailedPrecondition', `read credentials: this process cannot read ${title}`);
  }
  const data = await readSecret(namespace, secretName).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new ProviderError('Unavailable', `read credentials: ${title}: ${reason}`);
  });
  if (data === undefined) throw new ProviderError('Unauthenticated', `read credentials: there is no ${title}`);
  return {
    textOf: (key) =>
      Buffer.from(data[key] ?? [])
        .toString('utf8')
        .trim(),
    missing: (key) => new ProviderError('Unauthenticated', `read credentials: ${title} has no key ${key}`),
  };
}
