import { describe, expect, test } from '@jest/globals';
import type { MachineSetObject } from '../../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../../../k8s/api/machine.openshift.io/machine.ts';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { CLUSTER_LABEL } from '../../../../k8s/dialects/openshift/labels.ts';
import { clusterNames, clusterTree, type NamespaceContent } from './cluster-tree.ts';
import { renderTree } from './render-tree.ts';
import { given } from '../../../../providers/given.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const apiVersion = 'machine.openshift.io/v1beta1';
const meta = (name: string) => ({
  name,
  namespace: 'ns',
  uid: `uid-${name}`,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

function machine(name: string, status: MachineObject['status'], owner?: string, cluster = 'blue') {
  const object: MachineObject = {
    apiVersion,
    kind: 'Machine',
    metadata: {
      ...meta(name),
      labels: { [CLUSTER_LABEL]: cluster },
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [{ apiVersion, kind: 'MachineSet', name: owner, uid: `uid-${owner}`, controller: true }],
          }),
    },
    spec: { providerSpec: { valueFrom: { machineClass: { name: 'small' } } } },
    ...given({ status }),
  };
  return openshift.machine.read(object);
}

function machineSet(name: string, replicas: number, status: MachineSetObject['status']) {
  const object: MachineSetObject = {
    apiVersion,
    kind: 'MachineSet',
    metadata: meta(name),
    spec: {
      replicas,
      minReadySeconds: 0,
      deletePolicy: 'Random',
      replaceAfter: 'Deleted',
      selector: { matchLabels: { set: name } },
      template: { metadata: { labels: { [CLUSTER_LABEL]: 'blue' } }, spec: { providerSpec: {} } },
    },
    ...given({ status }),
  };
  return openshift.machineSet.read(object);
}

const since = '2026-01-01T00:09:00Z';
const running: MachineObject['status'] = {
  phase: 'Running',
  nodeRef: { name: 'n1' },
  providerStatus: { instanceId: 'i-1', instanceState: 'running' },
  conditions: [{ type: 'NodeReady', status: 'True', reason: 'NodeReady', lastTransitionTime: since }],
};
const stalled: MachineObject['status'] = {
  phase: 'Provisioning',
  waiting: { step: 'Launch', reason: 'InstanceLimitExceeded', message: 'no more than 3', since },
};
const content: NamespaceContent = {
  clusters: [],
  classes: [],
  sets: [machineSet('workers', 2, { replicas: 2, readyReplicas: 1 })],
  machines: [machine('w2', stalled, 'workers'), machine('w1', running, 'workers'), machine('loner', running)],
};

describe('the tree of a cluster', () => {
  test('has every object under what it belongs to, and says of each whether it is ready or why not', () => {
    const text = renderTree(clusterTree('blue', content), { now, isWide: false });
    expect(text.split('\n')).toEqual([
      'NAME                   READY   REASON                  SINCE   MESSAGE',
      'Cluster blue           False   NotAllReady                     2 of 3 machines ready; there is no Cluster object, and none is needed',
      '├─MachineClass small   False   MachineClassMissing             it does not exist; 3 machines refer to it',
      '├─MachineSet workers   False   MachinesNotReady                1 of 2 ready',
      '│ ├─Machine w1         True                            60s',
      '│ │ ├─Instance i-1     True',
      '│ │ └─Node n1          True                            60s',
      '│ └─Machine w2         False   InstanceLimitExceeded   60s     no more than 3',
      '└─Machine loner        True                            60s',
      '  ├─Instance i-1       True',
      '  └─Node n1            True                            60s',
    ]);
  });

  test('is ready when all of it is', () => {
    const sets = [machineSet('workers', 1, { replicas: 1, readyReplicas: 1 })];
    const tree = clusterTree('blue', { ...content, sets, machines: [machine('w1', running, 'workers')] });
    expect(tree).toMatchObject({ ready: 'True' });
  });

  test('says of a Failed machine why, and of a Node that is not Ready what its kubelet says', () => {
    const failed = machine('f', { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'instance i-9 is gone' });
    const sick = machine('s', {
      ...running,
      conditions: [
        {
          type: 'NodeReady',
          status: 'False',
          reason: 'NodeNotReady',
          message: 'no kubelet',
          lastTransitionTime: since,
        },
      ],
    });
    const { children } = clusterTree('blue', { ...content, sets: [], machines: [failed, sick] });
    expect(children.slice(1)).toMatchObject([
      { ready: 'False', reason: 'UpdateError', message: 'UpdateError: instance i-9 is gone' },
      { ready: 'False', reason: 'NodeNotReady', message: 'NodeNotReady: no kubelet' },
    ]);
  });

  test('leaves out what is another cluster’s, and knows the names of all', () => {
    const both = { ...content, machines: [...content.machines, machine('o', running, undefined, 'green')] };
    expect(clusterNames(both)).toEqual(['blue', 'green']);
    expect(JSON.stringify(clusterTree('green', both))).not.toContain('w1');
  });
});
