import { beforeEach, describe, expect, test } from '@jest/globals';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import { ASKED_OF_OTHERS_ANNOTATION, writeAsked } from '../../k8s/model/health-claim.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { given } from '../../providers/given.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from '../../test/world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { aNode, type StoredNode } from '../../test/world/builders/a-node.ts';
import { MADE_AT, NAMESPACE } from '../../test/world/builders/metadata.ts';
import { routeClusterRules, routeHealth, routeHealthCheck, routeNodeHealth, routeSetHealth } from './health-routes.ts';
import { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import {
  factsOfCluster,
  factsOfHealthCheck,
  factsOfMachine,
  factsOfMachineDeployment,
  factsOfMachineSet,
  factsOfNode,
} from './openshift-facts-for-tests.ts';
import { routeMachine, routeMachineDeployment, routeMachineSet, routeNode } from './routes.ts';
import { routeCluster } from './source-routes.ts';
import type { Wake } from './wake.ts';

/** Answers another object; the one that is given stays as it is. */
type Edit<T> = (object: T) => T;

const SIZES = {
  'machine.openshift.io/cluster-api-autoscaler-node-group-min-size': '1',
  'machine.openshift.io/cluster-api-autoscaler-node-group-max-size': '9',
};
const LATER = '2026-01-01T01:00:00Z';
const WAITING = { step: 'Drain', reason: 'Draining', message: 'pods are left', since: MADE_AT };
const set = aMachineSet({ name: 'workers' });

function machineObject(name = 'm'): MachineObject {
  return aMachine({
    name,
    set,
    instanceId: 'i-1',
    launch: {},
    providerID: 'x:///z/i-1',
    status: {
      phase: 'Running',
      nodeRef: { kind: 'Node', name: 'n', uid: 'uid-of-n' },
      conditions: [
        { type: 'NodeReady', status: 'True', reason: 'NodeReady', message: '', lastTransitionTime: MADE_AT },
        { type: 'InstanceExists', status: 'True', reason: 'Found', message: '', lastTransitionTime: MADE_AT },
        { type: 'Paused', status: 'True', reason: 'ClusterPaused', message: '', lastTransitionTime: MADE_AT },
        { type: 'GpuHealthy', status: 'True', reason: 'Fine', message: '', lastTransitionTime: MADE_AT },
      ],
    },
  });
}

const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: MADE_AT } as const;

function nodeObject(): StoredNode {
  const node = aNode({ name: 'n', providerID: 'x:///z/i-1' });
  return { ...node, status: { conditions: [ready, { type: 'DiskPressure', status: 'False' }] } };
}

let index: ObjectIndex;
beforeEach(() => {
  index = new ObjectIndex();
  addCheck('workers');
  addCheck('all', { selector: { matchExpressions: [{ key: 'set', operator: 'Exists' }] } });
  addCheck('others', { selector: { matchLabels: { set: 'others' } } });
  addCheck('elsewhere', {}, 'elsewhere');
});

function addCheck(name: string, spec: Partial<MachineHealthCheckSpec> = {}, namespace = NAMESPACE): void {
  const check = aMachineHealthCheck(name, spec);
  const facts = factsOfHealthCheck({ ...check, metadata: { ...check.metadata, namespace } });
  index.healthChecks.set(objectKey(facts.ref), facts);
}

function addMachine(object: MachineObject): void {
  const facts = factsOfMachine(object);
  index.machines.set(objectKey(facts.ref), facts);
}

function namesOf(wakes: readonly Wake[]): string[] {
  expect(wakes.every(({ because }) => because === 'health')).toBe(true);
  return wakes.map(({ target }) => target.name);
}

const said = (type: string, changes: object): Edit<MachineObject> =>
  withStatus(({ conditions = [], ...status }) => ({
    ...status,
    conditions: conditions.map((one) => (one.type === type ? { ...one, ...changes } : one)),
  }));

function withStatus(edit: Edit<NonNullable<MachineObject['status']>>): Edit<MachineObject> {
  return (machine) => ({ ...machine, status: edit(machine.status ?? {}) });
}

const withMeta =
  (changes: Partial<MachineObject['metadata']>): Edit<MachineObject> =>
  (machine) => ({ ...machine, metadata: { ...machine.metadata, ...changes } });

