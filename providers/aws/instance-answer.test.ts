import { describe, expect, it } from '@jest/globals';
import { readInstance, readState } from './instance-answer.ts';
import { instanceIdOf, providerIDOf, regionOfZone } from './provider-id.ts';

const answer = {
  InstanceId: 'i-1',
  InstanceType: 'm6i.large' as const,
  Placement: { AvailabilityZone: 'eu-west-1b' },
  State: { Name: 'running' as const },
};

describe('an instance of EC2', () => {
  it('has the addresses of its interfaces in use, in the order of the Machine API', () => {
    const instance = readInstance('look', 'eu-west-1', {
      ...answer,
      PrivateIpAddress: '10.0.0.1',
      PublicIpAddress: '54.1.1.1',
      PrivateDnsName: 'ip-10-0-0-1.ec2.internal',
      PublicDnsName: 'ec2-54-1-1-1.amazonaws.com',
      NetworkInterfaces: [
        {
          Status: 'in-use',
          Ipv6Addresses: [{ Ipv6Address: '2001:db8::1' }],
          PrivateIpAddresses: [{ PrivateIpAddress: '10.0.0.1' }, { PrivateIpAddress: '10.0.0.2' }],
        },
        { Status: 'available', PrivateIpAddresses: [{ PrivateIpAddress: '10.0.0.3' }] },
      ],
    });
    expect(instance.addresses).toEqual([
      { type: 'InternalIP', address: '2001:db8::1' },
      { type: 'InternalIP', address: '10.0.0.1' },
      { type: 'InternalIP', address: '10.0.0.2' },
      { type: 'ExternalIP', address: '54.1.1.1' },
      { type: 'InternalDNS', address: 'ip-10-0-0-1.ec2.internal' },
      { type: 'Hostname', address: 'ip-10-0-0-1.ec2.internal' },
      { type: 'ExternalDNS', address: 'ec2-54-1-1-1.amazonaws.com' },
    ]);
  });

  it('tells of its launch, its Machine and whether it may be taken back', () => {
    const instance = readInstance('look', 'eu-west-1', {
      ...answer,
      ClientToken: 't-1',
      LaunchTime: new Date('2026-01-02T03:04:05Z'),
      InstanceLifecycle: 'spot',
      Tags: [{ Key: 'millwright/machine-uid', Value: 'uid-1' }],
    });
    expect(instance).toEqual({
      id: 'i-1',
      providerID: 'aws:///eu-west-1b/i-1',
      state: 'running',
      region: 'eu-west-1',
      zone: 'eu-west-1b',
      instanceType: 'm6i.large',
      addresses: [],
      machineUid: 'uid-1',
      token: 't-1',
      launchedAt: '2026-01-02T03:04:05.000Z',
      interruptible: true,
    });
    expect(readInstance('look', 'eu-west-1', { ...answer, ClientToken: '' })).not.toHaveProperty('token');
  });

  it('tells that it was taken back, and of no other end', () => {
    const ended = (Code: string) =>
      readInstance('look', 'r', { ...answer, State: { Name: 'terminated' }, StateReason: { Code } });
    expect(ended('Server.SpotInstanceTermination')).toMatchObject({ takenBack: true });
    expect(ended('Server.InsufficientInstanceCapacity')).toMatchObject({ takenBack: true });
    expect(ended('Client.VolumeLimitExceeded')).toMatchObject({ takenBack: true });
    expect(ended('Server.InternalError')).not.toHaveProperty('takenBack');
    expect(ended('Client.UserInitiatedShutdown')).not.toHaveProperty('takenBack');
    expect(ended('Client.InstanceInitiatedShutdown')).not.toHaveProperty('takenBack');
  });

  it('is refused where it is none, or its state is not known', () => {
    expect(() => readInstance('look', 'r', undefined)).toThrow('look: the answer is no instance');
    expect(() => readInstance('look', 'r', { ...answer, InstanceId: '' })).toThrow('the answer is no instance');
    expect(() => readState('look', 'dreaming')).toThrow('dreaming');
  });
});

describe('a providerID', () => {
  it.each(['aws:///eu-west-1b/i-1', 'aws:///eu-west-1/i-1', 'i-1'])('%s is of the instance i-1', (text) => {
    expect(instanceIdOf(text)).toBe('i-1');
  });

  it('names the zone and the instance', () => {
    expect(providerIDOf('eu-west-1b', 'i-1')).toBe('aws:///eu-west-1b/i-1');
  });
});

it.each([
  ['eu-west-1b', 'eu-west-1'],
  ['us-gov-west-1a', 'us-gov-west-1'],
  ['us-west-2-lax-1a', 'us-west-2'],
  ['us-east-1-wl1-bos-wlz-1', 'us-east-1'],
  ['zone-a', undefined],
])('the zone %s is in the region %s', (zone, region) => {
  expect(regionOfZone(zone)).toBe(region);
});
