/** Reads `spec.providerSpec.value`: from whatever the user wrote to what can be relied on. */

import { compiledLater } from '../compiled-later.ts';
import { invalidField, shortJson } from '../invalid-spec.ts';
import type { LoadBalancer } from '../provider.ts';
import { specSchemas, validSpec } from '../valid-spec.ts';
import { PROVIDER_SPEC_SCHEMA } from './provider-spec-schema.ts';
import { withoutBlanks } from './without-blanks.ts';

interface Named {
  readonly name: string;
}

export interface SpecFilter {
  readonly name: string;
  readonly values: readonly string[];
}

/** What of EC2 is meant: the id counts before the ARN, and that before the filters. */
export interface ResourceReference {
  readonly id?: string;
  readonly arn?: string;
  readonly filters?: readonly SpecFilter[];
}

export interface BlockDevice {
  readonly deviceName?: string;
  readonly ebs?: {
    readonly encrypted?: boolean;
    readonly kmsKey?: Omit<ResourceReference, 'filters'>;
    readonly iops?: number;
    readonly throughputMib?: number;
    readonly volumeSize?: number;
    readonly volumeType?: 'gp2' | 'gp3' | 'io1' | 'io2' | 'st1' | 'sc1' | 'standard';
    readonly deleteOnTermination?: boolean;
  };
  readonly noDevice?: string;
  readonly virtualName?: string;
}

export interface Placement {
  readonly region?: string;
  readonly availabilityZone?: string;
  readonly tenancy?: 'default' | 'dedicated' | 'host';
  readonly host?: {
    readonly affinity: 'AnyAvailable' | 'DedicatedHost';
    readonly dedicatedHost?: { readonly id: string };
  };
}

/** A spec that was found valid. Fields as in the Machine API's AWSMachineProviderConfig. */
export interface ProviderSpec {
  readonly ami: ResourceReference;
  readonly instanceType: string;
  readonly cpuOptions?: { readonly confidentialCompute?: 'Disabled' | 'AMDEncryptedVirtualizationNestedPaging' };
  readonly tags?: readonly { readonly name: string; readonly value?: string }[];
  readonly iamInstanceProfile?: Omit<ResourceReference, 'filters'>;
  readonly userDataSecret?: Named;
  readonly credentialsSecret?: Named;
  readonly keyName?: string;
  readonly deviceIndex?: number;
  readonly publicIp?: boolean;
  readonly networkInterfaceType?: 'ENA' | 'EFA';
  readonly securityGroups?: readonly ResourceReference[];
  readonly subnet?: ResourceReference;
  readonly placement?: Placement;
  readonly loadBalancers?: readonly LoadBalancer[];
  readonly blockDevices?: readonly BlockDevice[];
  readonly spotMarketOptions?: { readonly maxPrice?: string };
  readonly metadataServiceOptions?: { readonly authentication?: 'Required' | 'Optional' };
  readonly placementGroupName?: string;
  readonly placementGroupPartition?: number;
  readonly capacityReservationId?: string;
  readonly marketType?: 'OnDemand' | 'Spot' | 'CapacityBlock';
}

/** The part that says where calls go. */
export type CredentialsSpec = Pick<ProviderSpec, 'placement' | 'credentialsSecret'>;

const isSpec = compiledLater(() => specSchemas.compile<ProviderSpec>(PROVIDER_SPEC_SCHEMA));
const { credentialsSecret, loadBalancers, placement } = PROVIDER_SPEC_SCHEMA.properties;
const { region, availabilityZone } = placement.properties;
const credentialsSchema = {
  type: 'object',
  properties: { credentialsSecret, placement: { type: 'object', properties: { region, availabilityZone } } },
} as const;
const isCredentialsSpec = compiledLater(() => specSchemas.compile<CredentialsSpec>(credentialsSchema));
const loadBalancersSchema = { type: 'object', properties: { loadBalancers } } as const;
const isLoadBalancersSpec = compiledLater(() =>
  specSchemas.compile<Pick<ProviderSpec, 'loadBalancers'>>(loadBalancersSchema),
);

