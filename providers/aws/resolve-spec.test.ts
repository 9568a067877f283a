import { describe, expect, it } from '@jest/globals';
import { ec2Error } from './ec2-server-for-tests.ts';
import { credentials, errorOf, owner, spec, useProvider } from './provider-for-tests.ts';
import { given } from '../given.ts';

const use = useProvider();

describe('resolve', () => {
  it('finds image, subnet and groups, looks for groups in the subnet’s VPC, and holds no secret', async () => {
    const imageItem = (id: string, day: number) =>
      `<item><imageId>${id}</imageId><creationDate>2026-01-0${day}T00:00:00.000Z</creationDate><rootDeviceName>/dev/xvda</rootDeviceName></item>`;
    use().server.on('DescribeImages', () => ({
      body: `<R><imagesSet>${imageItem('ami-old', 1)}${imageItem('ami-new', 3)}${imageItem('ami-mid', 2)}</imagesSet></R>`,
    }));
    use().server.on('DescribeSecurityGroups', () => ({
      body: '<R><securityGroupInfo><item><groupId>sg-2</groupId></item><item><groupId>sg-1</groupId></item></securityGroupInfo></R>',
    }));
    const filters = [{ name: 'tag:Name', values: ['a', 'b'] }];
    const parameters = await use().resolve({
      ami: { filters },
      securityGroups: [{ filters }, { id: 'sg-1' }],
      userDataSecret: { name: 'boot' },
      loadBalancers: [{ name: 'lb', type: 'network' }],
      blockDevices: [{ ebs: { volumeSize: 9 } }],
    });
    expect(parameters).toMatchObject({
      provider: 'aws',
      credentials,
      zone: 'eu-west-1b',
      instanceType: 'm6i.large',
      userDataSecret: 'boot',
      loadBalancers: [{ name: 'lb', type: 'network' }],
      request: {
        ImageId: 'ami-new',
        NetworkInterfaces: [{ SubnetId: 'subnet-1', Groups: ['sg-1', 'sg-2'] }],
        BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 9 } }],
      },
    });
    expect(use().callsOf('DescribeSecurityGroups')[0]?.form).toMatchObject({
      'Filter.1.Name': 'tag:Name',
      'Filter.1.Value.2': 'b',
      'Filter.2.Name': 'vpc-id',
      'Filter.2.Value.1': 'vpc-1',
    });
    expect(JSON.stringify(parameters)).not.toContain('anary');
    expect(parameters).toEqual(JSON.parse(JSON.stringify(parameters)));
  });

  it('reads the same once for many machines, and again where it failed', async () => {
    await Promise.all(Array.from({ length: 20 }, () => use().resolve()));
    expect(use().callsOf('DescribeSubnets')).toHaveLength(1);
    use().open();
    use().server.on('DescribeSubnets', () => ({ body: '<R><subnetSet/></R>' }));
    await errorOf(use().resolve());
    await errorOf(use().resolve());
    expect(use().callsOf('DescribeSubnets')).toHaveLength(3);
  });

  it('without a subnet takes the default one of the zone', async () => {
    const placement = { availabilityZone: 'eu-west-1b' };
    expect((await use().resolve({ subnet: {}, placement })).credentials.region).toBe('eu-west-1');
    expect(use().callsOf('DescribeSubnets')[0]?.form).toMatchObject({
      'Filter.1.Name': 'availability-zone',
      'Filter.1.Value.1': 'eu-west-1b',
      'Filter.2.Name': 'default-for-az',
    });
  });

  it.each([
    ['subnet', {}, '<R><subnetSet/></R>', /no subnet is found by "subnet-1"/],
    ['subnet', { subnet: undefined }, '', /is required where placement names no availabilityZone/],
    [
      'placement.availabilityZone',
      { placement: { region: 'eu-west-1', availabilityZone: 'eu-west-1c' } },
      undefined,
      /is "eu-west-1c", and subnet subnet-1 is in eu-west-1b/,
    ],
    ['ami.arn', { ami: { arn: 'arn:aws:ec2:r::snapshot/x' } }, undefined, /must be the ARN of EC2 for a image/],
    ['securityGroups[0].arn', { securityGroups: [{ arn: 'arn:x' }] }, undefined, /for a security-group/],
  ])('names the field %s where nothing comes of it', async (field, more, subnets, message) => {
    if (subnets !== undefined) use().server.on('DescribeSubnets', () => ({ body: subnets }));
    const error = await errorOf(use().resolve(more));
    // What is not there may come.
    const outsideSpec = subnets === undefined || subnets === '' ? undefined : true;
    expect(error.code).toBe('InvalidArgument');
    expect(error.details).toEqual({ field: `providerSpec.value.${field}`, ...given({ outsideSpec }) });
    expect(error.message).toMatch(message);
  });

  it('tells a parameter that EC2 refuses from an answer that says nothing', async () => {
    use().server.on('DescribeSubnets', () => ec2Error('InvalidSubnetID.NotFound'));
    expect(await errorOf(use().resolve())).toMatchObject({
      code: 'InvalidArgument',
      details: { field: 'providerSpec.value.subnet', cloudCode: 'InvalidSubnetID.NotFound' },
    });
    use().server.on('DescribeSubnets', () => ec2Error('AuthFailure', 'no', 401));
    expect((await errorOf(use().resolve())).retryClass).toBe('denied');
    use().server.on('DescribeSubnets', () => ({ body: '<html></html>' }));
    expect((await errorOf(use().resolve())).code).toBe('Unknown');
  });

  it('says the same of the credentials as credentialsOf, which asks nobody', () => {
    expect(use().provider.credentialsOf({ owner, providerSpec: spec })).toEqual(credentials);
    expect(use().open({ region: 'eu-north-1' }).credentialsOf({ owner, providerSpec: {} })).toEqual({
      namespace: 'machines',
      region: 'eu-north-1',
    });
  });
});
