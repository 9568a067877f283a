import { readSecret } from '../activities/secrets.ts';
import type { KubeClient } from '../k8s/client.ts';
import { createAwsProvider } from '../providers/aws/aws-provider.ts';
import { measureProvider, type MeasuredCall } from '../providers/measured-provider.ts';
import { createProviderRegistry, type ProviderRegistry } from '../providers/registry.ts';
import type { SecretReader } from '../providers/secret-reader.ts';
import { createSimulatedProvider } from '../providers/simulated/simulated-provider.ts';
import type { WorkerOptions } from './options.ts';

/** The clouds of a worker. EC2 needs nothing that it has to be told: its specs name their region and credentials. */
export function createProviders(
  { simulatedEndpoint }: WorkerOptions,
  kube: KubeClient,
  onCall: (call: MeasuredCall) => void,
): ProviderRegistry {
  const readSecretData: SecretReader = async (namespace, name) => (await readSecret(kube, namespace, name))?.data;
  const aws = createAwsProvider({ readSecret: readSecretData });
  const simulated =
    simulatedEndpoint === undefined
      ? []
      : [createSimulatedProvider({ endpoint: simulatedEndpoint, readSecret: readSecretData })];
  return createProviderRegistry([...simulated, aws].map((provider) => measureProvider(provider, onCall)));
}
