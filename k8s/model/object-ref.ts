/** Names one object of one API for good: a deleted and re-created object has another uid. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** `Kind namespace/name`, for messages. */
export function describeRef(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  return `${ref.kind} ${ref.namespace}/${ref.name}`;
}
