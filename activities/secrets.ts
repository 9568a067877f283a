import type { KubeClient } from '../k8s/client.ts';
import { unlessGone } from '../k8s/kube-error.ts';
import { SECRETS } from '../k8s/resources.ts';

/** A Secret as activities see it: decoded, and gone when the activity ends. */
export interface StoredSecret {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, Uint8Array>>;
}

/** Reads a Secret, live; undefined where there is none. Its content must not leave the activity that read it. */
export async function readSecret(kube: KubeClient, namespace: string, name: string): Promise<StoredSecret | undefined> {
  interface Stored {
    readonly metadata: { readonly uid: string; readonly resourceVersion: string };
    readonly data?: Readonly<Record<string, string>>;
  }
  const stored = await unlessGone(kube.get<Stored>(SECRETS, namespace, name));
  if (stored === undefined) return undefined;
  const { metadata, data = {} } = stored;
  const decoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const);
  return { uid: metadata.uid, resourceVersion: metadata.resourceVersion, data: Object.fromEntries(decoded) };
}