const annotated = (key: string): Edit<MachineObject> => withMeta({ annotations: { [key]: '' } });

test('a check that is gone, or broken, wakes the others of its namespace, and one that is edited itself alone', () => {
  const check = factsOfHealthCheck(aMachineHealthCheck('gone', {}));
  const edited = factsOfHealthCheck(aMachineHealthCheck('gone', { maxUnhealthy: '40%' }));
  const named = (wakes: readonly Wake[]) => wakes.map(({ target, because }) => `${because} ${target.name}`);
  const gone = ['object gone', 'health workers', 'health all', 'health others'];
  expect(named(routeHealthCheck({ before: check }, index))).toEqual(gone);
  expect(named(routeHealthCheck({ before: check, after: edited }, index))).toEqual(['object gone']);
  expect(named(routeHealthCheck({ after: check }, index))).toEqual(['object gone']);
  const broken = factsOfHealthCheck(aMachineHealthCheck('gone', { maxUnhealthy: 'abc' as never }));
  index.healthChecks.set(objectKey(broken.ref), broken);
  expect(named(routeHealthCheck({ before: check, after: broken }, index))).toEqual(gone);
  expect(named(routeHealthCheck({ before: broken, after: check }, index))).toEqual(['object gone']);
  expect(named(routeHealthCheck({ before: broken, after: { ...broken, fingerprint: '' } }, index))).toEqual([
    'object gone',
  ]);
});

describe('a Machine wakes the checks that select it', () => {
  const route = (edit: Edit<MachineObject>) =>
    namesOf(
      routeHealth({ before: factsOfMachine(machineObject()), after: factsOfMachine(edit(machineObject())) }, index),
    );

  test('when another program takes off the annotation by which a check had asked it, and not for other annotations', () => {
    const asked = writeAsked({ annotations: { 'remedy.example': '' }, templates: [] });
    const facts = (annotations: Readonly<Record<string, string>>) =>
      factsOfMachine(
        withMeta({ annotations: { [ASKED_OF_OTHERS_ANNOTATION]: asked, ...annotations } })(machineObject()),
      );
    const before = facts({ 'remedy.example': '' });
    expect(namesOf(routeHealth({ before, after: facts({}) }, index))).toEqual(['workers', 'all']);
    expect(namesOf(routeHealth({ before, after: facts({ 'remedy.example': '', other: '' }) }, index))).toEqual([]);
  });

  test('when it comes, and when it is gone', () => {
    const facts = factsOfMachine(machineObject());
    expect(namesOf(routeHealth({ after: facts }, index))).toEqual(['workers', 'all']);
    expect(namesOf(routeHealth({ before: facts }, index))).toEqual(['workers', 'all']);
  });

  test.each<[string, Edit<MachineObject>]>([
    ['its phase', withStatus((status) => ({ ...status, phase: 'Failed' }))],
    ['its Node', withStatus((status) => ({ ...status, nodeRef: { kind: 'Node', name: 'n', uid: 'another' } }))],
    [
      'what the cloud says of its instance',
      withStatus(({ providerStatus, ...status }) => ({
        ...status,
        providerStatus: { ...providerStatus, instanceState: 'stopped' },
      })),
    ],
    [
      'its launch',
      (object) => ({ ...object, ...given({ status: aMachine({ launch: { preparedAt: LATER } }).status }) }),
    ],
    ['its deletion', withMeta({ deletionTimestamp: LATER })],
    ['a pause', annotated(PAUSED_ANNOTATION)],
    ['a wish to have it remediated', annotated('machine.openshift.io/remediate')],
    ['a wish to have it left alone', annotated('machine.openshift.io/skip-remediation')],
    ['another program that remediates it', annotated('host.metal3.io/external-remediation')],
    ['who controls it', withMeta({ ownerReferences: [] })],
    ['that its instance is proved gone', said('InstanceExists', { status: 'False' })],
    ['that its Cluster is not paused any more', said('Paused', { type: 'Other' })],
  ])('by %s', (_what, edit) => {
    expect(route(edit)).toEqual(['workers', 'all']);
  });

  test.each([
    ['ours', 'NodeReady'],
    ['somebody else', 'GpuHealthy'],
  ])('by a condition of %s, those that have rules on it: of its Node they hear by themselves', (_whose, type) => {
    const rule = { type, status: 'False', timeout: '1m' } as const;
    addCheck('on-it', { selector: { matchLabels: { set: 'workers' } }, unhealthyMachineConditions: [rule] });
    expect(route(said(type, { status: 'False' }))).toEqual(['on-it']);
    expect(route(said(type, { reason: 'Another', lastTransitionTime: LATER }))).toEqual([]);
  });

  test('and those that did, each of them once', () => {
    expect(route(withMeta({ labels: { set: 'others' } }))).toEqual(['workers', 'all', 'others']);
    expect(route(withMeta({ labels: {} }))).toEqual(['workers', 'all']);
  });

  test.each<[string, Edit<MachineObject>]>([
    ['the reason of a condition', said('InstanceExists', { reason: 'Another', message: 'other words' })],
    ['that its Node is not Ready, which the Node itself tells', said('NodeReady', { status: 'Unknown' })],
    ['what it waits for', withStatus((status) => ({ ...status, waiting: WAITING }))],
    [
      'its addresses',
      withStatus((status) => ({ ...status, addresses: [{ type: 'InternalIP', address: '10.0.0.9' }] })),
    ],
    ['its spec', (machine) => ({ ...machine, spec: { ...machine.spec, maintenance: true } })],
    ['an annotation that is none of theirs', annotated('example.com/note')],
    ['its version', withMeta({ resourceVersion: '2', generation: 2 })],
  ])('but not by %s', (_what, edit) => {
    expect(route(edit)).toEqual([]);
  });

  test('which is among what any change of it does', () => {
    const wakes = routeMachine({ after: factsOfMachine(machineObject()) }, index);
    expect(wakes.filter(({ because }) => because === 'health')).toHaveLength(2);
  });
});

