import type { ObjectRef } from '../k8s/model/object-ref.ts';

/** The object that a workflow lives for, and that its activities act on. */
export interface ObjectTarget {
  readonly ref: ObjectRef;
  /** uid of kube-system: a worker refuses the objects of another cluster. */
  readonly clusterUid: string;
}
