import { SECRETS } from '../../../k8s/resources.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';

export const USER_DATA = { name: 'user-data' };
/** With what each of the clouds asks for. */
export const CREDENTIALS = { name: 'credentials' };

/** Stands in all that has to stay between a Secret and the cloud. */
const MARK = 'canary-of-the-simulation';

/** By the name of the Secret, and by key. */
const CONTENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [USER_DATA.name]: { userData: `#!/bin/sh\njoin --token ${MARK}-user-data --now\n` },
  [CREDENTIALS.name]: {
    token: `${MARK}-bearer`,
    aws_access_key_id: `AKIA-${MARK}-id`,
    aws_secret_access_key: `${MARK}-key`,
  },
};

/** What base64 makes of the mark depends on how many bytes stand before it; its ends depend on its neighbours. */
const FORMS = [
  MARK,
  ...[0, 1, 2].map((before) =>
    base64(' '.repeat(before) + MARK).slice(Math.ceil((before * 8) / 6), Math.floor(((before + MARK.length) * 8) / 6)),
  ),
];
const SHOWN = 40;

/** The place in a text where something of the Secrets stands, as it is or in base64; undefined: there is none. */
export function secretIn(text: string): string | undefined {
  if (text.length < MARK.length) return undefined;
  for (const form of FORMS) {
    const at = text.indexOf(form);
    if (at !== -1) return text.slice(at, at + SHOWN);
  }
  return undefined;
}

/** A cloud in trouble likes to tell what it was sent. */
export const QUOTING = `cannot read ${Object.values(CONTENTS)
  .flatMap((content) => Object.values(content))
  .flatMap((value) => [value, base64(value)])
  .join(', ')}`;

export function putSecret(api: ApiServer, { name }: { readonly name: string }): void {
  const { apiVersion, kind } = SECRETS;
  const content = Object.entries(CONTENTS[name] ?? {}).map(([key, value]) => [key, base64(value)]);
  const secret = { apiVersion, kind, data: Object.fromEntries(content) as Record<string, string> };
  api.put({ ...secret, metadata: { name, namespace: NAMESPACE } });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
