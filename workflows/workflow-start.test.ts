import { describe, expect, it, test } from '@jest/globals';
import { CLUSTERS, MACHINE_SETS, MACHINES } from '../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../k8s/resources.ts';
import { workflowStartOf, type StartedObject } from './workflow-start.ts';

const WHERE = { clusterUid: 'uid-of-the-cluster', taskQueue: 'q' };

function object(
  name: string,
  role: StartedObject['role'] = 'machine',
  { apiVersion, kind }: Resource = MACHINES,
): StartedObject {
  const ref = { apiVersion, kind, namespace: 'default', name, uid: 'u' };
  return { ref, role, clusterName: 'example' };
}

describe('how the workflow of a Machine is started', () => {
  it('says in one line which machine it is, and of which cluster', () => {
    const start = workflowStartOf({ ...object('worker-1'), owner: 'workers' }, WHERE);
    expect(start.staticSummary).toBe('Machine default/worker-1 of cluster example');
    expect(start.staticDetails).toContain(`query=${encodeURIComponent('MachineOwner = "workers"')}`);
  });

  it('has its id, its type and its task queue by the object and the cluster', () => {
    const machine = object('worker-1');
    expect(workflowStartOf(machine, WHERE)).toMatchObject({
      type: 'machine',
      workflowId: 'machine/default/worker-1/u',
      taskQueue: 'q',
      args: [{ v: 1, ref: machine.ref, clusterUid: 'uid-of-the-cluster' }],
    });
  });

  it('lets it be found by namespace, cluster, set and phase before its first pass', () => {
    const { typedSearchAttributes } = workflowStartOf({ ...object('worker-1'), owner: 'workers' }, WHERE);
    expect(Object.fromEntries(typedSearchAttributes.map(({ key, value }) => [key.name, value]))).toEqual({
      MachinePhase: 'Provisioning',
      ObjectNamespace: 'default',
      MachineCluster: 'example',
      MachineOwner: 'workers',
    });
  });

  it('keeps the line short enough for Temporal, however long the name', () => {
    const { staticSummary } = workflowStartOf(object('w'.repeat(253).padEnd(600, 'x')), WHERE);
    expect(staticSummary.length).toBeLessThan(350);
  });
});

test('the workflow of a MachineSet is started without what only Machines have', () => {
  const start = workflowStartOf({ ...object('workers', 'machineSet', MACHINE_SETS), clusterName: '' }, WHERE);
  expect(start).toMatchObject({ type: 'machineSet', workflowId: 'machineset/default/workers/u' });
  expect(start.staticSummary).toBe('MachineSet default/workers');
  expect(start.typedSearchAttributes.map(({ key }) => key.name)).toEqual(['ObjectNamespace']);
});

test('the workflow of a Cluster is found where its machines are', () => {
  const start = workflowStartOf(object('example', 'cluster', CLUSTERS), WHERE);
  expect(start).toMatchObject({ type: 'cluster', workflowId: 'cluster/default/example/u' });
  expect(start.staticSummary).toBe('Cluster default/example');
  expect(start.typedSearchAttributes.map(({ key }) => key.name)).toEqual(['ObjectNamespace', 'MachineCluster']);
});
