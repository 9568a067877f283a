/** RunInstances with DryRun: moto says that it would work, whatever it is asked for. */

import { CloudError } from '../cloud-error.ts';
import type { Moto } from './moto-client.ts';
import type { QueryRequest } from './query-request.ts';

export function isDryRun(request: QueryRequest): boolean {
  return request.action === 'RunInstances' && request.get('DryRun') === 'true';
}

/** What the call names has to exist. Never answers otherwise than by an error, as EC2. */
export async function dryRun(request: QueryRequest, moto: Moto): Promise<never> {
  const subnet = request.get('SubnetId') || request.get('NetworkInterface.1.SubnetId');
  const named = [
    ['DescribeImages', 'ImageId.1', request.get('ImageId')],
    ['DescribeInstanceTypes', 'InstanceType.1', request.get('InstanceType')],
    ['DescribeSubnets', 'SubnetId.1', subnet],
  ] as const;
  for (const [Action, parameter, value] of named) {
    if (value === '') continue;
    await moto.call(request, new URLSearchParams({ Action, Version: request.version, [parameter]: value }));
  }
  throw new CloudError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', { status: 412 });
}
