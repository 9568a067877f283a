import { Client, Connection } from '@temporalio/client';
import { startTemporalOnPostgres, type TemporalOnPostgres } from '../../../devstack/temporal-on-postgres/start.ts';
import { terminalProgress } from '../../../devstack/terminal-progress.ts';
import type { UnexpectedExit } from '../../../devstack/stack-options.ts';
import type { MachineObject } from '../../../k8s/api/machine.ts';
import { createKubeClient } from '../../../k8s/client.ts';
import { refOf } from '../../../k8s/dialects/dialect.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { isNotFound } from '../../../k8s/kube-error.ts';
import { LEASES, MACHINES, MACHINE_SETS, NAMESPACES } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { machineSetManifest } from '../lifecycle/manifests.ts';
import { followMachines, type FollowedMachines } from './follow-machines.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

/** The API server has hundreds of machines to answer for, besides. In milliseconds. */
const PATIENCE_MS = 60_000;

type Role = 'worker' | 'watcher';

/**
 * One Kubernetes namespace that is served as in earnest: by a Temporal on PostgreSQL, two workers and two watchers. Kubernetes
 * and the cloud are those of the shared stack.
 */
export interface ScaledOut {
  readonly temporal: TemporalOnPostgres;
  /** Servers that ended without having been told to. */
  readonly unexpectedExits: readonly UnexpectedExit[];
  machines(): Promise<MachineObject[]>;
  /** How many of them there are, and how many run. */
  readonly followed: FollowedMachines;
  createMachineSet(name: string, replicas: number): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** Identities of the workers that completed workflow tasks of this machine. */
  workersOf(machine: MachineObject): Promise<ReadonlySet<string>>;
  /** How many of the namespace's workflows a query finds. */
  countWorkflows(query: string): Promise<number>;
  /** Kills one worker and the watcher that is active, at the same moment. */
  killOneOfEach(): Promise<void>;
  /** pid of the watcher that holds the Lease; rejects where that is none of those that run. */
  activeWatcher(): Promise<number>;
  end(): Promise<void>;
}

export async function scaleOut(namespace: string): Promise<ScaledOut> {
  const { kubeconfig, stateDir, temporal: shared } = getStack();
  const config = loadKubeConfig({ kubeconfig });
  const kube = createKubeClient(config, { timeoutMs: PATIENCE_MS });
  const unexpectedExits: UnexpectedExit[] = [];
  const temporal = await startTemporalOnPostgres({
    namespace: shared.namespace,
    logs: `${stateDir}/logs`,
    progress: terminalProgress(),
    onUnexpectedExit: (exit) => unexpectedExits.push(exit),
  });
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: shared.namespace });
  const followed = followMachines(config, kube, namespace);
  const running: Record<Role, MillwrightProcess[]> = { worker: [], watcher: [] };

  const start = async (role: Role) => {
    const args = ['--task-queue', namespace, ...(role === 'watcher' ? ['--namespace', namespace] : [])];
    const started = await startMillwright(role, { temporalAddress: temporal.address, args });
    running[role].push(started);
    await started.ready;
  };
  const machines = async () => (await kube.list<MachineObject>(MACHINES, { namespace })).items;
  const remove = (name: string) =>
    kube.delete(MACHINES, namespace, name).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  const activeWatcher = async () => {
    const { spec } = await kube.get<{ readonly spec: { readonly holderIdentity: string } }>(
      LEASES,
      'kube-system',
      `millwright-watcher-${namespace}`,
    );
    const holder = running.watcher.find(({ pid }) => spec.holderIdentity.includes(`_${pid}_`));
    if (holder === undefined) throw new Error(`${spec.holderIdentity}, who holds the Lease, is no watcher that runs`);
    return holder.pid;
  };

  const stop = async () => {
    await followed.stop();
    await Promise.all([...running.worker, ...running.watcher].map((one) => one.end()));
    await connection.close();
    await temporal.stop();
  };

  try {
    await kube.create(NAMESPACES, undefined, { metadata: { name: namespace } });
    await Promise.all((['worker', 'worker', 'watcher', 'watcher'] as const).map(start));
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    temporal,
    unexpectedExits,
    machines,
    followed,
    activeWatcher,
    async createMachineSet(name, replicas) {
      await kube.create(MACHINE_SETS, namespace, machineSetManifest(namespace, name, { replicas }));
    },
    async scale(name, replicas) {
      await kube.mergePatch(MACHINE_SETS, namespace, name, { spec: { replicas } });
    },
    async workersOf(machine) {
      const { events } = await client.workflow.getHandle(workflowIdOf(refOf(machine))).fetchHistory();
      const completed = (events ?? []).map((event) => event.workflowTaskCompletedEventAttributes?.identity ?? '');
      return new Set(completed.filter((identity) => identity !== ''));
    },
    async countWorkflows(query) {
      return (await client.workflow.count(`ObjectNamespace = "${namespace}" AND ${query}`)).count;
    },
    async killOneOfEach() {
      const active = await activeWatcher();
      const isActive = ({ pid }: MillwrightProcess) => pid === active;
      const doomed = [...running.worker.slice(0, 1), ...running.watcher.filter(isActive)];
      await Promise.all(doomed.map((one) => one.end('SIGKILL')));
      running.worker = running.worker.slice(1);
      running.watcher = running.watcher.filter((one) => !isActive(one));
    },
    async end() {
      try {
        const sets = await kube.list<{ readonly metadata: { readonly name: string } }>(MACHINE_SETS, { namespace });
        await Promise.all(sets.items.map(({ metadata }) => kube.delete(MACHINE_SETS, namespace, metadata.name)));
        for (const { metadata } of await machines()) await remove(metadata.name);
        await until('every machine is gone', machines, (left) => left.length === 0, {
          timeoutMs: 90_000,
          everyMs: 1000,
        });
      } finally {
        await stop();
      }
    },
  };
}
