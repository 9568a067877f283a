import { join } from 'node:path';
import { repositoryFolder } from '../../repository-folder.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** The cloud that needs no account. Its instances and its ledger lie in the state folder. */
export function simulatedCloud({ files, options, ports }: StackContext): ProcessSpec {
  return {
    name: 'simulated-cloud',
    command: process.execPath,
    args: [
      join(repositoryFolder, 'devstack', 'doubles', 'cloud', 'json-front', 'main.ts'),
      `--port=${ports.cloud}`,
      `--state-dir=${files.cloud}`,
      ...(options.withCloudLimits ? ['--limits'] : []),
    ],
    isReady: () => answersOk({ url: `http://127.0.0.1:${ports.cloud}/healthz` }),
  };
}
