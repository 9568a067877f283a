import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { APIS } from '../../k8s/dialects/registry.ts';
import { VirtualClock } from '../../providers/virtual-clock-for-tests.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineHealthCheck } from '../../test/world/builders/a-machine-health-check.ts';
import { storedObject } from '../../test/world/builders/stored-object.ts';
import {
  factsOfCluster,
  factsOfHealthCheck,
  factsOfMachine,
  factsOfMachineDeployment,
} from './openshift-facts-for-tests.ts';
import { ObjectIndex } from './object-index.ts';
import { WatcherMetrics } from './watcher-metrics.ts';
import { given } from '../../providers/given.ts';

const CREATED = Date.parse('2026-01-01T00:00:00Z');

function machine(phase: string | undefined, status: object = {}) {
  const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' };
  const spec = { providerID: 'sim:///z/i-1', providerSpec: {} };
  return factsOfMachine(storedObject({ metadata, spec, status: { ...given({ phase }), ...status } }));
}

function create(isActive = true) {
  const clock = new VirtualClock({ timeOfDay: CREATED });
  const index = new ObjectIndex();
  const check = factsOfHealthCheck({
    ...aMachineHealthCheck('check'),
    metadata: { ...aMachineHealthCheck('check').metadata, namespace: 'ns' },
  });
  index.healthChecks.set('ns/check', check);
  const metrics = new WatcherMetrics({
    registry: new Registry(),
    index,
    apis: APIS,
    temporalNamespace: 'default',
    checks: () => [{ name: 'lease', isOk: false, found: 'unknown' }],
    isActive: () => isActive,
    pendingSignals: () => 3,
    clock,
  });
  const has = async (line: string) => (await metrics.registry.metrics()).split('\n').includes(line);
  return { clock, index, metrics, has };
}

test('a phase is counted when it is turned to, from the creation on', async () => {
  const { clock, metrics, has } = create();
  clock.set(4000);
  metrics.onMachine({ before: machine('Provisioning'), after: machine('Provisioned') });
  clock.set(5000);
  metrics.onMachine({ before: machine('Provisioned'), after: machine('Provisioned') });
  expect(await has('mapi_machine_phase_transition_seconds_sum{phase="Provisioned"} 4')).toBe(true);
  expect(await has('mapi_machine_phase_transition_seconds_count{phase="Provisioned"} 1')).toBe(true);
});

test('a standby counts no transition, and nobody those that were over when it came', async () => {
  const standby = create(false);
  standby.metrics.onMachine({ before: machine('Provisioning'), after: machine('Running') });
  const late = create();
  late.clock.set(86_400_000);
  late.metrics.onMachine({ after: machine('Running') });
  for (const { metrics } of [standby, late]) {
    expect(await metrics.registry.metrics()).not.toContain('phase_transition_seconds_count{');
  }
});

test('a Machine that a health check has deleted counts once, and by the active watcher only', async () => {
  const name = 'mapi_machinehealthcheck_remediation_success_total{name="check",namespace="ns"}';
  const { metrics, has } = create();
  const standby = create(false);
  const before = machine('Running');
  const after = { ...machine('Running'), isDeleting: true, remediatedBy: 'check' };
  for (const one of [metrics, standby.metrics]) {
    one.onMachine({ before, after: { ...after, isDeleting: false } });
    one.onMachine({ before, after });
    one.onMachine({ before: after, after });
    one.onMachine({ before, after: { ...machine('Running'), isDeleting: true } });
  }
  expect(await has(`${name} 1`)).toBe(true);
  expect(await standby.has(`${name} 1`)).toBe(false);
});

test('one that a person deletes counts for no check that is gone, whose claim it bears still', async () => {
  const { index, metrics } = create();
  index.healthChecks.delete('ns/check');
  const after = { ...machine('Running'), isDeleting: true, remediatedBy: 'check' };
  metrics.onMachine({ before: { ...after, isDeleting: false }, after });
  expect(await metrics.registry.metrics()).not.toContain('remediation_success_total{');
});

