/** The reads that turn what a spec describes into ids. */

import {
  DescribeImagesCommand,
  DescribeInstanceTypesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
} from '@aws-sdk/client-ec2';
import type { _InstanceType, EC2Client, Filter, Image, InstanceTypeInfo, Subnet } from '@aws-sdk/client-ec2';
import { createCachedRead } from '../cached-read.ts';
import type { Clock } from '../clock.ts';
import { shortJson } from '../invalid-spec.ts';
import { ProviderError } from '../provider-error.ts';
import type { Credentials } from '../provider.ts';
import type { SpecFilter } from './provider-spec.ts';
import { given } from '../given.ts';

/** How long what a type has counts, in milliseconds: a day. */
const TYPES_TTL_MS = 86_400_000;

export interface FoundImage {
  readonly id: string;
  readonly rootDeviceName?: string;
}

export interface FoundSubnet {
  readonly id: string;
  readonly zone: string;
  readonly vpc: string;
}

/** What to look for: by id, or by filters. */
export interface Lookup {
  readonly credentials: Credentials;
  /** Field of the spec that this is for: named by the error where nothing is found. */
  readonly field: string;
  readonly id?: string;
  readonly filters?: readonly SpecFilter[];
}

export interface Ec2Lookups {
  /** The image; of several the newest. */
  image(lookup: Lookup): Promise<FoundImage>;
  /** The subnet; of several the one with the most free addresses. */
  subnet(lookup: Lookup): Promise<FoundSubnet>;
  /** Ids of all the security groups, sorted. */
  securityGroups(lookup: Lookup): Promise<readonly string[]>;
  /** What instances of a type have. It never changes, and is remembered for long. */
  instanceType(lookup: Lookup & { readonly id: string }): Promise<InstanceTypeInfo>;
}

/** Sends reads to EC2; makes the error where one fails. */
export type ReadEc2 = <T>(
  lookup: Lookup,
  attempted: string,
  send: (ec2: EC2Client, abortSignal: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Every answer is remembered for `ttlMs` milliseconds per credentials; that nothing was found is not.
 * All reject with ProviderError; where nothing is found, InvalidArgument that may be mended outside the spec.
 */
export function createEc2Lookups(read: ReadEc2, ttlMs: number, clock: Pick<Clock, 'now'>): Ec2Lookups {
  const image = async (lookup: Lookup): Promise<FoundImage> => {
    const attempted = `look up the image of ${lookup.field}`;
    const { Images } = await read(lookup, attempted, (ec2, abortSignal) =>
      ec2.send(new DescribeImagesCommand(inputOf(lookup, (id) => ({ ImageIds: [id] }))), { abortSignal }),
    );
    const newest = listOf(attempted, Images).toSorted(byAge).at(-1);
    if (newest?.ImageId === undefined) throw nothingFound(lookup, 'image');
    const { ImageId: id, RootDeviceName: rootDeviceName } = newest;
    return { id, ...given({ rootDeviceName }) };
  };

  const subnet = async (lookup: Lookup): Promise<FoundSubnet> => {
    const attempted = `look up the subnet of ${lookup.field}`;
    const { Subnets } = await read(lookup, attempted, (ec2, abortSignal) =>
      ec2.send(new DescribeSubnetsCommand(inputOf(lookup, (id) => ({ SubnetIds: [id] }))), { abortSignal }),
    );
    const roomiest = listOf(attempted, Subnets).toSorted(byRoom)[0];
    const { SubnetId: id, AvailabilityZone: zone, VpcId: vpc } = roomiest ?? {};
    if (id === undefined || zone === undefined || vpc === undefined) throw nothingFound(lookup, 'subnet');
    return { id, zone, vpc };
  };

  const securityGroups = async (lookup: Lookup): Promise<readonly string[]> => {
    const attempted = `look up the security groups of ${lookup.field}`;
    const { SecurityGroups } = await read(lookup, attempted, (ec2, abortSignal) =>
      ec2.send(new DescribeSecurityGroupsCommand(inputOf(lookup, (id) => ({ GroupIds: [id] }))), { abortSignal }),
    );
    const ids = listOf(attempted, SecurityGroups).flatMap(({ GroupId }) => (GroupId === undefined ? [] : [GroupId]));
    if (ids.length === 0) throw nothingFound(lookup, 'security group');
    return ids.toSorted();
  };

  const instanceType = async (lookup: Lookup & { readonly id: string }): Promise<InstanceTypeInfo> => {
    const attempted = `look up instance type ${lookup.id}`;
    const InstanceTypes = [lookup.id as _InstanceType];
    const { InstanceTypes: found } = await read(lookup, attempted, (ec2, abortSignal) =>
      ec2.send(new DescribeInstanceTypesCommand({ InstanceTypes }), { abortSignal }),
    );
    const [type] = listOf(attempted, found);
    if (type === undefined) throw nothingFound(lookup, 'instance type');
    return type;
  };

  return {
    instanceType: createCachedRead(instanceType, { ttlMs: TYPES_TTL_MS, clock }),
    image: createCachedRead(image, { ttlMs, clock }),
    subnet: createCachedRead(subnet, { ttlMs, clock }),
    securityGroups: createCachedRead(securityGroups, { ttlMs, clock }),
  };
}

function inputOf<T extends object>({ id, filters = [] }: Lookup, byId: (id: string) => T): T | { Filters: Filter[] } {
  if (id !== undefined) return byId(id);
  return { Filters: filters.map(({ name, values }) => ({ Name: name, Values: [...values] })) };
}

/** An answer that holds no list at all is none of EC2: it does not say that nothing is there. */
function listOf<T>(attempted: string, list: readonly T[] | undefined): readonly T[] {
  if (list !== undefined) return list;
  throw new ProviderError('Unknown', `${attempted}: the answer holds no list`);
}

function nothingFound({ field, id, filters }: Lookup, what: string): ProviderError {
  const sought = id === undefined ? shortJson(filters ?? []) : shortJson(id);
  const message = `${field}: no ${what} is found by ${sought}`;
  return new ProviderError('InvalidArgument', message, { field, outsideSpec: true });
}

/** CreationDate is RFC 3339 in UTC throughout: as text it sorts by time. */
function byAge(a: Image, b: Image): number {
  return compare(`${a.CreationDate ?? ''} ${a.ImageId ?? ''}`, `${b.CreationDate ?? ''} ${b.ImageId ?? ''}`);
}

function byRoom(a: Subnet, b: Subnet): number {
  const room = (b.AvailableIpAddressCount ?? 0) - (a.AvailableIpAddressCount ?? 0);
  return room === 0 ? compare(a.SubnetId ?? '', b.SubnetId ?? '') : room;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
