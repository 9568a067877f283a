import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import type { ObjectRef } from '../../../k8s/model/object-ref.ts';

/** When the objects of tests were made, unless they say otherwise. */
export const MADE_AT = '2026-01-01T00:00:00Z';
export const NAMESPACE = 'default';

/** Metadata as the API server keeps it, of an object that was made just now. */
export function metadataOf(name: string, given: Partial<ObjectMeta>): ObjectMeta {
  const { namespace = NAMESPACE } = given;
  return {
    name,
    namespace,
    uid: `uid-of-${namespace === NAMESPACE ? '' : `${namespace}/`}${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: MADE_AT,
    ...given,
  };
}

export interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>;
}

export function refOf({ apiVersion, kind, metadata: { namespace, name, uid } }: Named): ObjectRef {
  return { apiVersion, kind, namespace, name, uid };
}
