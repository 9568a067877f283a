import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { repositoryFolder } from '../repository-folder.ts';

/** Where `npm start` keeps everything, unless told otherwise. */
export const defaultStateDir = join(repositoryFolder, '.millwright');

/** Every path of a state folder, named. What is under {@link data} is the provider's own and survives a stop. */
export type StackFiles = ReturnType<typeof stackFiles>;

export function stackFiles(stateDir: string, provider: string) {
  const root = resolve(stateDir);
  const data = join(root, provider);
  return {
    root,
    /** `{kubeconfig, temporal, cloud, processes}` of the running stack, for people and tools. */
    stackJson: join(root, 'stack.json'),
    /** Who started the stack and what it started: what a stop needs to know. */
    supervisorJson: join(root, 'supervisor.json'),
    logs: join(root, 'logs'),
    auditLog: join(root, 'logs', 'audit.log'),
    bin: join(root, 'bin'),
    kubeconfig: join(root, 'kubeconfig'),
    workerKubeconfig: join(root, 'worker.kubeconfig'),
    watcherKubeconfig: join(root, 'watcher.kubeconfig'),
    hollowNodesKubeconfig: join(root, 'hollow-nodes.kubeconfig'),
    data,
    portsJson: join(data, 'ports.json'),
    etcd: join(data, 'etcd'),
    temporalDatabase: join(data, 'temporal.db'),
    cloud: join(data, 'cloud'),
    kubernetes: join(data, 'kubernetes'),
    certificates: join(data, 'kubernetes', 'certificates'),
    tokens: join(data, 'kubernetes', 'tokens.csv'),
    serviceAccountKey: join(data, 'kubernetes', 'service-accounts.key'),
    serviceAccountPublicKey: join(data, 'kubernetes', 'service-accounts.pub'),
    auditPolicy: join(data, 'kubernetes', 'audit-policy.yaml'),
    controllerManagerKubeconfig: join(data, 'kubernetes', 'kube-controller-manager.kubeconfig'),
    schedulerKubeconfig: join(data, 'kubernetes', 'kube-scheduler.kubeconfig'),
    kwokKubeconfig: join(data, 'kubernetes', 'kwok.kubeconfig'),
    kwokStages: join(data, 'kubernetes', 'kwok-stages.yaml'),
    /** Exists once the example was applied, so that a later start leaves it as the user made it. */
    exampleApplied: join(data, 'example-applied'),
  } as const;
}

export async function makeFolders(files: StackFiles): Promise<void> {
  for (const folder of [
    files.root,
    files.logs,
    files.bin,
    files.data,
    files.kubernetes,
    files.certificates,
    files.cloud,
  ]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}

/** Deletes what Kubernetes and Temporal hold; ports and users' tokens stay. */
export async function forgetObjects(files: StackFiles): Promise<void> {
  const databases = ['', '-wal', '-shm', '-journal'].map((suffix) => `${files.temporalDatabase}${suffix}`);
  for (const path of [files.etcd, ...databases, files.exampleApplied]) await rm(path, { recursive: true, force: true });
}

/** Deletes what a stack wrote, and nothing else that may lie in the folder. */
export async function emptyStateFolder(files: StackFiles): Promise<void> {
  const written = [
    files.data,
    files.logs,
    files.bin,
    files.stackJson,
    files.supervisorJson,
    files.kubeconfig,
    files.workerKubeconfig,
    files.watcherKubeconfig,
    files.hollowNodesKubeconfig,
  ];
  for (const path of written) await rm(path, { recursive: true, force: true });
}

/** The command that ends what runs in a folder of state. */
export function stopCommand(root: string): string {
  return root === defaultStateDir ? 'npm stop' : `npm stop -- --state-dir ${root}`;
}
