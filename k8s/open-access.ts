import { HttpMethod, RequestContext, type KubeConfig } from './kubernetes-client.ts';
import type { Dispatcher } from 'undici';
import type { Clock } from '../providers/clock.ts';
import { KubeError } from './kube-error.ts';

/** How long a token or certificate read from the kubeconfig (or its exec plugin) is used before it is asked for anew. */
const CREDENTIALS_TTL_MS = 60_000;

/** Where the API server is, and what lets requests in. */
export interface Access {
  readonly server: string;
  readonly headers: Record<string, string>;
  readonly dispatcher: Dispatcher | undefined;
  /** On the clock that it was opened by, in milliseconds. */
  readonly until: number;
}

/** @param dispatcher of the access before: its connections are kept */
export async function openAccess(
  config: KubeConfig,
  clock: Pick<Clock, 'now'>,
  dispatcher: Dispatcher | undefined,
): Promise<Access> {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) {
    throw new KubeError(0, 'NoCluster', 'the kubeconfig has no current cluster: set one, or name a context');
  }
  const context = new RequestContext(server, HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  const made = context.getDispatcher();
  const until = clock.now() + CREDENTIALS_TTL_MS;
  return { server: server.replace(/\/$/, ''), headers: context.getHeaders(), dispatcher: dispatcher ?? made, until };
}
