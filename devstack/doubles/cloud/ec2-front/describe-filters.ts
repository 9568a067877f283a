/** Filters of DescribeInstances: which moto understands, which the front applies itself. */

import { CloudError } from '../cloud-error.ts';
import type { CloudInstance } from '../cloud-instance.ts';
import type { Filter, QueryRequest } from './query-request.ts';

/** An instance, and the state it is in now. */
export interface FilteredInstance extends CloudInstance {
  readonly currentState: CloudInstance['state'];
}

/** Filters that moto lacks, or that must see the front's states. */
const OURS: Readonly<Record<string, (instance: FilteredInstance) => string>> = {
  'client-token': ({ token = '' }) => token,
  'instance-state-name': ({ currentState }) => currentState,
  'instance-lifecycle': ({ interruptible }) => (interruptible ? 'spot' : ''),
  'launch-time': ({ launchedAt }) => new Date(launchedAt).toISOString(),
};

/** Filters of moto 5.2.5 (`filter_dict_attribute_mapping` in its ec2/utils.py), besides those of tags. */
const MOTOS: ReadonlySet<string> = new Set([
  'instance-id',
  'state-reason-code',
  'source-dest-check',
  'vpc-id',
  'group-id',
  'instance.group-id',
  'instance.group-name',
  'instance-type',
  'private-ip-address',
  'ip-address',
  'availability-zone',
  'architecture',
  'image-id',
  'network-interface.private-dns-name',
  'private-dns-name',
  'owner-id',
  'subnet-id',
  'dns-name',
  'key-name',
  'product-code',
]);

export interface FilterPlan {
  /** For moto. */
  readonly upstream: readonly Filter[];
  /** Whether the front's own filters let an instance through. */
  readonly fits: (instance: FilteredInstance) => boolean;
  /** Whether there are such filters. */
  readonly narrows: boolean;
}

/** Throws where nobody knows a filter: real EC2 may, so the error says who does not. */
export function planFilters(request: QueryRequest): FilterPlan {
  const filters = request.filters();
  const isOurs = ({ name }: Filter): boolean => OURS[name] !== undefined;
  const upstream = filters.filter((filter) => !isOurs(filter));
  const unknown = upstream.find(({ name }) => !MOTOS.has(name) && !/^tag(?::.+|-key|-value)$/.test(name));
  if (unknown !== undefined) {
    throw new CloudError(
      'InvalidParameterValue',
      `The filter '${unknown.name}' is invalid, or one that the embedded EC2 does not have.`,
    );
  }
  const tests = filters.filter(isOurs).map(({ name, values }) => {
    const patterns = values.map(toPattern);
    return (instance: FilteredInstance) => patterns.some((pattern) => pattern.test(OURS[name]?.(instance) ?? ''));
  });
  return { upstream, fits: (instance) => tests.every((test) => test(instance)), narrows: tests.length > 0 };
}

/** `*` and `?` stand for others, as in EC2's filters. */
function toPattern(value: string): RegExp {
  const source = value.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
}
