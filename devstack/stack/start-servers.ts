import type { ServerName } from '../servers/catalog.ts';
import { grantAccess } from './access.ts';
import { writeAwsCredentials } from './aws-credentials.ts';
import { writeKubeconfigs } from './credentials.ts';
import { installMillwright } from './install.ts';
import { ec2Front } from './processes/ec2-front.ts';
import { etcd } from './processes/etcd.ts';
import { hollowNodes } from './processes/hollow-nodes.ts';
import { kubeApiServer } from './processes/kube-apiserver.ts';
import { kubeControllerManager } from './processes/kube-controller-manager.ts';
import { kubeScheduler } from './processes/kube-scheduler.ts';
import { kwok } from './processes/kwok.ts';
import { watcher, worker } from './processes/millwright.ts';
import { moto } from './processes/moto.ts';
import { simulatedCloud } from './processes/simulated-cloud.ts';
import type { StackContext } from './processes/stack-context.ts';
import { temporal } from './processes/temporal.ts';
import { linkPrograms } from './programs.ts';
import type { DefaultedStackOptions } from './stack-options.ts';
import type { ProcessSpec } from './supervised-process.ts';

/**
 * Starts what the options ask for, each as soon as what it needs is there: Kubernetes, Temporal and the cloud side by
 * side, then what Millwright installs, then Millwright itself.
 * @param up starts one and resolves when it serves
 */
export async function startServers(
  context: StackContext,
  apiServer: string,
  up: (spec: ProcessSpec) => Promise<void>,
): Promise<void> {
  const { options } = context;
  await together([
    linkPrograms(context),
    ...(options.withKubernetes ? [startKubernetes(context, apiServer, up)] : []),
    ...(options.withTemporal ? [temporal(context).then(up)] : []),
    ...(options.withCloud ? [startCloud(context, up)] : []),
  ]);
  if (options.withInstall) await installMillwright(context);
  if (options.withKubernetes && options.provider === 'aws') await writeAwsCredentials(context.files);
  await together([
    ...(options.withHollowNodes ? [up(hollowNodes(context))] : []),
    ...(options.withWatcher ? [up(watcher(context))] : []),
    ...(options.withWorker ? [up(worker(context))] : []),
  ]);
}

/** The binaries that {@link startServers} runs. */
export function neededServers(options: DefaultedStackOptions): ServerName[] {
  return [
    ...(options.withKubernetes ? (['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const) : []),
    ...(options.withScheduler ? (['kube-scheduler'] as const) : []),
    ...(options.withHollowNodes ? (['kwok'] as const) : []),
    ...(options.withTemporal ? (['temporal'] as const) : []),
  ];
}

async function startCloud(context: StackContext, up: (spec: ProcessSpec) => Promise<void>): Promise<void> {
  if (context.moto === undefined) return up(simulatedCloud(context));
  await up(moto(context.moto, context.ports.moto));
  await up(ec2Front(context));
}

async function startKubernetes(
  context: StackContext,
  apiServer: string,
  up: (spec: ProcessSpec) => Promise<void>,
): Promise<void> {
  const { options, files, tokens } = context;
  await up(etcd(context));
  await up(kubeApiServer(context));
  await writeKubeconfigs(files, apiServer, tokens);
  await grantAccess(files);
  await together([
    up(kubeControllerManager(context)),
    ...(options.withScheduler ? [up(kubeScheduler(context))] : []),
    ...(options.withHollowNodes ? [up(kwok(context))] : []),
  ]);
}

/** Waits for all, also where one fails, so that nothing is still being started when everything is stopped. */
async function together(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) {
    if (result.status === 'rejected') throw result.reason;
  }
}
