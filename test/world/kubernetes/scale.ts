import { pathOf, type FieldPath } from './field-set.ts';
import { isFields, type Fields, type KubeObject } from './kube-object.ts';

export const REPLICAS: FieldPath = pathOf('spec', 'replicas');

interface Scale {
  readonly spec: Fields;
  readonly metadata: { readonly resourceVersion: string };
}

/** An object through its subresource `scale`, where replicas stand in `spec.replicas` and `status.replicas`. */
export function scaleOf({ metadata, spec, status }: KubeObject): Fields {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const seen = isFields(status) ? status : {};
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    // A spec of no replicas leaves the field out, unlike the status: so the API server writes a Scale.
    spec: isFields(spec) && spec['replicas'] !== 0 ? { replicas: spec['replicas'] } : {},
    status: { replicas: seen['replicas'] ?? 0, selector: seen['labelSelector'] },
  };
}

/** The object with the replicas of a Scale, under the version that this says it was read at. */
export function withReplicas(object: KubeObject, scale: unknown): KubeObject {
  const { spec, metadata } = scale as Scale;
  const wanted = { ...(isFields(object['spec']) ? object['spec'] : {}), replicas: replicasIn(spec) };
  return { ...object, metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion }, spec: wanted };
}

/** Who asks for no replicas owns no field, as none is written. */
export function unownedOfScale(scale: unknown): FieldPath[] {
  return replicasIn((scale as Scale).spec) === 0 ? [REPLICAS] : [];
}

function replicasIn(spec: Fields): unknown {
  return spec['replicas'] ?? 0;
}
