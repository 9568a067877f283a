import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { createKubeClient, type KubeClient } from '../../k8s/client.ts';
import { MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import {
  isSettled,
  machineTable,
  phaseChanges,
  phases,
  type ShownMachine,
  type ShownMachineSet,
} from './machine-table.ts';
import type { TerminalOutput } from './terminal-progress.ts';

/** What the cluster holds of ours. */
export interface MachinesSeen {
  readonly machines: readonly ShownMachine[];
  readonly sets: readonly ShownMachineSet[];
  /** Every Machine is where it stays by itself, and none is missing. */
  readonly settled: boolean;
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
  const client = clientFor(kubeconfig);
  const deadline = Date.now() + limitMs;
  let before: ReadonlyMap<string, string> = new Map();
  let linesShown = 0;
  for (;;) {
    const seen = await lookAtMachines(client);
    if (output.isTTY) {
      const text = machineTable(seen.machines);
      output.write(`${linesShown > 0 ? `\u{1b}[${linesShown}A\u{1b}[J` : ''}${text}\n`);
      linesShown = text.split('\n').length;
    } else {
      for (const line of phaseChanges(before, seen.machines)) output.write(`${line}\n`);
      before = phases(seen.machines);
    }
    if (seen.settled || Date.now() > deadline) return seen;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** The machines as they are now. */
export function seeMachines(kubeconfig: string): Promise<MachinesSeen> {
  return lookAtMachines(clientFor(kubeconfig));
}

async function lookAtMachines(client: KubeClient): Promise<MachinesSeen> {
  const [{ items: machines }, { items: sets }] = await Promise.all([
    client.list<ShownMachine>(MACHINES),
    client.list<ShownMachineSet>(MACHINE_SETS),
  ]);
  return { machines, sets, settled: isSettled(machines, sets) };
}

function clientFor(kubeconfig: string): KubeClient {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return createKubeClient(config);
}
