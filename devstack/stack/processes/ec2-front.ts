import { join } from 'node:path';
import { repositoryFolder } from '../../repository-folder.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** EC2 as Millwright sees it: moto with the semantics that it lacks, and faults to order. */
export function ec2Front({ options, ports }: StackContext): ProcessSpec {
  return {
    name: 'ec2-front',
    command: process.execPath,
    args: [
      join(repositoryFolder, 'devstack', 'doubles', 'cloud', 'ec2-front', 'main.ts'),
      `--port=${ports.cloud}`,
      `--moto=http://127.0.0.1:${ports.moto}`,
      ...(options.withCloudLimits ? ['--limits'] : []),
    ],
    isReady: () => answersOk({ url: `http://127.0.0.1:${ports.cloud}/healthz` }),
  };
}
