/** What RunInstances gets: frozen when the launch is resolved, sent as it is from then on. */

import { Ajv } from 'ajv';
import type {
  BlockDeviceMapping,
  IamInstanceProfileSpecification,
  InstanceMarketOptionsRequest,
  InstanceNetworkInterfaceSpecification,
  Placement as Ec2Placement,
  RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { compiledLater } from '../compiled-later.ts';
import { ProviderError } from '../provider-error.ts';
import type { InstanceOwner, LaunchRequest } from '../provider.ts';
import { tagsOf, UID_TAG } from './owner-tags.ts';
import { isWavelengthZone } from './provider-id.ts';
import type { BlockDevice, ProviderSpec } from './provider-spec.ts';
import type { ResolvedSpec } from './resolve-spec.ts';
import { given, unlessEmpty } from '../given.ts';

/** All of RunInstances but the token and the user-data. */
type FrozenRequest = Omit<RunInstancesCommandInput, 'ClientToken' | 'UserData'> & {
  readonly MinCount: 1;
  readonly MaxCount: 1;
};

/** Before EC2 has seen it any text may be an instance type. */
type ResolvedRequest = Omit<FrozenRequest, 'InstanceType'> & { readonly InstanceType: string };

const isFrozenRequest = compiledLater(() =>
  new Ajv().compile<FrozenRequest>({
    type: 'object',
    required: [
      'ImageId',
      'InstanceType',
      'MinCount',
      'MaxCount',
      'Placement',
      'NetworkInterfaces',
      'TagSpecifications',
    ],
    properties: {
      ImageId: { type: 'string' },
      InstanceType: { type: 'string' },
      MinCount: { const: 1 },
      MaxCount: { const: 1 },
      ClientToken: false,
      UserData: false,
      Placement: {
        type: 'object',
        required: ['AvailabilityZone'],
        properties: { AvailabilityZone: { type: 'string' } },
      },
      NetworkInterfaces: { type: 'array', minItems: 1, items: { type: 'object' } },
      TagSpecifications: {
        type: 'array',
        items: {
          type: 'object',
          required: ['ResourceType', 'Tags'],
          properties: { Tags: { type: 'array', items: { type: 'object', required: ['Key', 'Value'] } } },
        },
      },
    },
  }),
);

/** What carries the owner's tags from its first moment on. */
const TAGGED = ['instance', 'volume', 'network-interface'] as const;

export function resolvedRequest(
  spec: ProviderSpec,
  { image, subnet, securityGroups }: ResolvedSpec,
  owner: InstanceOwner,
): Readonly<Record<string, unknown>> {
  const { iamInstanceProfile: profile, capacityReservationId, keyName, cpuOptions, metadataServiceOptions } = spec;
  const { confidentialCompute } = cpuOptions ?? {};
  const { authentication } = metadataServiceOptions ?? {};
  const market = marketOptionsOf(spec);
  const devices = (spec.blockDevices ?? []).map((device) => blockDeviceOf(device, image.rootDeviceName));
  const tags = tagsOf(owner, spec.tags ?? []);
  const instanceProfile = instanceProfileOf(profile);
  const frozen: ResolvedRequest = {
    MinCount: 1,
    MaxCount: 1,
    ImageId: image.id,
    InstanceType: spec.instanceType,
    Placement: placementOf(spec, subnet.zone),
    NetworkInterfaces: [networkInterfaceOf(spec, subnet, securityGroups)],
    ...given({
      BlockDeviceMappings: unlessEmpty(devices),
      IamInstanceProfile: instanceProfile,
      KeyName: keyName,
      InstanceMarketOptions: market,
      MetadataOptions: authentication && { HttpTokens: authentication === 'Required' ? 'required' : 'optional' },
      CpuOptions: confidentialCompute && { AmdSevSnp: confidentialCompute === 'Disabled' ? 'disabled' : 'enabled' },
      CapacityReservationSpecification:
        capacityReservationId === undefined
          ? undefined
          : { CapacityReservationTarget: { CapacityReservationId: capacityReservationId } },
    }),
    TagSpecifications: TAGGED.map((type) => ({ ResourceType: type, Tags: [...tags] })),
  };
  return { ...frozen };
}

/** @throws ProviderError FailedPrecondition where the stored parameters were damaged or are another Machine's */
export function runInstancesInput({ owner, token, parameters, userData }: LaunchRequest): RunInstancesCommandInput {
  const { request, zone, instanceType } = parameters;
  const refuse = (why: string): never => {
    const message = `launch an instance for machine ${owner.namespace}/${owner.name}: the stored launch parameters ${why}`;
    throw new ProviderError('FailedPrecondition', message);
  };
  if (!isFrozenRequest(request)) return refuse('hold no request that this provider has resolved');
  if (request.InstanceType !== instanceType || request.Placement?.AvailabilityZone !== zone) {
    return refuse('contradict themselves');
  }
  const tags = request.TagSpecifications?.find(({ ResourceType }) => ResourceType === 'instance')?.Tags ?? [];
  const madeFor = tags.find(({ Key }) => Key === UID_TAG)?.Value;
  if (madeFor !== owner.uid) return refuse(`were resolved for the Machine ${madeFor ?? ''}, not for ${owner.uid}`);
  const encoded = userData && Buffer.from(userData).toString('base64');
  return { ...request, ClientToken: token, ...given({ UserData: encoded }) };
}

function placementOf(
  { placement, placementGroupName, placementGroupPartition }: ProviderSpec,
  zone: string,
): Ec2Placement {
  const { tenancy, host } = placement ?? {};
  const id = host?.dedicatedHost?.id;
  return {
    AvailabilityZone: zone,
    ...given({ GroupName: placementGroupName, PartitionNumber: placementGroupPartition, Tenancy: tenancy }),
    ...given({ Affinity: host && (host.affinity === 'DedicatedHost' ? 'host' : 'default') }),
    ...given({ HostId: id }),
  };
}

function networkInterfaceOf(
  { deviceIndex = 0, publicIp, networkInterfaceType: type }: ProviderSpec,
  subnet: ResolvedSpec['subnet'],
  securityGroups: readonly string[],
): InstanceNetworkInterfaceSpecification {
  const address = isWavelengthZone(subnet.zone)
    ? { AssociateCarrierIpAddress: publicIp }
    : { AssociatePublicIpAddress: publicIp };
  return {
    DeviceIndex: deviceIndex,
    SubnetId: subnet.id,
    ...given({
      Groups: unlessEmpty([...securityGroups]),
      ...address,
      InterfaceType: type && (type === 'EFA' ? 'efa' : 'interface'),
    }),
  };
}

function instanceProfileOf({ id, arn }: NonNullable<ProviderSpec['iamInstanceProfile']> = {}):
  | IamInstanceProfileSpecification
  | undefined {
  if (id !== undefined) return { Name: id };
  return arn === undefined ? undefined : { Arn: arn };
}

/** Spot: asked for once and terminated when it is taken back, so that a Machine is never two instances. */
function marketOptionsOf({ marketType, spotMarketOptions }: ProviderSpec): InstanceMarketOptionsRequest | undefined {
  if (marketType === 'CapacityBlock') return { MarketType: 'capacity-block' };
  if (marketType !== 'Spot' && spotMarketOptions === undefined) return undefined;
  const maxPrice = spotMarketOptions?.maxPrice;
  return {
    MarketType: 'spot',
    SpotOptions: {
      SpotInstanceType: 'one-time',
      InstanceInterruptionBehavior: 'terminate',
      ...given({ MaxPrice: maxPrice }),
    },
  };
}

const WITH_IOPS: ReadonlySet<string | undefined> = new Set(['io1', 'io2', 'gp3']);

function blockDeviceOf(
  { deviceName, ebs, noDevice, virtualName }: BlockDevice,
  rootDeviceName: string | undefined,
): BlockDeviceMapping {
  const name = deviceName ?? rootDeviceName;
  return {
    ...given({ DeviceName: name, NoDevice: noDevice, VirtualName: virtualName }),
    ...given({ Ebs: ebs && ebsOf(ebs) }),
  };
}

function ebsOf(ebs: NonNullable<BlockDevice['ebs']>): NonNullable<BlockDeviceMapping['Ebs']> {
  const { deleteOnTermination = true, encrypted, kmsKey, iops = 0, throughputMib, volumeSize, volumeType } = ebs;
  const key = kmsKey?.id ?? kmsKey?.arn;
  return {
    DeleteOnTermination: deleteOnTermination,
    ...given({ VolumeSize: volumeSize, VolumeType: volumeType, Encrypted: encrypted, KmsKeyId: key }),
    // OpenShift's installer writes 0 for "not set", and writes it for types that take none.
    ...given({ Iops: iops > 0 && WITH_IOPS.has(volumeType) ? iops : undefined }),
    ...given({ Throughput: throughputMib }),
  };
}
