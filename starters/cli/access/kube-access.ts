import type { KubeClient } from '../../../k8s/client.ts';
import { createKubeClient, type KubeClientOptions } from '../../../k8s/http-client.ts';
import { APIS, type ApiRegistry } from '../../../k8s/dialects/registry.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { CliError, reasonOf } from '../cli-error.ts';
import { kubeOptions, type GlobalOptions } from '../flags/global-options.ts';

export interface KubeAccess {
  readonly kube: KubeClient;
  /** Whose objects there are. */
  readonly apis: ApiRegistry;
  /** `--namespace`, else the context's, else `default`: as kubectl does. */
  readonly namespace: string;
}

export function openKube(options: GlobalOptions, clientOptions: KubeClientOptions = {}): KubeAccess {
  const config = readKubeConfig(options);
  const context = config.getContextObject(config.getCurrentContext());
  return {
    kube: createKubeClient(config, clientOptions),
    apis: APIS,
    namespace: options.namespace ?? context?.namespace ?? 'default',
  };
}

export function readKubeConfig(options: GlobalOptions): ReturnType<typeof loadKubeConfig> {
  try {
    return loadKubeConfig(kubeOptions(options));
  } catch (error) {
    const which = options.kubeconfig ?? process.env['KUBECONFIG'] ?? 'the default one';
    throw new CliError(`could not read the kubeconfig (${which}): ${reasonOf(error)}`, { cause: error });
  }
}
