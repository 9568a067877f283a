import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFaultProxy } from '../../../devstack/doubles/fault-proxy/fault-proxy.ts';
import { createKubernetesClassifier } from '../../../devstack/doubles/fault-proxy/kubernetes-classifier.ts';
import { freePort } from '../../../devstack/stack/ports.ts';
import { rawRequest } from '../api/raw-request.ts';
import { writeProxiedKubeconfig } from '../proxied-kubeconfig.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import type { ImageTree } from './image-tree.ts';

/** What is read of a pod's spec. */
export interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly [
    {
      readonly name: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value?: string }[];
    },
  ];
}

/** The one container of a pod, run here as a kubelet would run it: its arguments, its environment, its account. */
export interface PodProcess {
  /** Exit code, or null where a signal ended it. */
  readonly ended: Promise<number | null>;
  /** What it asked of the API server, as `<verb> <resource>`, and the status it was answered with. */
  readonly requests: () => { readonly what: string; readonly status: number | undefined }[];
  /** Waits until it says so at `/readyz`; rejects with its log where it ends before. */
  untilReady(): Promise<void>;
  /** What it answers at a path of its port; undefined where it does not answer. */
  get(path: string): Promise<Response | undefined>;
  log(): Promise<string>;
  /** Sends SIGTERM and waits for its end. */
  end(): Promise<number | null>;
  /** Ends it in any case. */
  close(): Promise<void>;
}

let count = 0;

/** Starts it from the image's tree, as the image's user, with a token of the pod's service account. */
export async function startPod(namespace: string, pod: PodSpec, image: ImageTree): Promise<PodProcess> {
  const stack = getStack();
  const [container] = pod.containers;
  const proxy = await createFaultProxy({
    target: stack.apiServer,
    tls: { ca: stack.certificate },
    ...createKubernetesClassifier(),
  });
  count += 1;
  const name = `${namespace}-${container.name}-${count}`;
  const kubeconfig = join(dirname(image.folder), `${name}.kubeconfig`);
  await writeProxiedKubeconfig(kubeconfig, proxy.url, await tokenOf(namespace, pod.serviceAccountName));
  await image.hand(kubeconfig);
  const logPath = join(stack.stateDir, 'logs', `pod-${name}.log`);
  const output = openSync(logPath, 'a');
  const port = await freePort();
  // A pod has an address of its own; here all share one, so each is given a port.
  const ownPort = container.args.some((arg) => arg.startsWith('--health-port'))
    ? ['--health-host=127.0.0.1', `--health-port=${port}`]
    : [];
  const program = join(image.folder, 'bin', 'millwright.js');
  const child = spawn(image.node, [program, ...container.args, ...ownPort], {
    ...image.user,
    cwd: image.folder,
    stdio: ['ignore', output, output],
    env: {
      ...Object.fromEntries(container.env.map(({ name: variable, value = '' }) => [variable, value])),
      NODE_ENV: 'production',
      // Stands for the account's files, which a pod finds at a fixed path.
      KUBECONFIG: kubeconfig,
      // A container without a writable file system has no place for either.
      HOME: '/nonexistent',
      TMPDIR: image.folder,
    },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  const log = () => readFile(logPath, 'utf8');
  return {
    ended,
    get,
    log,
    async untilReady() {
      const look = async () => (child.exitCode === null ? (await get('/readyz'))?.status : 'ended');
      const seen = await until(`${name} is ready`, look, (found) => found === 200 || found === 'ended');
      if (seen === 'ended') throw new Error(`${name} ended before it was ready: ${await log()}`);
    },
    requests: () => proxy.recorded.map(({ point, status }) => ({ what: `${verbOf(point)} ${point.resource}`, status })),
    async end() {
      child.kill('SIGTERM');
      return ended;
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
      await proxy.close();
    },
  };
}

async function tokenOf(namespace: string, account: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const answer = await rawRequest(getStack().kubeconfig, path, { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`no token for ${namespace}/${account}: ${JSON.stringify(answer.body)}`);
  return (answer.body as { status: { token: string } }).status.token;
}

/** In the words of a role, which knows one verb for all kinds of patches. */
function verbOf({ verb }: { readonly verb: string }): string {
  return verb === 'json-patch' ? 'patch' : verb;
}
