import { describe, expect, test } from '@jest/globals';
import { MACHINE_CLASS_FINALIZER } from '../../k8s/dialects/openshift/labels.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aMachineClass } from '../../test/world/builders/a-machine-class.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { factsOfCluster, factsOfMachine, factsOfMachineClass, factsOfMachineSet } from './openshift-facts-for-tests.ts';
import type { MachineFacts } from './machine-facts.ts';
import { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { routeMachine, routeMachineSet } from './routes.ts';
import type { Wake } from './wake.ts';
import { routeCluster, routeMachineClass } from './source-routes.ts';
import { given } from '../../providers/given.ts';

interface MachineParts {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly machineClass?: string;
  readonly providerID?: string;
  readonly instanceId?: string;
}

function machine(name: string, parts: MachineParts = {}): MachineFacts {
  const { namespace = 'ns', instanceId, ...facts } = parts;
  const status = instanceId === undefined ? undefined : { providerStatus: { instanceId } };
  return factsOfMachine(aMachine({ name, namespace, cluster: 'c', ...facts, ...given({ status }) }));
}

function machineSet(name: string, machineClass: string | undefined, ofCluster = 'none') {
  const set = aMachineSet({ name, cluster: ofCluster, metadata: { namespace: 'ns', uid: name } });
  const valueFrom = machineClass === undefined ? undefined : { machineClass: { name: machineClass } };
  const referring = {
    ...set,
    spec: { ...set.spec, template: { ...set.spec.template, spec: { providerSpec: given({ valueFrom }) } } },
  };
  return factsOfMachineSet(referring);
}

function machineClass(generation = 1, metadata: object = {}) {
  return factsOfMachineClass(aMachineClass({ name: 'k', metadata: { namespace: 'ns', generation, ...metadata } }));
}

function cluster(generation = 1, parts: { paused?: boolean; annotations?: Record<string, string> } = {}) {
  const { paused, annotations = {} } = parts;
  const metadata = { namespace: 'ns', generation, annotations };
  return factsOfCluster(aCluster({ name: 'c', metadata, ...given({ paused }) }));
}

function indexOf(machines: readonly MachineFacts[], sets: readonly ReturnType<typeof machineSet>[] = []): ObjectIndex {
  const index = new ObjectIndex();
  for (const facts of machines) index.machines.set(objectKey(facts.ref), facts);
  for (const facts of sets) index.machineSets.set(objectKey(facts.ref), facts);
  return index;
}

const named = (wakes: readonly Wake[]): string[] => wakes.map(({ target }) => target.name).sort();

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

  test('wakes itself and the machines that refer to it and have no instance, by what it says', () => {
    const both = ['k', 'waits'];
    expect(named(routeMachineClass({ before: machineClass(1), after: machineClass(2) }, index))).toEqual(both);
    expect(named(routeMachineClass({ after: machineClass() }, index))).toEqual(both);
    expect(named(routeMachineClass({ before: machineClass() }, index))).toEqual(both);
  });

  test('wakes those that have an instance as well by what their Nodes are to have', () => {
    const edited = { ...machineClass(2), nodes: 'others' };
    expect(named(routeMachineClass({ before: machineClass(1), after: edited }, index))).toEqual([
      'adopts',
      'k',
      'runs',
      'waits',
    ]);
  });

  test('wakes nobody by our finalizer or its status, but itself where the finalizer is taken away', () => {
    const held = machineClass(1, { finalizers: [MACHINE_CLASS_FINALIZER] });
    expect(routeMachineClass({ before: machineClass(), after: held }, index)).toEqual([]);
    expect(named(routeMachineClass({ before: held, after: machineClass() }, index))).toEqual(['k']);
  });

  test('wakes itself when it is deleted, once', () => {
    const leaving = machineClass(1, LEAVING);
    expect(named(routeMachineClass({ before: machineClass(1), after: leaving }, index))).toEqual(['k']);
    expect(routeMachineClass({ before: leaving, after: leaving }, index)).toEqual([]);
  });
});