describe('a Node wakes the checks that select its Machine', () => {
  beforeEach(() => addMachine(machineObject()));

  const route = (edit: Edit<StoredNode>) =>
    namesOf(routeNodeHealth({ before: factsOfNode(nodeObject()), after: factsOfNode(edit(nodeObject())) }, index));

  test('when it comes, and when it is gone', () => {
    const facts = factsOfNode(nodeObject());
    expect(namesOf(routeNodeHealth({ after: facts }, index))).toEqual(['workers', 'all']);
    expect(namesOf(routeNodeHealth({ before: facts }, index))).toEqual(['workers', 'all']);
  });

  test.each<[string, Edit<StoredNode>]>([
    ['another Node of its name', (node) => ({ ...node, metadata: { ...node.metadata, uid: 'another' } })],
    [
      'the status of a condition',
      (node) => ({
        ...node,
        status: {
          conditions: [
            { ...ready, status: 'Unknown' },
            { type: 'DiskPressure', status: 'False' },
          ],
        },
      }),
    ],
    ['a condition that is gone', (node) => ({ ...node, status: { conditions: [ready] } })],
    ['another boot', (node) => ({ ...node, status: { ...node.status, nodeInfo: { bootID: 'another' } } })],
  ])('by %s', (_what, edit) => {
    expect(route(edit)).toEqual(['workers', 'all']);
  });

  test.each<[string, Edit<StoredNode>]>([
    [
      'a heartbeat',
      (node) => ({
        ...node,
        metadata: { ...node.metadata, resourceVersion: '2' },
        status: {
          conditions: (node.status?.conditions ?? []).map((one) => ({ ...one, lastHeartbeatTime: LATER })),
        },
      }),
    ],
    [
      'when a condition says that it began, and why',
      (node) => ({
        ...node,
        status: {
          conditions: (node.status?.conditions ?? []).map((one) => ({
            ...one,
            reason: 'X',
            lastTransitionTime: LATER,
          })),
        },
      }),
    ],
    ['a label', (node) => ({ ...node, metadata: { ...node.metadata, labels: { zone: 'a' } } })],
    ['an annotation', (node) => ({ ...node, metadata: { ...node.metadata, annotations: { note: '' } } })],
    [
      'a cordon',
      (node) => ({
        ...node,
        spec: { ...node.spec, unschedulable: true, taints: [{ key: 'x', effect: 'NoSchedule' }] },
      }),
    ],
  ])('but not by %s', (_what, edit) => {
    expect(route(edit)).toEqual([]);
  });

  test('each of them once, where several Machines may be its own; none where none is', () => {
    addMachine(machineObject('twin'));
    const after = factsOfNode(nodeObject());
    expect(namesOf(routeNodeHealth({ after }, index))).toEqual(['workers', 'all']);
    for (const name of ['m', 'twin']) index.machines.delete(objectKey(factsOfMachine(machineObject(name)).ref));
    expect(routeNodeHealth({ after }, index)).toEqual([]);
  });

  test('and nobody where there is no check', () => {
    index = new ObjectIndex();
    addMachine(machineObject());
    expect(routeNodeHealth({ after: factsOfNode(nodeObject()) }, index)).toEqual([]);
  });

  test('which is among what any change of it does', () => {
    const wakes = routeNode({ after: factsOfNode(nodeObject()) }, index);
    expect(wakes.filter(({ because }) => because === 'health')).toHaveLength(2);
  });
});

