import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Stack } from '../../devstack/stack/stack.ts';
import type { KubeClient } from '../../k8s/client.ts';
import { createKubeClient } from '../../k8s/http-client.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import type { BenchOptions } from './bench-options.ts';
import { cpuSeconds } from './cpu-seconds.ts';

/** Where the machines are made. */
export const NAMESPACE = 'default';
/** The set that they are of. */
export const SET = 'bench';

/** Seconds of CPU in a second, of all processes together, below which a stack counts as quiet. */
const QUIET_CPU = 0.3;
/** Looks in a row that have to be quiet, a second apart; and after how many it is measured all the same. */
const QUIET_LOOKS = 3;
const MOST_LOOKS = 60;

/** A stack to measure on. */
export interface Bench {
  readonly machines: number;
  /** Their Nodes are not drained. */
  readonly withoutDrain: boolean;
  readonly stack: Stack;
  readonly config: KubeConfig;
  readonly kube: KubeClient;
  readonly temporal: Client;
  /** How long anything may take. */
  readonly patience: { readonly timeoutMs: number; readonly everyMs: number };
  close(): Promise<void>;
}

/** Connects to a stack that was just started, and waits until it has done with starting. */
export async function openBench(
  stack: Stack,
  { machines, withoutDrain }: Pick<BenchOptions, 'machines' | 'withoutDrain'>,
): Promise<Bench> {
  const config = loadKubeConfig({ kubeconfig: stack.kubeconfig });
  const connection = await Connection.connect({ address: stack.temporal.address });
  await untilQuiet(stack);
  return {
    machines,
    withoutDrain,
    stack,
    config,
    kube: createKubeClient(config),
    temporal: new Client({ connection, namespace: stack.temporal.namespace }),
    patience: { timeoutMs: 60_000 + machines * 1_000, everyMs: 20 },
    close: () => connection.close(),
  };
}

/** Right after the start the API server still builds what it serves, and controllers read all there is. */
async function untilQuiet({ processes }: Stack): Promise<void> {
  let quiet = 0;
  for (let looks = 0; quiet < QUIET_LOOKS && looks < MOST_LOOKS; looks += 1) {
    const before = total(cpuSeconds(processes));
    await delay(1000);
    quiet = total(cpuSeconds(processes)) - before < QUIET_CPU ? quiet + 1 : 0;
  }
}

function total(seconds: Readonly<Record<string, number>>): number {
  return Object.values(seconds).reduce((sum, one) => sum + one, 0);
}
