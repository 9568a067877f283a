/** What a Node of an EC2 instance will be like. */

import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { ProviderError } from '../provider-error.ts';
import type { NodeShape } from '../node-shape.ts';
import { given } from '../given.ts';
import type { ProviderSpec } from './provider-spec.ts';

/** Device plugins, by whoever makes the GPUs. */
const PLUGINS: Readonly<Record<string, string>> = { NVIDIA: 'nvidia.com/gpu', AMD: 'amd.com/gpu' };
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64', i386: '386' };

export function nodeShapeOf(
  type: InstanceTypeInfo,
  { instanceType, blockDevices = [] }: ProviderSpec,
  place: { readonly region?: string; readonly zone?: string },
): NodeShape {
  const cpus = type.VCpuInfo?.DefaultVCpus;
  const memoryMib = type.MemoryInfo?.SizeInMiB;
  if (cpus === undefined || memoryMib === undefined) {
    throw new ProviderError('Unknown', `EC2 does not tell cores or memory of instance type ${instanceType}`);
  }
  const architecture = type.ProcessorInfo?.SupportedArchitectures?.map((name) => ARCHITECTURES[name]).find(
    (known) => known !== undefined && known !== '386',
  );
  const root = blockDevices.find(({ deviceName }) => deviceName === undefined);
  return {
    cpus,
    memoryMib,
    instanceType,
    ...given({ diskGib: root?.ebs?.volumeSize, gpu: gpuOf(type), architecture }),
    ...place,
  };
}

function gpuOf({ GpuInfo }: InstanceTypeInfo): NodeShape['gpu'] {
  const [first] = GpuInfo?.Gpus ?? [];
  const resource = PLUGINS[first?.Manufacturer?.toUpperCase() ?? ''];
  const { Count: count = 0 } = first ?? {};
  return resource === undefined || count === 0 ? undefined : { resource, count };
}
