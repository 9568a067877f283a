import { isFields, type Fields, type KubeObject } from './kube-object.ts';

/** An object through its subresource `scale`, where replicas stand in `spec.replicas` and `status.replicas`. */
export function scaleOf({ metadata, spec, status }: KubeObject): Fields {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const seen = isFields(status) ? status : {};
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: isFields(spec) ? spec['replicas'] : undefined },
    status: { replicas: seen['replicas'] ?? 0, selector: seen['labelSelector'] },
  };
}

/** The object with the replicas of a Scale, under the version that this says it was read at. */
export function withReplicas(object: KubeObject, scale: unknown): KubeObject {
  const { spec, metadata } = scale as {
    readonly spec: Fields;
    readonly metadata: { readonly resourceVersion: string };
  };
  const wanted = { ...(isFields(object['spec']) ? object['spec'] : {}), replicas: spec['replicas'] };
  return { ...object, metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion }, spec: wanted };
}
