import type { QueryRequest } from './query-request.ts';

/** The instances that a call names, of EC2 or of the load balancers; of targets by address, the addresses. */
export function instanceIdsIn(request: QueryRequest): string[] {
  const filtered = request.filters().find(({ name }) => name === 'instance-id')?.values ?? [];
  return [
    ...request.list('InstanceId'),
    ...request.list('Instances.member', '.InstanceId'),
    ...request.list('Targets.member', '.Id'),
    ...filtered,
  ];
}
