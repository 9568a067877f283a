import type { MotoCommand } from '../../servers/moto.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';

/** moto's server: EC2 and its load balancers, in memory. The EC2 front is its one client. */
export function moto({ command, args }: MotoCommand, port: number): ProcessSpec {
  return {
    name: 'moto',
    command,
    args: [...args, '--host', '127.0.0.1', '--port', String(port)],
    env: {
      // Without these it launches instances of types and images that do not exist.
      MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: 'true',
      MOTO_ENABLE_AMI_VALIDATION: 'true',
      PYTHONUNBUFFERED: '1',
    },
    isReady: () => answersOk({ url: `http://127.0.0.1:${port}/moto-api/` }),
  };
}
