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
    isReady: () =>
      answersOk({
        // With the first call for EC2 it loads all of that, for a second or more: the first machine is not to wait for it.
        url: `http://127.0.0.1:${port}/?Action=DescribeSubnets&Version=2016-11-15`,
        // It reads region and service out of the signature.
        authorization:
          'AWS4-HMAC-SHA256 Credential=stack/20000101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0',
      }),
  };
}