describe('a MachineSet wakes the checks of its namespace', () => {
  const ALL = ['workers', 'all', 'others'];
  const route = (edit: Edit<MachineSetObject>) =>
    namesOf(routeSetHealth({ before: factsOfMachineSet(set), after: factsOfMachineSet(edit(set)) }, index));

  test('when it comes, and when it is gone', () => {
    expect(namesOf(routeSetHealth({ after: factsOfMachineSet(set) }, index))).toEqual(ALL);
    expect(namesOf(routeSetHealth({ before: factsOfMachineSet(set) }, index))).toEqual(ALL);
    expect(routeSetHealth({}, index)).toEqual([]);
  });

  test.each<[string, Edit<MachineSetObject>]>([
    ['the number that it asks for', ({ spec, ...object }) => ({ ...object, spec: { ...spec, replicas: 7 } })],
    [
      'a pause',
      ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, annotations: { [PAUSED_ANNOTATION]: '' } } }),
    ],
    ['its deletion', ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, deletionTimestamp: LATER } })],
    [
      'how few cluster-autoscaler may have',
      ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, annotations: SIZES } }),
    ],
  ])('by %s', (_what, edit) => {
    expect(route(edit)).toEqual(ALL);
  });

  test('and so does a MachineDeployment, by the same', () => {
    const deployment = aMachineDeployment();
    const { metadata } = deployment;
    const by = (annotations: Readonly<Record<string, string>>) =>
      namesOf(
        routeMachineDeployment(
          {
            before: factsOfMachineDeployment(deployment),
            after: factsOfMachineDeployment({ ...deployment, metadata: { ...metadata, annotations } }),
          },
          index,
        ).filter(({ because }) => because === 'health'),
      );
    expect(by({ [PAUSED_ANNOTATION]: '' })).toEqual(ALL);
    expect(by(SIZES)).toEqual(ALL);
    expect(by({ 'example.com/note': '' })).toEqual([]);
  });

  test('and a Cluster by its pause', () => {
    const cluster = aCluster();
    const paused = { ...cluster, spec: { ...cluster.spec, paused: true } };
    const wokenBy = (change: Parameters<typeof routeCluster>[0]) =>
      namesOf(routeCluster(change, index).filter(({ because }) => because === 'health'));
    expect(wokenBy({ before: factsOfCluster(cluster), after: factsOfCluster(paused) })).toEqual(ALL);
    expect(wokenBy({ after: factsOfCluster(cluster) })).toEqual([]);
  });

  test.each<[string, Edit<MachineSetObject>]>([
    ['how many it has', (object) => ({ ...object, status: { replicas: 3, readyReplicas: 2 } })],
    ['its labels', ({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, labels: { note: '' } } })],
    ['its template', ({ spec, ...object }) => ({ ...object, spec: { ...spec, deletePolicy: 'Oldest' } })],
  ])('but not by %s', (_what, edit) => {
    expect(route(edit)).toEqual([]);
  });

  test('which is among what any change of it does', () => {
    const wakes = routeMachineSet({ after: factsOfMachineSet(set) }, index);
    expect(wakes.filter(({ because }) => because === 'health')).toHaveLength(3);
  });
});

test('the rules of the cluster wake the checks of all namespaces that have none of their own', () => {
  addCheck('own', { unhealthyConditions: [{ type: 'Ready', status: 'False', timeout: '1m' }] });
  expect(namesOf(routeClusterRules(index))).toEqual(['workers', 'all', 'others', 'elsewhere']);
});
