import { describe, expect, test } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../../../k8s/api/machine.openshift.io/machine.ts';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { CLUSTER_LABEL } from '../../../../k8s/dialects/openshift/labels.ts';
import { aMachineDeployment } from '../../../../test/world/builders/a-machine-deployment.ts';
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
      ...given({
        ownerReferences:
          owner === undefined
            ? undefined
            : [{ apiVersion, kind: 'MachineSet', name: owner, uid: `uid-${owner}`, controller: true }],
      }),
    },
    spec: { providerSpec: { valueFrom: { machineClass: { name: 'small' } } } },
    ...given({ status }),
  };
  return openshift.machine.read(object);
}

function machineSet(name: string, replicas: number, status: MachineSetObject['status'], owner?: string) {
  const owned = { apiVersion, kind: 'MachineDeployment', name: owner ?? '', uid: `uid-${owner}`, controller: true };
  const object: MachineSetObject = {
    apiVersion,
    kind: 'MachineSet',
    metadata: { ...meta(name), ...given({ ownerReferences: owner === undefined ? undefined : [owned] }) },
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

function machineDeployment(name: string, status: MachineDeploymentObject['status'], annotations = {}) {
  const labels = { [CLUSTER_LABEL]: 'blue', pool: name };
  const object = {
    ...aMachineDeployment({
      name,
      spec: { replicas: 2, template: { metadata: { labels }, spec: { providerSpec: {} } } },
    }),
    metadata: { ...meta(name), annotations },
    ...given({ status }),
  };
  return openshift.machineDeployment.read(object);
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
  deployments: [],
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

  test('has the sets of a deployment below it, but for those that are kept without machines', () => {
    const progress = {
      type: 'Progressing',
      status: 'True' as const,
      reason: 'ReplicaSetUpdated',
      lastTransitionTime: since,
    };
    const conditions = [{ ...progress, message: '1 of 2 machines are of revision 2' }];
    const deployments = [machineDeployment('pool', { observedGeneration: 1, availableReplicas: 2, conditions })];
    const sets = [
      machineSet('pool-a', 0, { replicas: 0, readyReplicas: 0 }, 'pool'),
      machineSet('pool-b', 0, { replicas: 1, readyReplicas: 1 }, 'pool'),
      machineSet('pool-c', 1, { replicas: 1, readyReplicas: 1 }, 'pool'),
    ];
    const machines = [machine('old', running, 'pool-b'), machine('new', running, 'pool-c')];
    const tree = clusterTree('blue', { ...content, deployments, sets, machines });
    expect(tree.ready).toBe('False');
    expect(tree.children[1]).toMatchObject({
      kind: 'MachineDeployment',
      ready: 'False',
      reason: 'ReplicaSetUpdated',
      since,
      message: '1 of 2 machines are of revision 2',
      children: [
        { name: 'pool-b', ready: 'False', reason: 'TooMany', children: [{ name: 'old' }] },
        { name: 'pool-c', ready: 'True', children: [{ name: 'new' }] },
      ],
    });
    expect(tree.children).toHaveLength(2);
  });

  const done = {
    type: 'Progressing',
    status: 'True' as const,
    reason: 'NewReplicaSetAvailable',
    lastTransitionTime: since,
  };
  test.each([
    [{ observedGeneration: 1, availableReplicas: 2, updatedReplicas: 2, conditions: [done] }, {}, ['True', undefined]],
    [{ observedGeneration: 1, availableReplicas: 1, conditions: [done] }, {}, ['False', 'MachinesNotReady']],
    [{ observedGeneration: 0, availableReplicas: 2, conditions: [done] }, {}, ['Unknown', undefined]],
    [
      { observedGeneration: 1, availableReplicas: 2, conditions: [done] },
      { 'cluster.x-k8s.io/paused': '' },
      ['False', 'Paused'],
    ],
    [
      { observedGeneration: 1, conditions: [{ ...done, type: 'ReplicaFailure', reason: 'FailedCreate' }] },
      {},
      ['False', 'FailedCreate'],
    ],
  ])('says of a deployment how it stands: %j', (status, annotations, [ready, reason]) => {
    const deployments = [machineDeployment('pool', status, annotations)];
    const { children } = clusterTree('blue', { ...content, deployments, sets: [], machines: [] });
    expect(children).toMatchObject([{ name: 'pool', ready, ...given({ reason }) }]);
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
