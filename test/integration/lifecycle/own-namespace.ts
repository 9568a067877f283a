import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { MACHINE_DEPLOYMENTS, MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { startMillwright, type MillwrightProcess, type ProcessOptions } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { machineManifest, machineSetManifest, type MachineSetWish, type MachineWish } from './manifests.ts';
import { given } from '../../../providers/given.ts';

type Patience = Parameters<typeof until>[3];

/** A Kubernetes namespace with a watcher and a worker of its own. */
export interface OwnNamespace {
  readonly name: string;
  readonly worker: MillwrightProcess;
  readonly watcher: MillwrightProcess;
  createMachine(name: string, wish?: MachineWish): Promise<MachineObject>;
  createMachineSet(name: string, wish: MachineSetWish): Promise<MachineSetObject>;
  machine(name: string): Promise<MachineObject | undefined>;
  machines(): Promise<MachineObject[]>;
  machineSet(name: string): Promise<MachineSetObject>;
  /** Waits until the Machine is as wanted. */
  untilMachine(
    name: string,
    isIt: (seen: MachineObject) => boolean,
    what: string,
    patience?: Patience,
  ): Promise<MachineObject>;
  untilPhase(name: string, phase: string, patience?: Patience): Promise<MachineObject>;
  untilMachines(what: string, isIt: (seen: MachineObject[]) => boolean, patience?: Patience): Promise<MachineObject[]>;
  untilMachineSet(
    name: string,
    isIt: (seen: MachineSetObject) => boolean,
    what: string,
    patience?: Patience,
  ): Promise<MachineSetObject>;
  patchMachine(name: string, patch: object): Promise<void>;
  patchMachineSet(name: string, patch: object): Promise<void>;
  deleteMachine(name: string): Promise<void>;
  /** Deletes the Machine and waits until it is gone. */
  removeMachine(name: string, patience?: Patience): Promise<void>;
  /** Takes down every Machine of it, then its processes. */
  end(): Promise<void>;
}

export interface OwnNamespaceOptions {
  /** More arguments of `millwright worker`. */
  readonly workerArgs?: readonly string[];
  /** Where the worker finds the cloud and the API server, if not where the stack has them. */
  readonly worker?: Pick<ProcessOptions, 'kubeconfig' | 'cloudEndpoint' | 'env'>;
  /** More environment of the watcher. */
  readonly watcherEnv?: Readonly<Record<string, string>>;
}

/** Times of deletion and proof that let a test end soon. */
export const SHORT_TIMES = [
  '--ready-look',
  '0.5',
  '--termination-look',
  '0.5',
  '--gone-window',
  '2',
  '--consistency-window',
  '3',
] as const;

export async function openNamespace(name: string, options: OwnNamespaceOptions = {}): Promise<OwnNamespace> {
  const { kube } = getStack();
  await kube.create(NAMESPACES, undefined, { metadata: { name } });
  const queue = ['--task-queue', name];
  const worker = await startMillwright('worker', {
    ...options.worker,
    args: [...queue, ...SHORT_TIMES, ...(options.workerArgs ?? [])],
  });
  const watcher = await startMillwright('watcher', {
    args: [...queue, '-n', name],
    ...given({ env: options.watcherEnv }),
  });
  await Promise.all([worker.ready, watcher.ready]);

  const machines = async () => (await kube.list<MachineObject>(MACHINES, { namespace: name })).items;
  const machine = (machineName: string) => unlessGone(kube.get<MachineObject>(MACHINES, name, machineName));
  const machineSet = (setName: string) => kube.get<MachineSetObject>(MACHINE_SETS, name, setName);
  const deleteMachine = async (machineName: string) => {
    await unlessGone(kube.delete(MACHINES, name, machineName));
  };
  const own: OwnNamespace = {
    name,
    worker,
    watcher,
    machine,
    machines,
    machineSet,
    deleteMachine,
    createMachine: (machineName, wish) => kube.create(MACHINES, name, machineManifest(name, machineName, wish)),
    createMachineSet: (setName, wish) => kube.create(MACHINE_SETS, name, machineSetManifest(name, setName, wish)),
    async untilMachine(machineName, isIt, what, patience) {
      const seen = await until(
        `${name}/${machineName}: ${what}`,
        () => machine(machineName),
        (it) => it !== undefined && isIt(it),
        { timeoutMs: 40_000, ...patience },
      );
      if (seen === undefined) throw new Error(`${machineName} is gone`);
      return seen;
    },
    untilPhase: (machineName, phase, patience) =>
      own.untilMachine(machineName, (m) => m.status?.phase === phase, phase, patience),
    untilMachines: (what, isIt, patience) => until(`${name}: ${what}`, machines, isIt, patience),
    untilMachineSet: (setName, isIt, what, patience) =>
      until(`${name}/${setName}: ${what}`, () => machineSet(setName), isIt, { timeoutMs: 40_000, ...patience }),
    async patchMachine(machineName, patch) {
      await kube.mergePatch(MACHINES, name, machineName, patch);
    },
    async patchMachineSet(setName, patch) {
      await kube.mergePatch(MACHINE_SETS, name, setName, patch);
    },
    async removeMachine(machineName, patience) {
      await deleteMachine(machineName);
      await until(
        `${name}/${machineName}: gone`,
        () => machine(machineName),
        (it) => it === undefined,
        { timeoutMs: 40_000, ...patience },
      );
    },
    async end() {
      try {
        // They would make their sets anew.
        for (const { metadata } of (await kube.list<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, { namespace: name }))
          .items) {
          await kube.delete(MACHINE_DEPLOYMENTS, name, metadata.name);
        }
        const { items } = await kube.list<MachineSetObject>(MACHINE_SETS, { namespace: name });
        await Promise.all(items.map((set) => unlessGone(kube.delete(MACHINE_SETS, name, set.metadata.name))));
        for (const { metadata } of await machines()) {
          if (metadata.annotations?.[PAUSED_ANNOTATION] !== undefined) await unpause(own, metadata.name);
          await deleteMachine(metadata.name);
        }
        await own.untilMachines('every machine is gone', (left) => left.length === 0, { timeoutMs: 90_000 });
      } finally {
        await Promise.all([worker.end(), watcher.end()]);
      }
    },
  };
  return own;
}

export async function pause(own: OwnNamespace, machineName: string): Promise<void> {
  await own.patchMachine(machineName, { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
}

export async function unpause(own: OwnNamespace, machineName: string): Promise<void> {
  await own.patchMachine(machineName, { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
}

export function conditionOf(object: MachineObject | MachineSetObject, type: string) {
  return object.status?.conditions?.find((c) => c.type === type);
}

/** Runs, and everything that is read of a running instance has been read. */
export function isAtRest(machine: MachineObject): boolean {
  const { phase, providerStatus } = machine.status ?? {};
  const isReady = conditionOf(machine, 'NodeReady')?.status === 'True';
  return phase === 'Running' && isReady && providerStatus?.instanceState === 'running';
}

export async function readNode(nodeName: string): Promise<Node | undefined> {
  return unlessGone(getStack().kube.get<Node>(NODES, undefined, nodeName));
}
