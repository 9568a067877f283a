import { NAMESPACE } from './metadata.ts';

/** A Secret with user-data in it. */
export function aUserDataSecret(name: string) {
  const metadata = { name, namespace: NAMESPACE };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: { userData: 'IyEvYmluL3No' } };
}
