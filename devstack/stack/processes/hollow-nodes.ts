import { join } from 'node:path';
import { repositoryFolder } from '../../repository-folder.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** Registers a Node for each running instance, as the instance's kubelet would. */
export function hollowNodes({ options, files, ports }: StackContext): ProcessSpec {
  const health = ports['hollow-nodes-health'];
  return {
    name: 'hollow-nodes',
    command: process.execPath,
    args: [
      join(repositoryFolder, 'devstack', 'doubles', 'hollow-nodes', 'main.ts'),
      `--cloud=http://127.0.0.1:${ports.cloud}`,
      `--provider=${options.provider}`,
      `--kubeconfig=${files.hollowNodesKubeconfig}`,
      `--join-delay-ms=${options.joinDelayMs}`,
      `--health-port=${health}`,
    ],
    isReady: () => answersOk({ url: `http://127.0.0.1:${health}/readyz` }),
  };
}
