import { describe, expect, it } from '@jest/globals';
import { allocatableMib, allocatableMillicores } from './allocatable.ts';
import { capacityAnnotationsOf } from './capacity-annotations.ts';

const SHAPE = {
  cpus: 4,
  memoryMib: 16_384,
  diskGib: 100,
  architecture: 'arm64',
  instanceType: 'm7g.xlarge',
  region: 'r',
  zone: 'r-a',
};
const annotated = (facts: Parameters<typeof capacityAnnotationsOf>[0]) =>
  Object.fromEntries(
    Object.entries(capacityAnnotationsOf(facts)).map(([key, value]) => [
      key.replace('capacity.cluster-autoscaler.kubernetes.io/', ''),
      value,
    ]),
  );

describe('what is left of a Node for pods', () => {
  it.each([
    [1, 940],
    [2, 1930],
    [4, 3920],
    [16, 15_890],
  ])('of %d cores', (cpus, left) => expect(allocatableMillicores(cpus)).toBe(left));

  it.each([
    [4096, 2972],
    [8192, 6248],
    [16_384, 13_621],
    [262_144, 249_878],
    [64, 0],
  ])('of %d MiB', (mib, left) => expect(allocatableMib(mib)).toBe(left));
});

describe('what cluster-autoscaler is told of a Node before there is one', () => {
  it('is what the provider tells, less what the system keeps, and all labels of the Node', () => {
    expect(annotated({ shape: SHAPE, labels: { 'example.com/pool': 'p' } })).toEqual({
      cpu: '3920m',
      memory: '13621Mi',
      'ephemeral-disk': '100Gi',
      labels:
        'example.com/pool=p,kubernetes.io/arch=arm64,kubernetes.io/os=linux,node.kubernetes.io/instance-type=m7g.xlarge,topology.kubernetes.io/region=r,topology.kubernetes.io/zone=r-a',
    });
  });

  it('is what the MachineClass says, as it says it, before that', () => {
    const capacity = { cpu: '2', memory: '3Gi', 'ephemeral-storage': '20Gi', pods: '30', 'nvidia.com/gpu': '2' };
    expect(annotated({ template: { capacity, zone: 'z' }, labels: {} })).toEqual({
      cpu: '2',
      memory: '3Gi',
      'ephemeral-disk': '20Gi',
      maxPods: '30',
      'gpu-type': 'nvidia.com/gpu',
      'gpu-count': '2',
      labels: 'kubernetes.io/os=linux,topology.kubernetes.io/zone=z',
    });
    const gpu = { resource: 'amd.com/gpu', count: 1 };
    const both = annotated({ template: { capacity: { cpu: '3' } }, shape: { ...SHAPE, gpu }, labels: {} });
    expect(both).toMatchObject({ cpu: '3', memory: '13621Mi', 'gpu-type': 'amd.com/gpu', 'gpu-count': '1' });
  });

  it('is nothing where cores or memory are not known', () => {
    expect(annotated({ labels: { a: 'b' } })).toEqual({});
    expect(annotated({ template: { capacity: { cpu: '3' } }, labels: {} })).toEqual({});
  });
});