/** @throws ProviderError InvalidArgument that names every wrong field, its value and what is allowed */
export function parseProviderSpec(value: unknown): ProviderSpec {
  const spec = validSpec(isSpec, withoutBlanks(value, PROVIDER_SPEC_SCHEMA));
  checkReferences(spec);
  checkTags(spec);
  checkPlacement(spec);
  checkMarket(spec);
  checkBlockDevices(spec);
  return spec;
}

/**
 * Reads the fields that say where calls go and no others, so that a Machine whose spec was broken after its launch can
 * still be described and deleted.
 * @throws ProviderError InvalidArgument
 */
export function parseCredentialsSpec(value: unknown): CredentialsSpec {
  return validSpec(isCredentialsSpec, withoutBlanks(value, credentialsSchema));
}

/**
 * Reads the load balancers and no other field.
 * @throws ProviderError InvalidArgument
 */
export function parseLoadBalancers(value: unknown): readonly LoadBalancer[] {
  const { loadBalancers: named = [] } = validSpec(isLoadBalancersSpec, withoutBlanks(value, loadBalancersSchema));
  const all = named.map(({ name, type }) => ({ name, type }));
  return all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index);
}

function isSame(a: LoadBalancer, b: LoadBalancer): boolean {
  return a.name === b.name && a.type === b.type;
}

function checkReferences({ ami, securityGroups = [] }: ProviderSpec): void {
  if (isEmpty(ami)) refuse('ami', 'needs an id, an arn or filters');
  const empty = securityGroups.findIndex(isEmpty);
  if (empty >= 0) refuse(`securityGroups[${empty}]`, 'needs an id, an arn or filters');
}

export function isEmpty({ id, arn, filters = [] }: ResourceReference): boolean {
  return id === undefined && arn === undefined && filters.length === 0;
}

function checkTags({ tags = [] }: ProviderSpec): void {
  const reserved = tags.findIndex(({ name }) => name.toLowerCase().startsWith('aws:'));
  if (reserved < 0) return;
  refuse(`tags[${reserved}].name`, `must not begin with aws:, which EC2 keeps, is ${shortJson(tags[reserved]?.name)}`);
}

function checkPlacement({ placement: place, placementGroupName, placementGroupPartition }: ProviderSpec): void {
  if (place?.host !== undefined && place.tenancy !== 'host') refuse('placement.host', 'is only for the tenancy "host"');
  if (place?.host?.affinity === 'DedicatedHost' && place.host.dedicatedHost === undefined) {
    refuse('placement.host.dedicatedHost', 'is required with the affinity "DedicatedHost"');
  }
  if (placementGroupPartition !== undefined && placementGroupName === undefined) {
    refuse('placementGroupPartition', 'needs a placementGroupName');
  }
}

function checkMarket({ marketType, spotMarketOptions, capacityReservationId }: ProviderSpec): void {
  if (spotMarketOptions !== undefined && marketType !== undefined && marketType !== 'Spot') {
    refuse('spotMarketOptions', `contradict the marketType ${shortJson(marketType)}`);
  }
  if (marketType === 'CapacityBlock' && capacityReservationId === undefined) {
    refuse('capacityReservationId', 'is required with the marketType "CapacityBlock"');
  }
}

function checkBlockDevices({ blockDevices = [] }: ProviderSpec): void {
  const names = new Map<string, number>();
  for (const [index, { deviceName = '', ebs, noDevice, virtualName }] of blockDevices.entries()) {
    const field = `blockDevices[${index}]`;
    if (ebs === undefined && noDevice === undefined && virtualName === undefined) {
      refuse(field, 'needs ebs, noDevice or virtualName');
    }
    if (deviceName === '' && ebs === undefined) refuse(`${field}.deviceName`, 'is required where there is no ebs');
    const other = names.get(deviceName);
    if (other !== undefined) {
      const which = deviceName === '' ? 'one device only, the root device, may leave it out' : 'must be unique';
      refuse(`${field}.deviceName`, `${which}; see blockDevices[${other}]`);
    }
    names.set(deviceName, index);
  }
}

function refuse(path: string, problem: string): never {
  const field = `providerSpec.value.${path}`;
  throw invalidField(field, `${field}: ${problem}`);
}
