/** Metadata of an object as the API server answers it. */
export interface ObjectMeta {
  name: string;
  namespace: string;
  uid: string;
  /** Changes with every write of the object. For comparison only, as equal or not. */
  resourceVersion: string;
  /** Counts the changes of the spec, from 1. */
  generation: number;
  /** RFC 3339. */
  creationTimestamp: string;
  /** RFC 3339; set while the object is being deleted. */
  deletionTimestamp?: string;
  generateName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** While there is one, the object that is being deleted stays. */
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  /** Who wrote which fields last. */
  managedFields?: ManagedFields[];
}

/** The fields that one manager wrote in one way. */
export interface ManagedFields {
  manager?: string;
  /** `Apply`: by server-side apply; all else is `Update`. */
  operation?: string;
  /** When it wrote last, RFC 3339. */
  time?: string;
  /** The fields as keys of nested objects: `{"f:spec": {"f:providerID": {}}}`. */
  fieldsV1?: unknown;
}

/** Whether one of these writes a field of the spec, by its name, and the names of fields in that. */
export function writesSpecField({ fieldsV1 }: ManagedFields, ...path: readonly string[]): boolean {
  let written: unknown = fieldsV1;
  for (const name of ['spec', ...path]) written = Object(written)[`f:${name}`];
  return written !== undefined;
}

/** Whether one of these writes an annotation. */
export function writesAnnotation({ fieldsV1 }: ManagedFields, key: string): boolean {
  const { 'f:metadata': metadata }: { 'f:metadata'?: unknown } = Object(fieldsV1);
  const { 'f:annotations': written }: { 'f:annotations'?: unknown } = Object(metadata);
  return Object.hasOwn(Object(written), `f:${key}`);
}

/** An object in the same namespace that this one belongs to. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  /** True for the one owner that controls the object. */
  controller?: boolean;
  /** True: an owner that is deleted in the foreground waits for this object. */
  blockOwnerDeletion?: boolean;
}
