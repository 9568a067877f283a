import { describe, expect, test } from '@jest/globals';
import type { ClusterObject } from '../../k8s/api/cluster.ts';
import type { MachineClassObject } from '../../k8s/api/machine-class.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import { CLUSTER_LABEL, MACHINE_CLASS_FINALIZER } from '../../k8s/model/labels.ts';
import { clusterFacts } from './cluster-facts.ts';
import { machineClassFacts } from './machine-class-facts.ts';
import { machineFacts, type MachineFacts } from './machine-facts.ts';
import { machineSetFacts } from './machine-set-facts.ts';
import { ObjectIndex, objectKey } from './object-index.ts';
import { routeMachine, routeMachineSet } from './routes.ts';
import type { Wake } from './wake.ts';
import { routeCluster, routeMachineClass } from './source-routes.ts';

interface MachineParts {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly machineClass?: string;
  readonly providerID?: string;
  readonly instanceId?: string;
}

function machine(name: string, parts: MachineParts = {}): MachineFacts {
  const { namespace = 'ns', cluster = 'c', machineClass, providerID, instanceId } = parts;
  const valueFrom = machineClass === undefined ? {} : { valueFrom: { machineClass: { name: machineClass } } };
  return machineFacts({
    metadata: { name, namespace, uid: `uid-${name}`, labels: { [CLUSTER_LABEL]: cluster } },
    spec: { providerSpec: valueFrom, ...(providerID === undefined ? {} : { providerID }) },
    status: { providerStatus: instanceId === undefined ? {} : { instanceId } },
  } as unknown as MachineObject);
}

function machineSet(name: string, machineClass: string | undefined) {
  const providerSpec = machineClass === undefined ? {} : { valueFrom: { machineClass: { name: machineClass } } };
  const object = { metadata: { name, namespace: 'ns', uid: name }, spec: { template: { spec: { providerSpec } } } };
  return machineSetFacts(object as unknown as MachineSetObject);
}

function machineClass(generation = 1, metadata: object = {}) {
  return machineClassFacts({
    metadata: { name: 'k', namespace: 'ns', uid: 'uid-k', generation, ...metadata },
  } as MachineClassObject);
}

function cluster(generation = 1, parts: { paused?: boolean; annotations?: Record<string, string> } = {}) {
  const { paused, annotations } = parts;
  const metadata = { name: 'c', namespace: 'ns', uid: 'uid-c', generation, ...(annotations && { annotations }) };
  return clusterFacts({ metadata, spec: paused === undefined ? {} : { paused } } as ClusterObject);
}

function indexOf(machines: readonly MachineFacts[], sets: readonly ReturnType<typeof machineSet>[] = []): ObjectIndex {
  const index = new ObjectIndex();
  for (const facts of machines) index.machines.set(objectKey(facts.ref), facts);
  for (const facts of sets) index.machineSets.set(objectKey(facts.ref), facts);
  return index;
}

const named = (wakes: readonly Wake[]): string[] =>
  wakes.map(({ target }) => (typeof target === 'string' ? target : target.name)).sort();

const LEAVING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [MACHINE_CLASS_FINALIZER] };

describe('a change of a MachineClass', () => {
  const index = indexOf([
    machine('waits', { machineClass: 'k' }),
    machine('adopts', { machineClass: 'k', providerID: 'x:///z/i-1' }),
    machine('runs', { machineClass: 'k', instanceId: 'i-1' }),
    machine('other', { machineClass: 'l' }),
    machine('elsewhere', { machineClass: 'k', namespace: 'elsewhere' }),
    machine('of-its-own'),
  ]);

  test('wakes the machines that refer to it and have no instance, by what it says', () => {
    expect(named(routeMachineClass({ before: machineClass(1), after: machineClass(2) }, index))).toEqual(['waits']);
    expect(named(routeMachineClass({ after: machineClass() }, index))).toEqual(['waits']);
    expect(named(routeMachineClass({ before: machineClass() }, index))).toEqual(['waits']);
  });

  test('wakes nobody by our finalizer or its status', () => {
    const held = machineClass(1, { finalizers: [MACHINE_CLASS_FINALIZER] });
    expect(routeMachineClass({ before: machineClass(), after: held }, index)).toEqual([]);
  });

  test('on its way out has the inventory look at it, once, where we hold it', () => {
    const leaving = machineClass(2, LEAVING);
    expect(named(routeMachineClass({ before: machineClass(1), after: leaving }, index))).toContain('machineClasses');
    expect(routeMachineClass({ before: leaving, after: leaving }, index)).toEqual([]);
    const unheld = machineClass(2, { ...LEAVING, finalizers: ['other'] });
    expect(named(routeMachineClass({ before: machineClass(1), after: unheld }, index))).not.toContain('machineClasses');
  });
});

describe('a change of a Cluster', () => {
  const index = indexOf([
    machine('waits'),
    machine('runs', { instanceId: 'i-1' }),
    machine('other', { cluster: 'd' }),
    machine('elsewhere', { namespace: 'elsewhere' }),
  ]);

  test('wakes all its machines by its pause, in its spec or by the annotation, on and off', () => {
    const paused = cluster(2, { paused: true });
    const annotated = cluster(1, { annotations: { 'cluster.x-k8s.io/paused': '' } });
    expect(named(routeCluster({ before: cluster(), after: paused }, index))).toEqual(['runs', 'waits']);
    expect(named(routeCluster({ before: paused, after: cluster(3) }, index))).toEqual(['runs', 'waits']);
    expect(named(routeCluster({ before: cluster(), after: annotated }, index))).toEqual(['runs', 'waits']);
    expect(named(routeCluster({ after: paused }, index))).toEqual(['runs', 'waits']);
    expect(named(routeCluster({ before: paused }, index))).toEqual(['runs', 'waits']);
  });

  test('wakes those without an instance by anything else, and nobody by its status', () => {
    expect(named(routeCluster({ before: cluster(1), after: cluster(2) }, index))).toEqual(['waits']);
    expect(named(routeCluster({ after: cluster() }, index))).toEqual(['waits']);
    expect(routeCluster({ before: cluster(), after: cluster() }, index)).toEqual([]);
  });
});

describe('the last that refers to a class on its way out', () => {
  const gone = machine('gone', { machineClass: 'k' });
  const leftBehind = (index: ObjectIndex, facts = machineClass(2, LEAVING)) => {
    index.machineClasses.set(objectKey(facts.ref), facts);
    return index;
  };

  test('has the inventory let the class go when it is gone, or refers to another', () => {
    expect(named(routeMachine({ before: gone }, leftBehind(indexOf([]))))).toEqual(['gone', 'machineClasses']);
    const after = machine('gone', { machineClass: 'l' });
    expect(named(routeMachine({ before: gone, after }, leftBehind(indexOf([after]))))).toContain('machineClasses');
    const set = { before: machineSet('s', 'k'), after: machineSet('s', undefined) };
    expect(named(routeMachineSet(set, leftBehind(indexOf([], [set.after]))))).toEqual(['machineClasses', 's']);
  });

  test('is none while others refer to it, and has nobody look where the class stays', () => {
    const other = indexOf([machine('other', { machineClass: 'k' })]);
    expect(named(routeMachine({ before: gone }, leftBehind(other)))).toEqual(['gone']);
    const set = indexOf([], [machineSet('s', 'k')]);
    expect(named(routeMachine({ before: gone }, leftBehind(set)))).toEqual(['gone']);
    expect(named(routeMachine({ before: gone }, leftBehind(indexOf([]), machineClass())))).toEqual(['gone']);
  });
});
