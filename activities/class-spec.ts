import type { MachineClass, SecretRef } from '../k8s/model/machine-class.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { given } from '../providers/given.ts';

/** What a class launches, or why it launches nothing, whoever refers to it: a sentence. */
export type ClassSpec = { readonly providerSpec: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** The class's providerSpec with the kind by which its provider is known. */
export function classSpecOf(machineClass: MachineClass, providers: ProviderRegistry): ClassSpec {
  const { ref, malformed, provider, userDataSecret, credentialsSecret } = machineClass;
  if (malformed !== undefined) return { problem: malformed };
  for (const [field, secret] of Object.entries({
    secretRef: userDataSecret,
    credentialsSecretRef: credentialsSecret,
  })) {
    if (secret === undefined || isIn(ref.namespace, secret)) continue;
    const problem = `${field}.namespace is ${secret.namespace}: a class names Secrets of its own namespace only`;
    return { problem };
  }
  const found = providers.byName(provider);
  if (found !== undefined) return withKind(machineClass, found);
  const known = providers.all.map(({ name }) => name).join(', ');
  return { problem: `provider ${provider} is none of this worker's; there is: ${known}` };
}

function withKind({ providerSpec }: MachineClass, provider: Provider): ClassSpec {
  const { kind } = providerSpec;
  const [ownKind] = provider.providerSpecKinds;
  if (kind === undefined) {
    const { providerSpecApiVersion: apiVersion } = provider;
    const identity = { ...given({ apiVersion }), kind: ownKind };
    return { providerSpec: { ...identity, ...providerSpec } };
  }
  if (typeof kind === 'string' && provider.providerSpecKinds.includes(kind)) return { providerSpec };
  const kinds = provider.providerSpecKinds.join(' or ');
  return { problem: `providerSpec.kind is ${JSON.stringify(kind)}, and provider ${provider.name} takes ${kinds}` };
}

function isIn(namespace: string, secret: SecretRef): boolean {
  return secret.namespace === undefined || secret.namespace === '' || secret.namespace === namespace;
}
