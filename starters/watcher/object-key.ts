import type { ObjectRef } from '../../k8s/model/object-ref.ts';

/** What tells the objects of all kinds apart, as long as none is deleted and made again. */
export function objectKey({ apiVersion, kind, namespace, name }: Omit<ObjectRef, 'uid'>): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}
