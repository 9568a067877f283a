import { describe, expect, it } from '@jest/globals';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aMachineClass } from '../../test/world/builders/a-machine-class.ts';
import { machineClass as classKind } from '../dialects/openshift/machine-class.ts';
import type { Taint } from './machine.ts';
import { extendedResourcesOf, whyUnusable } from './usable-node.ts';

const BOOTING: Taint = { key: 'booting', effect: 'NoSchedule' };

const reason = (taints: readonly Taint[], startupTaints: readonly Taint[] = []) =>
  whyUnusable(aNode({ spec: { taints } }), { startupTaints });

describe('a Node that cannot be used yet', () => {
  it.each([
    'readiness.k8s.io/network',
    'node.cloudprovider.kubernetes.io/uninitialized',
    'startup-taint.cluster-autoscaler.kubernetes.io/gpu',
  ])('has the taint %s, whoever put it there', (key) => {
    expect(reason([{ key, effect: 'NoSchedule' }])).toMatchObject({
      reason: 'StartupTaints',
      message: expect.stringContaining(`Node n still has the taint ${key}:NoSchedule`),
    });
  });

  it('has a taint that its Machine gave it when it joined, of whatever value', () => {
    expect(reason([{ ...BOOTING, value: 'other' }], [BOOTING])?.message).toContain('booting:NoSchedule');
    expect(reason([{ ...BOOTING, effect: 'NoExecute' }], [BOOTING])).toBeUndefined();
  });

  it('is not one with other taints, or such as only look like these', () => {
    const keys = ['gpu', 'readiness.k8s.io', 'node.cloudprovider.kubernetes.io/shutdown', 'x/readiness.k8s.io/y'];
    expect(reason(keys.map((key) => ({ key, effect: 'NoSchedule' })))).toBeUndefined();
  });

  it('lacks a resource that its class names, or has none of it', () => {
    const template = { capacity: { cpu: 4, 'nvidia.com/gpu': '1' }, virtualCapacity: { 'example.com/fpga': 2 } };
    const { machineClass } = classKind.read(aMachineClass({ name: 'gpu', nodeTemplate: template }));
    const why = (allocatable: Readonly<Record<string, string>>) => {
      const node = aNode();
      return whyUnusable({ ...node, status: { ...node.status, allocatable } }, { startupTaints: [], machineClass });
    };
    expect(why({ cpu: '4', 'nvidia.com/gpu': '0' })).toEqual({
      reason: 'ResourcesMissing',
      message: 'Node n does not offer example.com/fpga, nvidia.com/gpu yet, which its MachineClass gpu names',
    });
    expect(why({ 'example.com/fpga': '1', 'nvidia.com/gpu': '8' })).toBeUndefined();
    expect(whyUnusable(aNode(), { startupTaints: [], machineClass })?.reason).toBe('ResourcesMissing');
  });
});

describe('resources beside Kubernetes’ own', () => {
  it('have a name of somebody, and there are some', () => {
    const all = {
      cpu: '4',
      'hugepages-2Mi': '1Gi',
      'kubernetes.io/x': 1,
      'a.kubernetes.io/x': 1,
      'b.com/y': '0',
      'a.com/y': 2,
    };
    expect(extendedResourcesOf(all)).toEqual(['a.com/y']);
    expect(extendedResourcesOf()).toEqual([]);
  });
});
