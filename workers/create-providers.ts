import { readSecret } from '../activities/secrets.ts';
import type { KubeClient } from '../k8s/client.ts';
import { createAwsProvider } from '../providers/aws/aws-provider.ts';
import { EC2_LIMITS } from '../providers/aws/documented-limits.ts';
import type { Clock } from '../providers/clock.ts';
import { guardProvider, type GuardOptions } from '../providers/guarded-provider.ts';
import { measureProvider } from '../providers/measured-provider.ts';
import { RateLimits } from '../providers/rate-limited.ts';
import type { RateRule } from '../providers/rate-limits.ts';
import { createProviderRegistry, type ProviderRegistry } from '../providers/registry.ts';
import type { SecretReader } from '../providers/secret-reader.ts';
import { createSimulatedProvider } from '../providers/simulated/simulated-provider.ts';
import type { WorkerOptions } from './options.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** Limits that each cloud documents, where it has any. */
const DOCUMENTED: Readonly<Record<string, readonly RateRule[]>> = { aws: EC2_LIMITS };

/** What is told of the calls to clouds. */
type CloudMetrics = Pick<WorkerMetrics, 'onCloudCall' | 'showRates'> & { readonly cloudGuard?: GuardOptions };

/** The clouds of a worker. EC2 needs nothing that it has to be told: its specs name their region and credentials. */
export function createProviders(
  { simulatedEndpoint, simulatedIdempotency = 'token', cloudRates = {} }: WorkerOptions,
  kube: KubeClient,
  clock: Clock,
  { onCloudCall, showRates, cloudGuard = {} }: CloudMetrics,
): ProviderRegistry {
  const readSecretData: SecretReader = async (namespace, name) => (await readSecret(kube, namespace, name))?.data;
  const held = (provider: string): { readonly limits?: RateLimits } => {
    const limits = new RateLimits({
      provider,
      clock,
      rules: [...(cloudRates[provider] ?? []), ...(DOCUMENTED[provider] ?? [])],
    });
    if (limits.isEmpty) return {};
    showRates(limits);
    return { limits };
  };
  const aws = createAwsProvider({ clock, readSecret: readSecretData, ...held('aws') });
  const simulated =
    simulatedEndpoint === undefined
      ? []
      : [
          createSimulatedProvider({
            endpoint: simulatedEndpoint,
            idempotency: simulatedIdempotency,
            clock,
            readSecret: readSecretData,
            ...held('simulated'),
          }),
        ];
  const providers = [...simulated, aws];
  const stray = Object.keys(cloudRates).find((name) => !providers.some((provider) => provider.name === name));
  if (stray !== undefined) {
    const known = providers.map(({ name }) => name).join(', ');
    throw new Error(`rates are given for the cloud ${stray}, which this worker does not have; it has: ${known}`);
  }
  return createProviderRegistry(
    providers.map((provider) => guardProvider(measureProvider(provider, clock, onCloudCall), clock, cloudGuard)),
  );
}
