/** One kind of object as the API server serves it: what a request path is made of. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export const NODES: Resource = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
export const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
export const SECRETS: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
export const CONFIG_MAPS: Resource = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
export const EVENTS: Resource = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };
export const NAMESPACES: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
export const LEASES: Resource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
export const DEPLOYMENTS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
export const REPLICA_SETS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};
export const DAEMON_SETS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
};
export const DISRUPTION_BUDGETS: Resource = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};
export const VOLUME_ATTACHMENTS: Resource = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
};
export const VOLUME_CLAIMS: Resource = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
};
export const VOLUMES: Resource = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
};
export const CUSTOM_RESOURCE_DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
export const VALIDATING_ADMISSION_POLICIES: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};
export const VALIDATING_ADMISSION_POLICY_BINDINGS: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
};

/** Path of a group in one version. */
export function versionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Path of a collection, or of one object where a name is given. Without a namespace: across all of them. */
export function resourcePath(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const root = versionPath(resource.apiVersion);
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  const part = subresource === undefined ? '' : `/${subresource}`;
  return `${root}${scope}/${resource.plural}${object}${part}`;
}
