import { limitedName } from '../../../../providers/aws/documented-limits.ts';
import type { LimitedCall } from '../request-limits.ts';
import { instanceIdsIn } from './instance-ids.ts';
import type { QueryRequest } from './query-request.ts';

/** moto's one account: whatever keys a call is signed with. */
const ACCOUNT = '123456789012';
/** Parameters by which a describe asks for less than all there is at once. */
const NARROWING = ['MaxResults', 'NextToken'];

/** A call as the limits see it; undefined: it is of the load balancers, which have none here. */
export function limitedCall(request: QueryRequest): LimitedCall | undefined {
  const { region, action, service } = request;
  if (service !== 'ec2') return undefined;
  const isNarrowed = request.filters().length > 0 || NARROWING.some((name) => request.get(name) !== '');
  const instances = action === 'RunInstances' ? Number(request.get('MaxCount')) : instanceIdsIn(request).length;
  return { account: ACCOUNT, region, action: limitedName(action, isNarrowed), instances };
}
