import { KubeConfig } from './kubernetes-client.ts';

/** Which cluster to talk to, as kubectl takes it. */
export interface KubeConfigOptions {
  /** Path of a kubeconfig. @default KUBECONFIG, `~/.kube/config`, or the pod's own service account */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig. @default its current one */
  readonly context?: string;
}

/** Reads the kubeconfig; a context that is not in it is refused by name. */
export function loadKubeConfig({ kubeconfig, context }: KubeConfigOptions = {}): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  if (context !== undefined) {
    const known = config.getContexts().map((c) => c.name);
    if (!known.includes(context)) {
      throw new Error(`the kubeconfig has no context "${context}"; it has: ${known.join(', ') || 'none'}`);
    }
    config.setCurrentContext(context);
  }
  return config;
}
