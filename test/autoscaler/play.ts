import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { childEnvironment } from '../../devstack/environment.ts';
import type { CaseWorld } from './case-world.ts';
import { CASES } from './cases.ts';

export interface Played {
  readonly title: string;
  /** Absent: it was as it should be. */
  readonly failure?: string;
  readonly seen: readonly string[];
  readonly seconds: number;
}

export interface PlayOptions {
  /** Path of cluster-autoscaler. */
  readonly binary: string;
  /** Of the user that it is. */
  readonly kubeconfig: string;
  /** Where its log goes. */
  readonly log: string;
  /** Longest wait for each thing that it is to do, in milliseconds. */
  readonly patienceMs: number;
  readonly onPlayed?: (played: Played) => void;
}

/** Short times, so that the cases end soon; otherwise it runs as it would in production. */
export function autoscalerFlags(kubeconfig: string, namespace: string): readonly string[] {
  return [
    '--cloud-provider=clusterapi',
    `--kubeconfig=${kubeconfig}`,
    `--node-group-auto-discovery=clusterapi:namespace=${namespace}`,
    '--leader-elect=false',
    // Its metrics: any port, and not for others.
    '--address=127.0.0.1:0',
    '--scan-interval=1s',
    '--scale-down-unneeded-time=5s',
    '--scale-down-unready-time=30s',
    '--scale-down-delay-after-add=1s',
    '--scale-down-delay-after-delete=1s',
    '--scale-down-delay-after-failure=1s',
    '--unremovable-node-recheck-timeout=5s',
    '--skip-nodes-with-local-storage=false',
    '--skip-nodes-with-system-pods=false',
    '--expander=least-waste',
    '--v=4',
  ];
}

/** Plays the cases one after the other, while the program runs; it is ended afterwards. */
export async function playCases(world: CaseWorld, options: PlayOptions): Promise<readonly Played[]> {
  const { binary, kubeconfig, log, patienceMs, onPlayed } = options;
  const output = openSync(log, 'a');
  const child = spawn(binary, autoscalerFlags(kubeconfig, world.namespace), {
    stdio: ['ignore', output, output],
    env: { ...childEnvironment(), CAPI_GROUP: 'machine.openshift.io' },
  });
  let ended: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => resolve(void (ended = error.message)));
    child.once('exit', (code, signal) => resolve(void (ended = `it ended with ${code ?? signal}`)));
  });
  const results: Played[] = [];
  try {
    for (const { title, play } of CASES) {
      const startedAt = Date.now();
      const seconds = () => Math.round((Date.now() - startedAt) / 1000);
      const gone = exited.then(() => Promise.reject(new Error(`${binary}: ${ended}; its log is ${log}`)));
      let played: Played;
      try {
        played = { title, seen: await Promise.race([play(world, patienceMs), gone]), seconds: seconds() };
      } catch (error) {
        played = {
          title,
          failure: error instanceof Error ? error.message : String(error),
          seen: [],
          seconds: seconds(),
        };
      }
      results.push(played);
      onPlayed?.(played);
      if (ended !== undefined) break;
    }
  } finally {
    child.kill();
    await exited;
  }
  return results;
}
