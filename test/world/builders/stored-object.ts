import type { StoredObject } from '../../../k8s/dialects/kind.ts';
import { metadataOf } from './metadata.ts';

export const NOW = '2026-01-01T00:00:00.000Z';

/** An object `ns/m` as the API server answers it, whatever is in it. @param parts kind: Machine unless it says otherwise */
export function storedObject(
  parts: { kind?: string; metadata?: object; spec?: unknown; status?: unknown } = {},
): StoredObject {
  const { kind = 'Machine', metadata, ...rest } = parts;
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind,
    metadata: metadataOf('m', { namespace: 'ns', uid: 'u', generation: 4, creationTimestamp: NOW, ...metadata }),
    ...rest,
  };
}
