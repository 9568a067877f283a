import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES, type Resource } from '../../../k8s/resources.ts';
import type { ApiServer } from './api-server.ts';
import type { KubeObject } from './kube-object.ts';

const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True' }] };

/**
 * The same server, whose controllers have definitions and policies come into force as soon as they are written.
 *
 * @param policies false: nobody tells by a policy's status that it was read. @default true
 */
export function inForceAtOnce(server: ApiServer, { policies = true } = {}): ApiServer {
  const statusOf = (resource: Resource, { metadata, status }: KubeObject): unknown => {
    if (resource === CUSTOM_RESOURCE_DEFINITIONS) return status ?? ESTABLISHED;
    return policies && resource === VALIDATING_ADMISSION_POLICIES
      ? { observedGeneration: metadata.generation }
      : status;
  };
  server.store.onChange(({ type, resource, object }) => {
    const status = statusOf(resource, object);
    const isTold = JSON.stringify(status) === JSON.stringify(object['status']);
    if (type !== 'DELETED' && !isTold) server.store.put(resource, { ...object, status });
  });
  return server;
}
