import type { Tokens } from '../../devstack/stack/credentials.ts';
import type { KubeClient } from '../../k8s/client.ts';
import { createKubeClient } from '../../k8s/http-client.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';

/** Where the shared stack is: what the setup leaves for the tests. */
export interface StackDescription {
  readonly stateDir: string;
  /** The administrator's. */
  readonly kubeconfig: string;
  readonly workerKubeconfig: string;
  readonly watcherKubeconfig: string;
  readonly apiServer: string;
  /** PEM of the API server's certificate. */
  readonly certificate: string;
  /** Bearer tokens. */
  readonly tokens: Tokens;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly uiUrl: string };
  readonly cloud: { readonly provider: string; readonly endpoint: string };
  readonly auditLog: string;
  /** The workflow code, bundled once for all workers. */
  readonly workflowBundle: string;
  /** Folder of what Node made of the sources of worker and watcher, for `NODE_COMPILE_CACHE`. */
  readonly compileCache: string;
}

export interface TestStack extends StackDescription {
  /** As the administrator. */
  readonly kube: KubeClient;
}

/** The stack that all integration tests share. */
export function getStack(): TestStack {
  const text = process.env['MILLWRIGHT_TEST_STACK'];
  if (text === undefined) throw new Error('no stack: run the integration tests through jest.config.js');
  const description = JSON.parse(text) as StackDescription;
  return { ...description, kube: createKubeClient(loadKubeConfig({ kubeconfig: description.kubeconfig })) };
}
