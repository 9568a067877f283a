import { NAMESPACE } from './metadata.ts';

/** A Secret with user-data in it. */
export function aUserDataSecret(name: string, userData = '#!/bin/sh') {
  return aSecret(name, { userData });
}

/** A Secret with credentials of the simulated cloud, whose token is its name. */
export function aCredentialsSecret(name: string) {
  return aSecret(name, { token: name });
}

function aSecret(name: string, content: Readonly<Record<string, string>>) {
  const metadata = { name, namespace: NAMESPACE, uid: `uid-of-${name}` };
  const data = Object.entries(content).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(data) as Record<string, string> };
}