describe('a change of a Cluster', () => {
  const index = indexOf(
    [
      machine('waits'),
      machine('runs', { instanceId: 'i-1' }),
      machine('other', { cluster: 'd' }),
      machine('elsewhere', { namespace: 'elsewhere' }),
    ],
    [machineSet('set', undefined, 'c'), machineSet('other-set', undefined, 'd')],
  );

  test('wakes itself, its sets and all its machines by its pause, in its spec or by the annotation, on and off', () => {
    const all = ['c', 'runs', 'set', 'waits'];
    const paused = cluster(2, { paused: true });
    const annotated = cluster(1, { annotations: { 'cluster.x-k8s.io/paused': '' } });
    expect(named(routeCluster({ before: cluster(), after: paused }, index))).toEqual(all);
    expect(named(routeCluster({ before: paused, after: cluster(3) }, index))).toEqual(all);
    expect(named(routeCluster({ before: cluster(), after: annotated }, index))).toEqual(all);
    expect(named(routeCluster({ after: paused }, index))).toEqual(all);
    expect(named(routeCluster({ before: paused }, index))).toEqual(all);
  });

  test('wakes itself and those without an instance by anything else, and nobody by its status', () => {
    expect(named(routeCluster({ before: cluster(1), after: cluster(2) }, index))).toEqual(['c', 'waits']);
    expect(named(routeCluster({ after: cluster() }, index))).toEqual(['c', 'waits']);
    const noted = cluster(1, { annotations: { note: 'x' } });
    expect(named(routeCluster({ before: cluster(1), after: noted }, index))).toEqual(['c']);
    expect(routeCluster({ before: cluster(), after: cluster() }, index)).toEqual([]);
  });
});

describe('a Machine that is counted', () => {
  const known = machine('m');
  const index = indexOf([known]);
  const another = factsOfCluster(aCluster({ name: 'd', metadata: { namespace: 'ns' } }));
  for (const facts of [cluster(), another]) index.clusters.set(objectKey(facts.ref), facts);
  const counted = (wakes: readonly Wake[]) => named(wakes.filter(({ because }) => because === 'count'));

  test('wakes its Cluster when it is new or gone, and both when it goes to another', () => {
    expect(counted(routeMachine({ after: known }, index))).toEqual(['c']);
    expect(counted(routeMachine({ before: known }, index))).toEqual(['c']);
    expect(counted(routeMachine({ before: known, after: machine('m', { cluster: 'd' }) }, index))).toEqual(['c', 'd']);
  });

  test('wakes it when it becomes Ready or is no longer, also by being deleted, and by nothing else', () => {
    const ready = { ...known, nodeReady: 'True' };
    const wakesOf = (before: MachineFacts, after: MachineFacts) => counted(routeMachine({ before, after }, index));
    expect(wakesOf(known, ready)).toEqual(['c']);
    expect(wakesOf(ready, { ...ready, nodeReady: 'Unknown' })).toEqual(['c']);
    expect(wakesOf(ready, { ...ready, isDeleting: true })).toEqual(['c']);
    expect(wakesOf(known, { ...known, nodeReady: 'False', isDeleting: true, phase: 'Running' })).toEqual([]);
  });

  test('wakes nobody where there is no Cluster', () => {
    expect(counted(routeMachine({ after: known }, indexOf([known])))).toEqual([]);
  });
});

describe('what refers to a MachineClass', () => {
  const withClasses = (index: ObjectIndex) => {
    const another = factsOfMachineClass(aMachineClass({ name: 'l', metadata: { namespace: 'ns' } }));
    for (const facts of [machineClass(), another]) index.machineClasses.set(objectKey(facts.ref), facts);
    return index;
  };
  const index = withClasses(indexOf([]));
  const counted = (wakes: readonly Wake[]) => named(wakes.filter(({ because }) => because === 'count'));

  test('wakes it when it begins to refer to it and when it ceases to, and by nothing else', () => {
    const user = machine('user', { machineClass: 'k' });
    expect(counted(routeMachine({ after: user }, index))).toEqual(['k']);
    expect(counted(routeMachine({ before: user }, index))).toEqual(['k']);
    expect(counted(routeMachine({ before: user, after: machine('user', { machineClass: 'l' }) }, index))).toEqual([
      'k',
      'l',
    ]);
    const runs = machine('user', { machineClass: 'k', instanceId: 'i-1' });
    expect(counted(routeMachine({ before: user, after: runs }, index))).toEqual([]);
    expect(counted(routeMachine({ after: user }, indexOf([])))).toEqual([]);
  });

  test('wakes it where it is the template of a MachineSet', () => {
    const set = { before: machineSet('s', 'k'), after: machineSet('s', undefined) };
    expect(named(routeMachineSet(set, index))).toEqual(['k', 's']);
  });
});
