import { describe, expect, it } from '@jest/globals';
import { machineKeyOf } from '../machine-key.ts';
import type { LaunchParameters } from '../provider.ts';
import { resolvedRequest, runInstancesInput } from './launch-request.ts';
import { tagsOf } from './owner-tags.ts';
import { parseProviderSpec } from './provider-spec.ts';
import { fullSpec } from './spec-for-tests.ts';

const owner = { clusterName: 'c1', namespace: 'machines', name: 'web-1', uid: 'uid-1', clusterUid: 'cluster-1' };
const resolved = {
  image: { id: 'ami-9', rootDeviceName: '/dev/xvda' },
  subnet: { id: 'subnet-9', zone: 'eu-west-1b', vpc: 'vpc-9' },
  securityGroups: ['sg-1', 'sg-2'],
};
const small = { kind: 'AWSMachineProviderConfig', ami: { id: 'ami-9' }, instanceType: 'm6i.large' };

const requestOf = (spec: object, zone = 'eu-west-1b') =>
  resolvedRequest(parseProviderSpec(spec), { ...resolved, subnet: { ...resolved.subnet, zone } }, owner);

const tags = [
  { Key: 'Name', Value: 'web-1' },
  { Key: 'kubernetes.io/cluster/c1', Value: 'owned' },
  { Key: 'millwright/machine-uid', Value: 'uid-1' },
  { Key: 'millwright/machine', Value: 'machines/web-1' },
  { Key: 'millwright/cluster-uid', Value: 'cluster-1' },
];

describe('the request for an instance', () => {
  it('holds every field of a full spec, and the owner tags that no user tag replaces', () => {
    const allTags = [...tags, { Key: 'team', Value: 'blue' }];
    expect(requestOf(fullSpec)).toEqual({
      MinCount: 1,
      MaxCount: 1,
      ImageId: 'ami-9',
      InstanceType: 'm6i.large',
      Placement: {
        AvailabilityZone: 'eu-west-1b',
        GroupName: 'group',
        PartitionNumber: 3,
        Tenancy: 'host',
        Affinity: 'host',
        HostId: 'h-0123456789abcdef0',
      },
      NetworkInterfaces: [
        {
          DeviceIndex: 0,
          SubnetId: 'subnet-9',
          Groups: ['sg-1', 'sg-2'],
          AssociatePublicIpAddress: true,
          InterfaceType: 'efa',
        },
      ],
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/xvda',
          Ebs: {
            DeleteOnTermination: true,
            VolumeSize: 120,
            VolumeType: 'gp3',
            Encrypted: true,
            KmsKeyId: 'arn:aws:kms:eu-west-1:123456789012:key/1',
            Iops: 4000,
            Throughput: 250,
          },
        },
        { DeviceName: '/dev/sdb', Ebs: { DeleteOnTermination: false, VolumeType: 'gp2' } },
        { DeviceName: '/dev/sdc', NoDevice: '' },
        { DeviceName: '/dev/sdd', VirtualName: 'ephemeral0' },
      ],
      IamInstanceProfile: { Name: 'worker-profile' },
      KeyName: 'key',
      InstanceMarketOptions: {
        MarketType: 'spot',
        SpotOptions: { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate', MaxPrice: '0.25' },
      },
      MetadataOptions: { HttpTokens: 'required' },
      CpuOptions: { AmdSevSnp: 'enabled' },
      CapacityReservationSpecification: {
        CapacityReservationTarget: { CapacityReservationId: 'cr-0123456789abcdef0' },
      },
      TagSpecifications: ['instance', 'volume', 'network-interface'].map((ResourceType) => ({
        ResourceType,
        Tags: allTags,
      })),
    });
  });

  it('of a small spec says nothing about what it leaves to EC2', () => {
    expect(requestOf(small)).toEqual({
      MinCount: 1,
      MaxCount: 1,
      ImageId: 'ami-9',
      InstanceType: 'm6i.large',
      Placement: { AvailabilityZone: 'eu-west-1b' },
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-9', Groups: ['sg-1', 'sg-2'] }],
      TagSpecifications: ['instance', 'volume', 'network-interface'].map((ResourceType) => ({
        ResourceType,
        Tags: tags,
      })),
    });
  });

  it.each([
    [{ marketType: 'OnDemand' }, undefined],
    [{ marketType: 'Spot' }, { MarketType: 'spot' }],
    [{ spotMarketOptions: {} }, { MarketType: 'spot', SpotOptions: { SpotInstanceType: 'one-time' } }],
    [{ marketType: 'CapacityBlock', capacityReservationId: 'cr-0123456789abcdef0' }, { MarketType: 'capacity-block' }],
  ])('with %j asks the market for %j', (more, market) => {
    const { InstanceMarketOptions } = requestOf({ ...small, ...more });
    if (market === undefined) expect(InstanceMarketOptions).toBeUndefined();
    else expect(InstanceMarketOptions).toMatchObject(market);
  });

  it('is tagged with a namespace and a name as long as EC2 takes a value', () => {
    const named = { ...owner, namespace: 'n'.repeat(63), name: 'm'.repeat(253) };
    const values = tagsOf(named, []).map(({ Value }) => Value);
    expect(values).toEqual([named.name, 'owned', 'uid-1', machineKeyOf(named), 'cluster-1']);
    expect(Math.max(...values.map(({ length }) => length))).toBe(256);
  });

  it('in a wavelength zone asks for a carrier address instead of a public one', () => {
    const request = requestOf({ ...small, publicIp: true }, 'us-east-1-wl1-bos-wlz-1');
    expect(request['NetworkInterfaces']).toEqual([expect.objectContaining({ AssociateCarrierIpAddress: true })]);
  });

  it.each([
    [{}, undefined],
    [{ arn: 'arn:aws:iam::1:instance-profile/p' }, { Arn: 'arn:aws:iam::1:instance-profile/p' }],
    [{ id: 'p', arn: 'arn:aws:iam::1:instance-profile/q' }, { Name: 'p' }],
  ])('names the instance profile by %j', (iamInstanceProfile, expected) => {
    expect(requestOf({ ...small, iamInstanceProfile })['IamInstanceProfile']).toEqual(expected);
  });
});

describe('what is sent', () => {
  const parameters: LaunchParameters = {
    provider: 'aws',
    credentials: { namespace: 'machines', region: 'eu-west-1' },
    zone: 'eu-west-1b',
    instanceType: 'm6i.large',
    request: requestOf(small),
  };

  it('is the stored request, the token and the user-data in base64', () => {
    const stored: LaunchParameters = JSON.parse(JSON.stringify(parameters));
    expect(runInstancesInput({ owner, token: 't-1', parameters: stored, userData: Buffer.from('#!') })).toEqual({
      ...parameters.request,
      ClientToken: 't-1',
      UserData: 'IyE=',
    });
  });

  it.each([
    ['hold no request', { ...parameters, request: {} }, owner],
    ['hold no request', { ...parameters, request: { ...parameters.request, MaxCount: 2 } }, owner],
    ['hold no request', { ...parameters, request: { ...parameters.request, ClientToken: 'other' } }, owner],
    ['contradict themselves', { ...parameters, zone: 'eu-west-1c' }, owner],
    ['contradict themselves', { ...parameters, instanceType: 'm5.large' }, owner],
    ['were resolved for the Machine uid-1, not for uid-2', parameters, { ...owner, uid: 'uid-2' }],
  ])('is nothing where the stored parameters %s', (why, damaged, of) => {
    expect(() => runInstancesInput({ owner: of, token: 't', parameters: damaged })).toThrow(why);
  });
});
