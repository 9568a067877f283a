import { describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../k8s/api/machine.ts';
import { CLUSTER_LABEL } from '../../k8s/model/labels.ts';
import { MACHINES } from '../../k8s/resources.ts';
import { machineFacts } from './machine-facts.ts';
import { workflowStartOf } from './workflow-start.ts';

function machineObject(name: string): MachineObject {
  return {
    apiVersion: MACHINES.apiVersion,
    kind: MACHINES.kind,
    metadata: {
      name,
      namespace: 'default',
      uid: 'u',
      labels: { [CLUSTER_LABEL]: 'example' },
      ownerReferences: [
        { apiVersion: MACHINES.apiVersion, kind: 'MachineSet', name: 'workers', uid: 's', controller: true },
      ],
    },
    spec: {},
  } as unknown as MachineObject;
}

describe('how the workflow of a Machine is started', () => {
  it('says in one line which machine it is, and of which cluster', () => {
    const { summary, details } = workflowStartOf(machineFacts(machineObject('worker-1')));
    expect(summary).toBe('Machine default/worker-1 of cluster example');
    expect(details).toContain(`query=${encodeURIComponent('MachineOwner = "workers"')}`);
  });

  it('lets it be found by namespace, cluster, set and phase before its first pass', () => {
    const { searchAttributes } = workflowStartOf(machineFacts(machineObject('worker-1')));
    expect(Object.fromEntries(searchAttributes.map(({ key, value }) => [key.name, value]))).toEqual({
      MachinePhase: 'Provisioning',
      ObjectNamespace: 'default',
      MachineCluster: 'example',
      MachineOwner: 'workers',
    });
  });

  it('keeps the line short enough for Temporal, however long the name', () => {
    const { summary } = workflowStartOf(machineFacts(machineObject('w'.repeat(253).padEnd(600, 'x'))));
    expect(summary.length).toBeLessThan(350);
  });
});
