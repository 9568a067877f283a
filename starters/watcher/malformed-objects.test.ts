import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { healthchecking } from '../../k8s/dialects/healthchecking/api.ts';
import { CLUSTER_LABEL } from '../../k8s/dialects/openshift/labels.ts';
import { storedObject } from '../../test/world/builders/stored-object.ts';
import { machineHealthCheckFacts } from './machine-health-check-facts.ts';
import {
  factsOfCluster,
  factsOfHealthCheck,
  factsOfMachine,
  factsOfMachineClass,
  factsOfMachineDeployment,
  factsOfMachineSet,
} from './openshift-facts-for-tests.ts';
import { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { routeItself } from './own-facts.ts';
import { routeMachine, routeMachineSet } from './routes.ts';
import { routeCluster, routeMachineClass } from './source-routes.ts';
import { startedObjectOf } from './wake-sender.ts';

const metadata = { labels: { [CLUSTER_LABEL]: 'c', role: 'w' } };
const machine = (parts: object) => factsOfMachine(storedObject({ metadata, ...parts }));
const machineSet = (parts: object) => factsOfMachineSet(storedObject({ kind: 'MachineSet', metadata, ...parts }));
const deployment = (parts: object) =>
  factsOfMachineDeployment(storedObject({ kind: 'MachineDeployment', metadata, ...parts }));
const machineClass = (parts: object) => factsOfMachineClass(storedObject({ kind: 'MachineClass', metadata, ...parts }));
const cluster = (parts: object) => factsOfCluster(storedObject({ kind: 'Cluster', metadata, ...parts }));
const healthCheck = (parts: object) => factsOfHealthCheck(storedObject({ kind: 'MachineHealthCheck', ...parts }));
const otherHealthCheck = (parts: object) => {
  const { machineHealthCheck: kind } = healthchecking;
  return machineHealthCheckFacts(storedObject({ ...kind.resource, ...parts }), kind);
};
const NODE_READY = { type: 'NodeReady', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };

describe('a Machine that is malformed', () => {
  test.each<[string, object, object]>([
    ['conditions', { status: { conditions: 'x' } }, { status: { conditions: [NODE_READY] } }],
    ['addresses', { status: { addresses: [null] } }, { status: { addresses: [] } }],
    ['a status of another kind', { status: 'x' }, { status: {} }],
    ['taints', { spec: { providerSpec: {}, taints: 3 } }, { spec: { providerSpec: {} } }],
    ['a providerID', { spec: { providerSpec: {}, providerID: 7 } }, { spec: { providerSpec: {}, providerID: 'i-1' } }],
    ['no spec at all', { spec: null }, { spec: { providerSpec: {} } }],
  ])('by %s is known by its metadata, and woken when that is mended', (_what, broken, mended) => {
    const before = machine(broken);
    expect(before).toMatchObject({ ref: { name: 'm' }, clusterName: 'c', addresses: [], nodeTaints: [], instance: '' });
    expect(startedObjectOf(before)).toMatchObject({ ref: before.ref, clusterName: 'c' });
    const wakes = routeMachine({ before, after: machine(mended) }, new ObjectIndex());
    expect(wakes).toContainEqual({ target: before.ref, because: 'object' });
  });

  test('in its spec is not woken by the status that its workflow writes', () => {
    const spec = { providerSpec: {}, taints: 3 };
    const told = machine({ spec, status: { phase: 'Provisioning' } });
    expect(told.fingerprint).toBe(machine({ spec }).fingerprint);
  });
});

describe('other objects that are malformed', () => {
  test('a MachineSet is woken when its status is mended, and selects nothing by half a selector', () => {
    const template = { spec: { providerSpec: {} } };
    const before = machineSet({ spec: { selector: { matchLabels: { role: 'w', x: 1 } }, template }, status: [] });
    expect(before.selector).toEqual({});
    const after = machineSet({ spec: { selector: { matchLabels: { role: 'w', x: 1 } }, template }, status: {} });
    expect(routeMachineSet({ before, after }, new ObjectIndex())).toHaveLength(1);
  });

  test('a MachineClass wakes itself and those that wait for it when its status is mended', () => {
    const index = new ObjectIndex();
    const waits = machine({ spec: { providerSpec: { valueFrom: { machineClass: { name: 'm' } } } } });
    index.machines.set(objectKey(waits.ref), waits);
    const before = machineClass({ status: { conditions: 'x' } });
    expect(routeMachineClass({ before, after: machineClass({ status: {} }) }, index)).toHaveLength(2);
    expect(routeMachineClass({ before: machineClass({}), after: machineClass({ status: {} }) }, index)).toEqual([]);
  });

  test('a Cluster counts as paused, so that all its machines are woken when it is mended', () => {
    expect(cluster({ spec: { defaults: { tags: [null] } } }).isPaused).toBe(true);
    expect(cluster({ spec: { defaults: { tags: [] } }, status: 'x' }).isPaused).toBe(false);
  });
});

const FIELDS =
  'addresses conditions defaults key labels machineClass maxMachines matchExpressions matchLabels maxUnhealthy metadata name nodeRef operator ' +
  'providerID providerSpec providerStatus remediation replicas rollingUpdate selector spec status steps strategy taints template timeout type unhealthyConditions ' +
  'unhealthyMachineConditions unhealthyMachines valueFrom values';

/** JSON with fields that are looked for, here and there. */
const { tree: json } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS.split(' ')), tie('tree'), { maxKeys: 5 }),
  ),
}));

test('whatever stands in objects, they are taken up and routed', () => {
  const parts = fc.record({ spec: json, status: json }, { requiredKeys: [] });
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const index = new ObjectIndex();
      const machines = { before: machine(one), after: machine(other) };
      const sets = { before: machineSet(one), after: machineSet(other) };
      index.machines.set(objectKey(machines.after.ref), machines.after);
      index.machineSets.set(objectKey(sets.after.ref), sets.after);
      for (const check of [healthCheck, otherHealthCheck]) {
        const checks = { before: check(one), after: check(other) };
        index.healthChecks.set(objectKey(checks.after.ref), checks.after);
        routeItself(checks);
      }
      const deployments = { before: deployment(one), after: deployment(other) };
      index.machineDeployments.set(objectKey(deployments.after.ref), deployments.after);
      routeItself(deployments);
      routeMachine(machines, index);
      routeMachineSet(sets, index);
      routeMachineClass({ before: machineClass(one), after: machineClass(other) }, index);
      routeCluster({ before: cluster(one), after: cluster(other) }, index);
    }),
    { numRuns: 300 },
  );
});
