import { HttpMethod, RequestContext, type KubeConfig } from '../../../../k8s/kubernetes-client.ts';
import { request } from 'undici';
import type { KubeClient } from '../../../../k8s/client.ts';
import { whoAmI } from '../../access/who-am-i.ts';
import type { ClockReading } from './clock-reading.ts';
import { reportFailed, reportOk, wordsOf, type Finding } from './finding.ts';
import { given } from '../../../../providers/given.ts';

/** ValidatingAdmissionPolicy is in v1 since then. */
const LEAST_MINOR = 30;
const TIMEOUT_MS = 8000;

export interface KubernetesAnswer {
  readonly finding: Finding;
  /** Undefined: the API server is away, or lets nobody in; there is no use in asking it more. */
  readonly clock: ClockReading | undefined;
}

/** Whether the API server is there, which version it has, and who one is to it. */
export async function checkKubernetes(config: KubeConfig, kube: KubeClient): Promise<KubernetesAnswer> {
  const check = 'Kubernetes API server';
  const server = config.getCurrentCluster()?.server;
  const context = config.getCurrentContext();
  if (server === undefined) {
    const advice = 'Name a context with --context, or set one: kubectl config use-context NAME.';
    return { finding: reportFailed(check, 'the kubeconfig has no current context', advice), clock: undefined };
  }
  const where = `${server}, context ${context}`;
  let version: Version;
  try {
    version = await askVersion(config, server);
  } catch (error) {
    const advice = 'Check the address in the kubeconfig (--kubeconfig, --context), and the network or VPN on the way.';
    return { finding: reportFailed(check, `no answer from ${where}: ${wordsOf(error)}`, advice), clock: undefined };
  }
  const { status, minor, gitVersion, clock } = version;
  if (status !== 200) {
    const advice =
      status === 401 ? 'Log in again: the token or certificate of this context is not (or no longer) accepted.' : '';
    const found = `${where} answered HTTP ${status} to GET /version`;
    return {
      finding: reportFailed(check, found, advice || 'Check what stands before the API server.'),
      clock: undefined,
    };
  }
  const user = await whoAmI(kube);
  const found = `${gitVersion} at ${where}${user === undefined ? '' : `, as ${user}`}`;
  if (minor < LEAST_MINOR) {
    const advice = `Upgrade the cluster: Kubernetes 1.${LEAST_MINOR} or newer is needed, for its admission policies.`;
    return { finding: reportFailed(check, found, advice), clock };
  }
  return { finding: reportOk(check, found), clock };
}

interface Version {
  readonly status: number;
  readonly gitVersion: string;
  readonly minor: number;
  readonly clock: ClockReading | undefined;
}

async function askVersion(config: KubeConfig, server: string): Promise<Version> {
  const context = new RequestContext(server, HttpMethod.GET);
  await config.applySecurityAuthentication(context);
  const dispatcher = context.getDispatcher();
  const sentAt = Date.now();
  const answer = await request(`${server.replace(/\/$/, '')}/version`, {
    headers: context.getHeaders(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...given({ dispatcher }),
  });
  const receivedAt = Date.now();
  const text = await answer.body.text();
  const { gitVersion = 'unknown version', minor = '' } =
    answer.statusCode === 200 ? (JSON.parse(text) as { gitVersion?: string; minor?: string }) : {};
  const date = Date.parse(String(answer.headers['date'] ?? ''));
  // The header has whole seconds, cut off.
  const clock = Number.isNaN(date) ? undefined : { earliest: date, latest: date + 1000, sentAt, receivedAt };
  return { status: answer.statusCode, gitVersion, minor: Number.parseInt(minor, 10), clock };
}
