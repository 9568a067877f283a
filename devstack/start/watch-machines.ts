import { setTimeout as sleep } from 'node:timers/promises';
import { createKubeClient } from '../../k8s/http-client.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import type { Machine } from '../../k8s/model/machine.ts';
import { listObjects } from '../../starters/cli/access/find-object.ts';
import { areLasting, machineTable, phaseChanges, phases } from './machine-table.ts';
import type { TerminalOutput } from './terminal-progress.ts';

/** What the cluster holds of ours. */
export interface MachinesSeen {
  readonly machines: readonly Machine[];
  readonly sets: readonly MachineSet[];
  /** Every Machine is where it stays by itself, and none is missing. */
  readonly lasting: boolean;
}

const LOOK_EVERY_MS = 300;

/**
 * Shows the machines until none is on its way any more, or the time is over: a live table in a terminal, elsewhere a
 * line per change.
 */
export async function watchMachines(
  kubeconfig: string,
  limitMs: number,
  signal: AbortSignal,
  output: TerminalOutput = process.stdout,
): Promise<MachinesSeen> {
  const access = accessTo(kubeconfig);
  const deadline = Date.now() + limitMs;
  let before: ReadonlyMap<string, string> = new Map();
  let linesShown = 0;
  for (;;) {
    const seen = await lookAtMachines(access);
    if (output.isTTY) {
      const text = machineTable(seen.machines);
      output.write(`${linesShown > 0 ? `\u{1b}[${linesShown}A\u{1b}[J` : ''}${text}\n`);
      linesShown = text.split('\n').length;
    } else {
      for (const line of phaseChanges(before, seen.machines)) output.write(`${line}\n`);
      before = phases(seen.machines);
    }
    if (seen.lasting || Date.now() > deadline) return seen;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** The machines as they are now. */
export function seeMachines(kubeconfig: string): Promise<MachinesSeen> {
  return lookAtMachines(accessTo(kubeconfig));
}

async function lookAtMachines(access: Access): Promise<MachinesSeen> {
  const [foundMachines, foundSets] = await Promise.all([
    listObjects(access, 'machine'),
    listObjects(access, 'machineSet'),
  ]);
  const machines = foundMachines.map(({ read }) => read.machine);
  const sets = foundSets.map(({ read }) => read.machineSet);
  return { machines, sets, lasting: areLasting(machines, sets) };
}

type Access = Parameters<typeof listObjects>[0];

function accessTo(kubeconfig: string): Access {
  return { kube: createKubeClient(loadKubeConfig({ kubeconfig })), apis: APIS };
}