test('one that it has rebooted counts, each time', async () => {
  const { metrics, has } = create();
  const [before, after] = [false, true].map((isRebooted) => ({
    ...machine('Running'),
    isRebooted,
    remediatedBy: 'check',
  }));
  if (before === undefined || after === undefined) throw new Error('there is none');
  for (const change of [
    { before, after },
    { before: after, after },
    { before: after, after: before },
    { before, after },
  ])
    metrics.onMachine(change);
  expect(await has('mapi_machinehealthcheck_remediation_success_total{name="check",namespace="ns"} 2')).toBe(true);
});

test('a machine that is gone leaves no series behind', async () => {
  const { index, has } = create();
  const labels =
    'name="m",namespace="ns",spec_provider_id="sim:///z/i-1",node="",api_version="machine.openshift.io/v1beta1"';
  index.machines.set('ns/m', machine('Running'));
  expect(await has(`mapi_machine_created_timestamp_seconds{${labels},phase="Running"} ${CREATED / 1000}`)).toBe(true);
  expect(await has('millwright_machine_without_node{name="m",namespace="ns",phase="Running"} 1')).toBe(true);
  index.machines.delete('ns/m');
  expect(await has(`mapi_machine_created_timestamp_seconds{${labels},phase="Running"} ${CREATED / 1000}`)).toBe(false);
  expect(await has('mapi_machine_items 0')).toBe(true);
});

test('what machines wait for is counted by step and reason', async () => {
  const { index, has } = create();
  for (const name of ['a', 'b']) {
    index.machines.set(
      `ns/${name}`,
      machine('Provisioning', { waiting: { step: 'Launch', reason: 'SecretMissing', message: '', since: '' } }),
    );
  }
  expect(await has('millwright_machines_waiting{step="Launch",reason="SecretMissing"} 2')).toBe(true);
  expect(await has('millwright_machines{phase="Provisioning"} 2')).toBe(true);
  expect(await has('millwright_machines{phase="Failed"} 0')).toBe(true);
});

test('a rollout has a series while it stands still for a trouble, or waits for capacity, and else none', async () => {
  const { index, metrics, has } = create();
  const told = (status: string, reason: string) => {
    const condition = { type: 'Progressing', status, reason, message: '', lastTransitionTime: '' };
    const stored = { ...aMachineDeployment(), status: { conditions: [condition] } };
    index.machineDeployments.set('default/workers', factsOfMachineDeployment(stored));
  };
  const series = (reason: string) =>
    has(
      `millwright_machinedeployment_rollout_trouble{name="workers",namespace="default",api_version="machine.openshift.io/v1beta1",reason="${reason}"} 1`,
    );
  for (const [status, reason] of [
    ['False', 'NewMachinesFailed'],
    ['False', 'PreflightFailed'],
    ['True', 'WaitingForCapacity'],
  ] as const) {
    told(status, reason);
    expect([reason, await series(reason)]).toEqual([reason, true]);
  }
  for (const [status, reason] of [
    ['True', 'ReplicaSetUpdated'],
    ['True', 'NewReplicaSetAvailable'],
    ['Unknown', 'DeploymentPaused'],
    ['Unknown', 'WaitingForApproval'],
  ] as const) {
    told(status, reason);
    expect(await metrics.registry.metrics()).not.toContain('rollout_trouble{');
  }
  index.machineDeployments.set('default/workers', factsOfMachineDeployment(aMachineDeployment()));
  expect(await metrics.registry.metrics()).not.toContain('rollout_trouble{');
});

test('objects of every other kind are counted, also where there is none', async () => {
  const { index, metrics, has } = create();
  index.clusters.set('ns/c1', factsOfCluster(aCluster()));
  expect(await has('millwright_objects{kind="Cluster"} 1')).toBe(true);
  for (const none of ['Node', 'MachineClass']) expect(await has(`millwright_objects{kind="${none}"} 0`)).toBe(true);
  expect(await metrics.registry.metrics()).not.toContain('millwright_objects{kind="Machine"}');
});

test('readiness, activity and the queue are shown', async () => {
  const { has } = create();
  expect(await has('millwright_ready{check="lease"} 0')).toBe(true);
  expect(await has('millwright_watcher_active 1')).toBe(true);
  expect(await has('millwright_watcher_signal_queue 3')).toBe(true);
});
