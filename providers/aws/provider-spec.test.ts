import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ProviderError } from '../provider-error.ts';
import { parseCredentialsSpec, parseLoadBalancers, parseProviderSpec } from './provider-spec.ts';
import { fullSpec } from './spec-for-tests.ts';

const valid = { kind: 'AWSMachineProviderConfig', ami: { id: 'ami-1' }, instanceType: 'm6i.large' };

describe('a provider spec of EC2', () => {
  it('with every field is read as it is', () => {
    expect(parseProviderSpec(fullSpec)).toEqual(fullSpec);
  });

  it.each(['machine.openshift.io/v1beta1', 'awsproviderconfig.openshift.io/v1beta1', undefined, ''])(
    'may have the apiVersion %s',
    (apiVersion) => {
      expect(parseProviderSpec({ ...valid, apiVersion })).toMatchObject(valid);
    },
  );

  it('is read as the installer of OpenShift writes it, with blanks for what is not set', () => {
    const written = {
      ...valid,
      metadata: { creationTimestamp: null },
      ami: { id: 'ami-1', arn: null },
      keyName: '',
      capacityReservationId: '',
      marketType: '',
      publicIp: null,
      metadataServiceOptions: { authentication: '' },
      blockDevices: [{ deviceName: '', noDevice: null, ebs: { iops: 0, kmsKey: { arn: '' }, volumeSize: 120 } }],
      tags: [{ name: 'empty', value: '' }],
    };
    expect(parseProviderSpec(written)).toEqual({
      ...valid,
      metadata: { creationTimestamp: null },
      metadataServiceOptions: {},
      blockDevices: [{ ebs: { iops: 0, kmsKey: {}, volumeSize: 120 } }],
      tags: [{ name: 'empty', value: '' }],
    });
  });

  it.each([
    [null, '', /must be object, is null/],
    [[], '', /must be object, is \[\]/],
    [{ ...valid, instanceType: undefined }, '.instanceType', /is required/],
    [{ ...valid, instanceType: 5 }, '.instanceType', /must be string, is 5/],
    [{ ...valid, apiVersion: 'v1' }, '.apiVersion', /must be one of "machine.openshift.io\/v1beta1", .*, is "v1"/],
    [{ ...valid, instancetype: '' }, '.instancetype', /is no field; there are: .*instanceType/],
    [{ ...valid, ami: {} }, '.ami', /needs an id, an arn or filters/],
    [{ ...valid, ami: { filters: [{ name: 'a', values: [] }] } }, '.ami.filters[0].values', /fewer than 1 items/],
    [{ ...valid, ami: { filters: [{ name: 'a', values: [1] }] } }, '.ami.filters[0].values[0]', /must be string, is 1/],
    [{ ...valid, securityGroups: [{ id: 'sg-1' }, {}] }, '.securityGroups[1]', /needs an id/],
    [{ ...valid, iamInstanceProfile: { filters: [] } }, '.iamInstanceProfile.filters', /is no field/],
    [{ ...valid, publicIp: 'yes' }, '.publicIp', /must be boolean/],
    [{ ...valid, deviceIndex: -1 }, '.deviceIndex', /must be >= 0/],
    [{ ...valid, networkInterfaceType: 'X' }, '.networkInterfaceType', /must be one of "ENA", "EFA"/],
    [{ ...valid, userDataSecret: { name: 'A_B' } }, '.userDataSecret.name', /must match pattern/],
    [{ ...valid, tags: [{ name: 'a' }, { value: 'b' }] }, '.tags[1].name', /is required/],
    [{ ...valid, tags: [{ name: 'AWS:x', value: '' }] }, '.tags[0].name', /must not begin with aws:/],
    [{ ...valid, blockDevices: [{ ebs: { volumeSize: 0 } }] }, '.blockDevices[0].ebs.volumeSize', /must be >= 1, is 0/],
    [{ ...valid, blockDevices: [{ ebs: { volumeType: 'x' } }] }, '.blockDevices[0].ebs.volumeType', /must be one of/],
    [{ ...valid, blockDevices: [{ ebs: { kmsKey: { x: 1 } } }] }, '.blockDevices[0].ebs.kmsKey.x', /is no field/],
    [{ ...valid, blockDevices: [{ ebs: { throughputMib: 9 } }] }, '.blockDevices[0].ebs.throughputMib', />= 125/],
    [{ ...valid, blockDevices: [{}] }, '.blockDevices[0]', /needs ebs, noDevice or virtualName/],
    [
      { ...valid, blockDevices: [{ noDevice: '' }] },
      '.blockDevices[0].deviceName',
      /is required where there is no ebs/,
    ],
    [{ ...valid, blockDevices: [{ ebs: {} }, { ebs: {} }] }, '.blockDevices[1].deviceName', /one device only/],
    [{ ...valid, placement: { host: { affinity: 'AnyAvailable' } } }, '.placement.host', /only for the tenancy "host"/],
    [{ ...valid, placement: { tenancy: 'host', host: {} } }, '.placement.host.affinity', /is required/],
    [
      {
        ...valid,
        placement: {
          tenancy: 'host',
          host: { affinity: 'DedicatedHost', dedicatedHost: { allocationStrategy: 'Dynamic', id: 'h-01234567' } },
        },
      },
      '.placement.host.dedicatedHost.allocationStrategy',
      /must be "UserProvided", is "Dynamic"/,
    ],
    [{ ...valid, placementGroupPartition: 8, placementGroupName: 'g' }, '.placementGroupPartition', /must be <= 7/],
    [{ ...valid, placementGroupPartition: 1 }, '.placementGroupPartition', /needs a placementGroupName/],
    [{ ...valid, marketType: 'CapacityBlock' }, '.capacityReservationId', /is required/],
    [{ ...valid, marketType: 'OnDemand', spotMarketOptions: {} }, '.spotMarketOptions', /contradict/],
    [{ ...valid, spotMarketOptions: { maxPrice: 'much' } }, '.spotMarketOptions.maxPrice', /must match pattern/],
    [{ ...valid, capacityReservationId: 'cr-1' }, '.capacityReservationId', /must match pattern/],
    [{ ...valid, loadBalancers: [{ name: 'lb', type: 'application' }] }, '.loadBalancers[0].type', /must be one of/],
    [{ ...valid, cpuOptions: {} }, '.cpuOptions', /fewer than 1 properties/],
  ])('%j is refused, and the message says what is wrong with providerSpec.value%s', (value, path, message) => {
    const refusal = refusalOf(value);
    expect(refusal.details.field).toBe(`providerSpec.value${path}`);
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toContain(`providerSpec.value${path}: `);
  });

  it('of any shape is either read or refused with the path of what is wrong, in words that stay short', () => {
    fc.assert(
      fc.property(mutatedSpec(), (value) => {
        try {
          parseProviderSpec(value);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ProviderError', code: 'InvalidArgument' });
          if (!(error instanceof ProviderError)) return;
          expect(error.details.field).toMatch(/^providerSpec\.value/);
          expect(error.message).toContain('providerSpec.value');
          expect(error.message.length).toBeLessThan(12_000);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('that was broken elsewhere still tells where its calls go, and its load balancers', () => {
    const spec = {
      instanceType: 7,
      credentialsSecret: { name: 'login' },
      placement: { region: 'eu-west-1', tenancy: 'moon' },
      loadBalancers: [1, 2].map(() => ({ name: 'lb', type: 'network' })),
    };
    expect(parseCredentialsSpec(spec)).toMatchObject({ placement: { region: 'eu-west-1' } });
    expect(parseLoadBalancers(spec)).toEqual([{ name: 'lb', type: 'network' }]);
    expect(() => parseCredentialsSpec({ credentialsSecret: 'x' })).toThrow(/providerSpec.value.credentialsSecret/);
    expect(() => parseLoadBalancers({ loadBalancers: [{}] })).toThrow(/providerSpec.value.loadBalancers\[0\].name/);
  });
});

/** The full spec with a value somewhere in it replaced, taken away, or added. */
function mutatedSpec(): fc.Arbitrary<unknown> {
  const paths = pathsOf(fullSpec, []);
  return fc
    .tuple(fc.constantFrom(...paths), fc.oneof(fc.jsonValue(), fc.constant(undefined)), fc.string())
    .map(([path, value, name]) =>
      name.length % 2 === 0 ? put(fullSpec, path, value) : put(fullSpec, [...path, name], value),
    );
}

function pathsOf(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...path, name]))];
}

function put(value: unknown, [name, ...rest]: readonly string[], replacement: unknown): unknown {
  if (name === undefined) return replacement;
  const below: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  if (Array.isArray(value))
    return value.map((item: unknown, n) => (String(n) === name ? put(item, rest, replacement) : item));
  return { ...(typeof value === 'object' ? value : {}), [name]: put(below, rest, replacement) };
}

function refusalOf(value: unknown): ProviderError {
  try {
    parseProviderSpec(value);
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'InvalidArgument') return error;
  }
  throw new Error('it was not refused');
}
