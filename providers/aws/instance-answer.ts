/** Instances as EC2 answers them, checked and cut down to what Millwright looks at. */

import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { ProviderError } from '../provider-error.ts';
import { isInstanceState, type Instance, type InstanceAddress, type InstanceState } from '../provider.ts';
import { CLUSTER_UID_TAG, clustersOf, MACHINE_TAG, UID_TAG } from './owner-tags.ts';
import { providerIDOf } from './provider-id.ts';
import { given, unlessEmpty } from '../given.ts';

/**
 * Why a spot instance ends that EC2 needs for others, or whose price is too low by now; and any instance whose launch EC2 accepted, and then
 * had no room for it or its volumes. Source: StateReason in the EC2 API reference.
 */
const TAKEN_BACK: ReadonlySet<string> = new Set([
  'Server.SpotInstanceTermination',
  'Server.SpotInstanceShutdown',
  'Server.InsufficientInstanceCapacity',
  'Client.VolumeLimitExceeded',
]);

/**
 * @param account the owner of the instance's reservation
 * @throws ProviderError Unknown
 */
export function readInstance(
  attempted: string,
  region: string,
  instance: Ec2Instance | undefined,
  account?: string,
): Instance {
  const { InstanceId: id, InstanceType: instanceType, Placement: placement } = instance ?? {};
  const state = readState(attempted, instance?.State?.Name);
  // Of one that ended EC2 may tell less and less; it must not spoil the answer about the others.
  const zone = placement?.AvailabilityZone ?? (state === 'terminated' ? region : undefined);
  if (instance === undefined || !id || !instanceType || !zone) {
    throw new ProviderError('Unknown', `${attempted}: the answer is no instance`);
  }
  const { ClientToken: token, LaunchTime: launchTime, InstanceLifecycle: lifecycle, StateReason } = instance;
  const { Tags = [] } = instance;
  const tag = (key: string): string | undefined => Tags.find(({ Key }) => Key === key)?.Value;
  const [machineUid, name, machineKey] = [tag(UID_TAG), tag('Name'), tag(MACHINE_TAG)];
  const [clusterUid, clusters] = [tag(CLUSTER_UID_TAG), clustersOf(Tags)];
  return {
    id,
    providerID: providerIDOf(zone, id),
    state,
    region,
    zone,
    instanceType,
    addresses: addressesOf(instance),
    ...given({
      machineUid: machineUid || undefined,
      clusters: unlessEmpty(clusters),
      name: name || undefined,
      machineKey: machineKey || undefined,
      clusterUid: clusterUid || undefined,
      account: account || undefined,
      token: token || undefined,
      launchedAt: launchTime?.toISOString(),
      interruptible: lifecycle === 'spot' || undefined,
      takenBack: TAKEN_BACK.has(StateReason?.Code ?? '') || undefined,
    }),
  };
}

/** @throws ProviderError Unknown */
export function readState(attempted: string, name: string | undefined): InstanceState {
  if (isInstanceState(name)) return name;
  throw new ProviderError('Unknown', `${attempted}: the answer is no instance: its state is ${name ?? 'missing'}`);
}

/** In the order of the Machine API; custom domains of the VPC's DHCP options are not looked up. */
function addressesOf(instance: Ec2Instance): InstanceAddress[] {
  const inUse = (instance.NetworkInterfaces ?? []).filter(({ Status }) => Status === 'in-use');
  const internal = inUse.flatMap(({ Ipv6Addresses = [], PrivateIpAddresses = [] }) => [
    ...Ipv6Addresses.map(({ Ipv6Address }) => Ipv6Address),
    ...PrivateIpAddresses.map(({ PrivateIpAddress }) => PrivateIpAddress),
  ]);
  const all: readonly (readonly [InstanceAddress['type'], string | undefined])[] = [
    ...internal.map((address) => ['InternalIP', address] as const),
    ['InternalIP', instance.PrivateIpAddress],
    ['ExternalIP', instance.PublicIpAddress],
    ['InternalDNS', instance.PrivateDnsName],
    ['Hostname', instance.PrivateDnsName],
    ['ExternalDNS', instance.PublicDnsName],
  ];
  const addresses = new Map<string, InstanceAddress>();
  for (const [type, address] of all) {
    if (address) addresses.set(`${type} ${address}`, { type, address });
  }
  return [...addresses.values()];
}
