import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { childEnvironment } from '../../../devstack/environment.ts';
import { silentProgress } from '../../../devstack/progress.ts';
import { resolveServers } from '../../../devstack/servers/resolve-servers.ts';
import { getStack } from '../stack.ts';

const BUILD_TIMEOUT_MS = 280_000;

export interface OwnScheduler {
  end(): Promise<void>;
}

/** A real kube-scheduler for the pods that name it in `schedulerName`: the stack has none, as most tests bind their pods. */
export async function startScheduler(schedulerName: string): Promise<OwnScheduler> {
  const { stateDir, kubeconfig } = getStack();
  const servers = await resolveServers(['kube-scheduler'], silentProgress, AbortSignal.timeout(BUILD_TIMEOUT_MS));
  const path = servers.get('kube-scheduler')?.path ?? 'kube-scheduler';
  const config = `${stateDir}/${schedulerName}.yaml`;
  await writeFile(
    config,
    stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      clientConnection: { kubeconfig },
      leaderElection: { leaderElect: false },
      profiles: [{ schedulerName }],
    }),
  );
  const log = openSync(`${stateDir}/logs/test-${schedulerName}.log`, 'ax');
  const args = [`--config=${config}`, '--secure-port=0'];
  const child = spawn(path, args, { stdio: ['ignore', log, log], env: childEnvironment() });
  const exited = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
  return {
    async end() {
      child.kill();
      await exited;
    },
  };
}
