import { describe, expect, it } from '@jest/globals';
import { errorOf, owner, spec, useProvider } from './provider-for-tests.ts';

const test = useProvider();

/** As EC2 tells of a type. */
function tell(more = ''): void {
  test().server.on('DescribeInstanceTypes', ({ form }) => ({
    body: `<R><instanceTypeSet><item><instanceType>${form['InstanceType.1']}</instanceType>
      <vCpuInfo><defaultVCpus>4</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>16384</sizeInMiB></memoryInfo>
      <processorInfo><supportedArchitectures><item>i386</item><item>x86_64</item></supportedArchitectures></processorInfo>
      ${more}</item></instanceTypeSet></R>`,
  }));
}

const shapeOf = (more: object = {}) => test().provider.nodeShapeOf?.({ owner, providerSpec: { ...spec, ...more } });

describe('what a Node of an EC2 instance will be like', () => {
  it('is what EC2 tells of its type, in the zone of its subnet, with the disk that the spec asks for', async () => {
    tell();
    const blockDevices = [{ deviceName: '/dev/sdb', ebs: { volumeSize: 500 } }, { ebs: { volumeSize: 120 } }];
    expect(await shapeOf({ blockDevices })).toEqual({
      cpus: 4,
      memoryMib: 16_384,
      diskGib: 120,
      architecture: 'amd64',
      instanceType: 'm6i.large',
      region: 'eu-west-1',
      zone: 'eu-west-1b',
    });
    expect(await shapeOf({ placement: { region: 'eu-west-1', availabilityZone: 'eu-west-1c' } })).toMatchObject({
      zone: 'eu-west-1c',
    });
  });

  it('has the GPUs by the name of their device plugin', async () => {
    tell('<gpuInfo><gpus><item><manufacturer>NVIDIA</manufacturer><count>8</count></item></gpus></gpuInfo>');
    expect(await shapeOf()).toMatchObject({ gpu: { resource: 'nvidia.com/gpu', count: 8 } });
  });

  it('is asked for once a type, and again where that failed', async () => {
    test().server.on('DescribeInstanceTypes', () => ({
      status: 403,
      body: '<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors></Response>',
    }));
    expect(await errorOf(Promise.resolve(shapeOf()))).toMatchObject({ code: 'PermissionDenied' });
    tell();
    await shapeOf();
    await shapeOf();
    expect(test().callsOf('DescribeInstanceTypes')).toHaveLength(2);
    await shapeOf({ instanceType: 'm6i.xlarge' });
    expect(test().callsOf('DescribeInstanceTypes')).toHaveLength(3);
  });
});
