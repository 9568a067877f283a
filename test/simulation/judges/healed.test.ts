import { beforeEach, describe, expect, it } from '@jest/globals';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { notHealed } from './healed.ts';

const SET = aMachineSet({ name: 'workers' });
const NODE = aNode({ name: 'node-1' });
const nodeRef = { kind: 'Node', name: 'node-1', uid: NODE.metadata.uid };
const MACHINE = aMachine({ name: 'a', set: SET, status: { phase: 'Running', nodeRef } });
const CHECK = aMachineHealthCheck('check', {
  unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '2m' }],
});
const told = (currentHealthy: number) => {
  const { generation } = CHECK.metadata;
  return { ...CHECK, status: { expectedMachines: 1, currentHealthy, observedGeneration: generation } };
};

let api: ApiServer;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  api.put({ ...SET }, { ...MACHINE }, { ...NODE }, told(1));
});

describe('what is not healed', () => {
  it('is nothing where all are well, and the check says so', () => {
    expect(notHealed(api)).toEqual([]);
  });

  it('is a Machine whose Node is bad', () => {
    api.put({ ...aNode({ name: 'node-1', ready: 'Unknown' }) }, told(0));
    expect(notHealed(api)).toEqual([
      expect.stringContaining('Machine a is not replaced: Ready of its Node node-1 is bad'),
    ]);
  });

  it('is not a Machine that nobody would replace', () => {
    const { ownerReferences: _none, ...metadata } = MACHINE.metadata;
    api.put({ ...aNode({ name: 'node-1', ready: 'Unknown' }) }, { ...MACHINE, metadata }, told(0));
    expect(notHealed(api)).toEqual([]);
  });

  it('is a status that tells something else, and a claim that is left', () => {
    const annotations = { [REMEDIATED_BY_ANNOTATION]: `check ${CHECK.metadata.uid}` };
    api.put(told(0), { ...MACHINE, metadata: { ...MACHINE.metadata, annotations } });
    expect(notHealed(api)).toEqual([
      expect.stringContaining('1 of 1 Machines of the check check are healthy'),
      'Machine a bears the claim of the health check check still',
    ]);
  });
});
