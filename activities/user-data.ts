import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { UserDataVersion } from '../k8s/model/machine.ts';
import type { ActivityDeps } from './deps.ts';
import { readSecret } from './secrets.ts';

/** Key of the user-data in its Secret, as the Machine API has it. */
const USER_DATA_KEY = 'userData';

export type UserData =
  | { readonly outcome: 'read'; readonly content: Uint8Array; readonly version: UserDataVersion }
  | { readonly outcome: 'missing'; readonly reason: 'SecretMissing'; readonly message: string };

/**
 * The user-data goes from the Secret to the cloud; what is kept of it is which version it was.
 *
 * @param inItsWords says a provider's words about the spec in those of the Machine's fields
 */
export async function readUserData(
  deps: Pick<ActivityDeps, 'kube'>,
  ref: ObjectRef,
  name: string | undefined,
  inItsWords: (text: string) => string,
): Promise<UserData | undefined> {
  if (name === undefined) return undefined;
  const missing = (what: string): UserData => {
    const message = inItsWords(`providerSpec.value.userDataSecret.name: ${what}`);
    return { outcome: 'missing', reason: 'SecretMissing', message };
  };
  const secret = await readSecret(deps.kube, ref.namespace, name);
  if (secret === undefined) {
    return missing(`Secret ${ref.namespace}/${name} does not exist`);
  }
  const content = secret.data[USER_DATA_KEY];
  if (content === undefined) {
    return missing(`Secret ${ref.namespace}/${name} has no key "${USER_DATA_KEY}"`);
  }
  const { uid, resourceVersion } = secret;
  return { outcome: 'read', content, version: { name, uid, resourceVersion } };
}

export function isSameVersion(a: UserDataVersion | undefined, b: UserDataVersion | undefined): boolean {
  return a?.uid === b?.uid && a?.resourceVersion === b?.resourceVersion;
}
