/** The keys that calls are signed with, from the Secret that a spec names. */

import type { Credentials } from '../provider.ts';
import { readCredentialsSecret, type CredentialsSecret, type SecretReader } from '../secret-reader.ts';
import { given } from '../given.ts';

/** Keys of AWS. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** When they have to be asked for again. @default never */
  readonly expiration?: Date;
}

const ID_KEY = 'aws_access_key_id';
const SECRET_KEY = 'aws_secret_access_key';
const SESSION_KEY = 'aws_session_token';
/** Holds a file as the AWS CLI has it, in OpenShift's Secrets; counts where the keys above are not there. */
const FILE_KEY = 'credentials';

/**
 * The keys in the Secret; undefined: the credentials name none.
 * @throws ProviderError Unauthenticated where the Secret or a key is missing, FailedPrecondition where this process reads
 * no Secrets, Unavailable where the Secret could not be read; none says what is in the Secret
 */
export async function readKeys(
  credentials: Credentials,
  readSecret: SecretReader | undefined,
): Promise<AwsKeys | undefined> {
  const secret = await readCredentialsSecret(credentials, readSecret);
  return secret && keysIn(secret);
}

function keysIn({ textOf, missing }: CredentialsSecret): AwsKeys {
  const file = defaultProfileOf(textOf(FILE_KEY));
  const valueOf = (key: string): string => textOf(key) || (file.get(key) ?? '');
  const [accessKeyId, secretAccessKey, sessionToken] = [valueOf(ID_KEY), valueOf(SECRET_KEY), valueOf(SESSION_KEY)];
  if (accessKeyId === '') throw missing(ID_KEY);
  if (secretAccessKey === '') throw missing(SECRET_KEY);
  return { accessKeyId, secretAccessKey, ...given({ sessionToken: sessionToken || undefined }) };
}

/** The `[default]` section. Roles and token files are not followed: a Secret does not get to name files of the worker. */
function defaultProfileOf(file: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let section = '';
  for (const line of file.split('\n').map((one) => one.trim())) {
    const header = /^\[\s*(.*?)\s*\]$/.exec(line)?.[1];
    if (header !== undefined) section = header;
    const [, key, value] = /^([a-z_]+)\s*=\s*(.+)$/.exec(line) ?? [];
    if (section === 'default' && key !== undefined && value !== undefined) found.set(key, value);
  }
  return found;
}
