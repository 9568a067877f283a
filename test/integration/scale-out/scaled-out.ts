import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Ledger } from '../../../devstack/doubles/cloud/ledger.ts';
import type { UnexpectedExit } from '../../../devstack/stack/stack-options.ts';
import { startStack } from '../../../devstack/stack/stack.ts';
import { startTemporalOnPostgres } from '../../../devstack/stack/start-temporal-on-postgres.ts';
import { terminalProgress } from '../../../devstack/start/terminal-progress.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { createKubeClient } from '../../../k8s/http-client.ts';
import { refOf } from '../../../k8s/dialects/kind.ts';
import { installInto } from '../../../k8s/install/install.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { LEASES } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { machineSetManifest } from '../lifecycle/manifests.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { followMachines, type FollowedMachines } from './follow-machines.ts';

const NAMESPACE = 'default';
/** For one request: the API server has hundreds of machines to answer for, besides. In milliseconds. */
const PATIENCE_MS = 60_000;
/** Kubelets beat every third of it. Longer than by default: the beats of hundreds of them alone keep two cores busy. */
const NODE_GRACE_SECONDS = 60;

/**
 * Everything as in earnest: Temporal on PostgreSQL, two workers and two watchers, with their own defaults. Kubernetes and the
 * cloud are nobody else's either.
 */
export interface ScaledOut {
  /** Of the API server. */
  readonly auditLog: string;
  /** Servers that ended without having been told to. */
  readonly unexpectedExits: readonly UnexpectedExit[];
  /** How many machines there are, and how many run. */
  readonly followed: FollowedMachines;
  machines(): Promise<MachineObject[]>;
  createMachineSet(name: string, replicas: number): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  readLedger(): Promise<Ledger>;
  /** Identities of the workers that completed workflow tasks of this machine. */
  workersOf(machine: MachineObject): Promise<ReadonlySet<string>>;
  /** How many workflows of Machines and MachineSets a query finds. */
  countWorkflows(query: string): Promise<number>;
  /** pid of the watcher that holds the Lease; rejects where that is none of those that run. */
  activeWatcher(): Promise<number>;
  /** Kills one worker and the watcher that is active, at the same moment. */
  killOneOfEach(): Promise<void>;
  /** See `TemporalOnPostgres`. */
  loseTemporalsDatabases(): Promise<void>;
  end(): Promise<void>;
}

export async function scaleOut(): Promise<ScaledOut> {
  const unexpectedExits: UnexpectedExit[] = [];
  const onUnexpectedExit = (exit: UnexpectedExit): void => void unexpectedExits.push(exit);
  const running: Record<'worker' | 'watcher', MillwrightProcess[]> = { worker: [], watcher: [] };
  const started: (() => Promise<unknown>)[] = [];
  /** What was started last is ended first. */
  const end = async () => {
    for (const stop of started.reverse()) await stop();
  };

  try {
    const stateDir = await mkdtemp(join(tmpdir(), 'millwright-scale-out-'));
    if (process.env['MILLWRIGHT_KEEP_TEST_STATE'] === undefined) {
      started.push(() => rm(stateDir, { recursive: true, force: true }));
    }
    const stack = await startStack({
      stateDir,
      fresh: true,
      withScheduler: false,
      withTemporal: false,
      nodeGraceSeconds: NODE_GRACE_SECONDS,
      onUnexpectedExit,
    });
    started.push(() => stack.stop());
    const temporal = await startTemporalOnPostgres({
      namespace: getStack().temporal.namespace,
      logs: stack.files.logs,
      progress: terminalProgress(),
      onUnexpectedExit,
    });
    started.push(() => temporal.stop());
    const connection = await Connection.connect({ address: temporal.address });
    started.push(() => connection.close());
    const client = new Client({ connection, namespace: getStack().temporal.namespace });

    const config = loadKubeConfig({ kubeconfig: stack.kubeconfig });
    const kube = createKubeClient(config, { timeoutMs: PATIENCE_MS });
    await installInto(kube);
    const followed = followMachines(config, kube, NAMESPACE);
    started.push(() => followed.stop());
    started.push(() => endAll([...running.worker, ...running.watcher]));
    await Promise.all(
      (['worker', 'worker', 'watcher', 'watcher'] as const).map(async (role) => {
        const one = await startMillwright(role, {
          kubeconfig: role === 'worker' ? stack.files.workerKubeconfig : stack.files.watcherKubeconfig,
          cloudEndpoint: stack.cloud.endpoint,
          temporalAddress: temporal.address,
        });
        running[role].push(one);
        await one.ready;
      }),
    );

    const activeWatcher = async () => {
      const { spec } = await kube.get<Lease>(LEASES, 'kube-system', 'millwright-watcher');
      const holder = running.watcher.find(({ pid }) => spec.holderIdentity.includes(`_${pid}_`));
      if (holder === undefined) throw new Error(`${spec.holderIdentity}, who holds the Lease, is no watcher that runs`);
      return holder.pid;
    };
    return {
      auditLog: stack.files.auditLog,
      unexpectedExits,
      followed,
      activeWatcher,
      loseTemporalsDatabases: () => temporal.loseDatabases(),
      end,
      async machines() {
        return (await kube.list<MachineObject>(MACHINES, { namespace: NAMESPACE })).items;
      },
      async createMachineSet(name, replicas) {
        await kube.create(MACHINE_SETS, NAMESPACE, machineSetManifest(NAMESPACE, name, { replicas }));
      },
      async scale(name, replicas) {
        await kube.mergePatch(MACHINE_SETS, NAMESPACE, name, { spec: { replicas } });
      },
      async readLedger() {
        return (await (await fetch(`${stack.cloud.endpoint}/ledger`)).json()) as Ledger;
      },
      async workersOf(machine) {
        const { events } = await client.workflow.getHandle(workflowIdOf(refOf(machine))).fetchHistory();
        const completed = (events ?? []).map((event) => event.workflowTaskCompletedEventAttributes?.identity ?? '');
        return new Set(completed.filter((identity) => identity !== ''));
      },
      async countWorkflows(query) {
        return (await client.workflow.count(`ObjectNamespace = "${NAMESPACE}" AND ${query}`)).count;
      },
      async killOneOfEach() {
        const active = await activeWatcher();
        const isActive = ({ pid }: MillwrightProcess) => pid === active;
        await endAll([...running.worker.splice(0, 1), ...running.watcher.filter(isActive)], 'SIGKILL');
        running.watcher = running.watcher.filter((one) => !isActive(one));
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

interface Lease {
  readonly spec: { readonly holderIdentity: string };
}

async function endAll(processes: readonly MillwrightProcess[], signal?: NodeJS.Signals): Promise<void> {
  await Promise.all(processes.map((one) => one.end(signal)));
}
