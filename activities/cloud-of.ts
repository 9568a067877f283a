import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { InstanceOwner, LaunchParameters, Provider } from '../providers/provider.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { ActivityDeps } from './deps.ts';
import type { Place } from './place.ts';
import { requireProviderSpec } from './effective-spec.ts';

/** @param clusterName the Machine's cluster label */
export function ownerOf(deps: Pick<ActivityDeps, 'clusterUid'>, ref: ObjectRef, clusterName: string): InstanceOwner {
  return { clusterName, namespace: ref.namespace, name: ref.name, uid: ref.uid, clusterUid: deps.clusterUid };
}

/**
 * The cloud a Machine's instance is in, and whose credentials reach it: what its launch was frozen with, or where it was
 * found when it was adopted, whatever became of the spec since. A look elsewhere would find nothing, and nothing found
 * counts as proof.
 *
 * @throws ProviderError where the provider is not of this worker, or the spec of a Machine without a launch names none
 */
export function cloudOf(
  deps: Pick<ActivityDeps, 'providers'>,
  { ref, providerID, status }: Pick<Machine, 'ref' | 'providerID' | 'status'>,
  spec: MachineSpec,
  frozen: LaunchParameters | undefined = status.launch?.parameters,
): Place {
  if (frozen !== undefined) {
    return { provider: namedProvider(deps, frozen.provider), credentials: frozen.credentials };
  }
  const { cloud } = status;
  if (cloud !== undefined) {
    return { provider: namedProvider(deps, cloud.provider), credentials: cloud.credentials };
  }
  const providerSpec = requireProviderSpec(spec);
  const { providers } = deps;
  const itsOwn = providerID === undefined ? undefined : providers.providerForProviderID(providerID);
  const provider = itsOwn ?? providers.providerFor(providerSpec);
  return { provider, credentials: provider.credentialsOf({ owner: ref, providerSpec }) };
}

/** @throws ProviderError FailedPrecondition where this worker has no provider of this name */
export function namedProvider({ providers }: Pick<ActivityDeps, 'providers'>, name: string): Provider {
  const provider = providers.byName(name);
  if (provider !== undefined) return provider;
  const known = providers.all.map((p) => p.name).join(', ');
  throw new ProviderError(
    'FailedPrecondition',
    `this worker has no provider ${name}, which the instance was launched with; it has: ${known}`,
  );
}
