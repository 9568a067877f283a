import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createFaultProxy, type FaultProxy } from '../../devstack/doubles/fault-proxy/fault-proxy.ts';
import { createKubernetesClassifier } from '../../devstack/doubles/fault-proxy/kubernetes-classifier.ts';
import { startMillwright, type MillwrightProcess } from '../integration/millwright-process.ts';
import { writeProxiedKubeconfig } from '../integration/proxied-kubeconfig.ts';
import { getStack } from '../integration/stack.ts';
import type { FaultCloud } from './fault-cloud.ts';

/** A worker whose every request to the API server and to the cloud goes through numbering proxies. */
export interface ProxiedWorker {
  readonly kube: FaultProxy;
  readonly cloud: FaultProxy;
  /** The last one that was started. undefined: none was. */
  started(): MillwrightProcess | undefined;
  /** Starts one where none runs. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Shortened, so that a recovery takes seconds. In seconds; the options are those of `millwright worker`. */
const TIMES = {
  '--call-timeout': 6,
  '--heartbeat': 2,
  '--ready-look': 1,
  '--termination-look': 1,
} as const;

/** A proof by look-ups spans more than what the cloud may still hide. */
function timesFor({ lagSeconds = 0 }: FaultCloud) {
  return { ...TIMES, '--consistency-window': lagSeconds + 2, '--gone-window': lagSeconds + 2 };
}

export interface ProxiedWorkerOptions {
  /** What the cloud's proxy stands before. @default the cloud itself */
  readonly target?: string;
  /** Times of the worker beside, or in place of, the shortened ones: flag → seconds. */
  readonly times?: Readonly<Record<string, number>>;
}

export async function createProxiedWorker(
  taskQueue: string,
  cloud: FaultCloud,
  { target = cloud.endpoint, times = {} }: ProxiedWorkerOptions = {},
): Promise<ProxiedWorker> {
  const stack = getStack();
  const kube = await createFaultProxy({
    target: stack.apiServer,
    tls: { ca: stack.certificate },
    ...createKubernetesClassifier(),
  });
  const cloudProxy = await createFaultProxy({ target, ...cloud.newClassifier() });
  const kubeconfig = join(await mkdtemp(join(stack.stateDir, 'proxied-')), 'kubeconfig');
  await writeProxiedKubeconfig(kubeconfig, kube.url, stack.tokens.worker);
  let worker: MillwrightProcess | undefined;

  return {
    kube,
    cloud: cloudProxy,
    started: () => worker,
    async start() {
      worker = await startMillwright('worker', {
        kubeconfig,
        env: cloud.workerEnv(cloudProxy.url),
        args: [
          '--task-queue',
          taskQueue,
          ...Object.entries({ ...timesFor(cloud), ...times }).flatMap(([flag, seconds]) => [flag, String(seconds)]),
        ],
      });
      // It may be killed while it starts: then the next one is started by whoever killed it.
      await worker.ready.catch(() => undefined);
    },
    async close() {
      await worker?.end('SIGKILL');
      await Promise.all([kube.close(), cloudProxy.close()]);
    },
  };
}
