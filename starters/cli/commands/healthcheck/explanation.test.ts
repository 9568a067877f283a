import { beforeEach, describe, expect, test } from '@jest/globals';
import type { MachineHealthCheckObject } from '../../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../../k8s/model/health-claim.ts';
import { aNode } from '../../../../test/world/builders/a-node.ts';
import { aMachineHealthCheck } from '../../../../test/world/builders/a-machine-health-check.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { HealthWorld } from '../../../../test/world/health-world.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import type { CheckSight } from '../../../../workflows/machine-health-check/messages.ts';
import { EXIT } from '../../exit-codes.ts';
import type { WorkflowReport } from '../../explanation/workflow-report.ts';
import { lookAtCheck } from './explain.ts';
import { machineHealthRows, headlineOfCheck, renderCheck } from './render-check.ts';
import { given } from '../../../../providers/given.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const workflow: WorkflowReport = { id: 'machinehealthcheck/ns/c/u', state: 'running since then', link: 'http://ui/x' };

let world: HealthWorld;
beforeEach(() => {
  world = new HealthWorld(ownClock(), { machines: 4 });
});

const look = (name = 'check', told?: CheckSight) =>
  lookAtCheck({ kube: world.kube.client, apis: APIS, namespace: NAMESPACE }, name, async () => told);

function tell(status: MachineHealthCheckObject['status']): void {
  const { check } = world;
  if (check === undefined) throw new Error('the check is not there');
  world.kube.put({ ...check, ...given({ status }) });
}

const bad = {
  name: 'm-2',
  cause: 'Ready of its Node n-2 is Unknown (NodeStatusUnknown)',
  since: '2026-01-01T00:08:00Z',
  next: 'is remediated when that has lasted for 5 min',
  dueAt: '2026-01-01T00:13:00Z',
};
const storm = {
  type: 'StormSuspected',
  status: 'True',
  reason: 'ManyAtOnce',
  message: '3 of 4 machines are bad by one cause',
  lastTransitionTime: '2026-01-01T00:09:00Z',
} as const;

describe('the machines of a check', () => {
  test('are those that its status lists, in that order, and then the healthy ones', async () => {
    tell({ expectedMachines: 4, currentHealthy: 3, unhealthyMachines: [bad] });
    const { machines, expected, healthy } = await look();
    expect({ expected, healthy }).toEqual({ expected: 4, healthy: 3 });
    expect(machineHealthRows(machines, now)).toEqual([
      ['MACHINE', 'HEALTHY', 'SINCE', 'DUE', 'WHAT IS WRONG', 'WHAT COMES NEXT'],
      ['m-2', 'no', '2m', 'in 3m', bad.cause, bad.next],
      ['m-1', 'yes', '', '', '', ''],
      ['m-3', 'yes', '', '', '', ''],
      ['m-4', 'yes', '', '', '', ''],
    ]);
    expect(machineHealthRows(machines, now + 600_000)[1]?.[3]).toBe('7m ago');
  });

  test('are looked at where the status does not tell of them, and none is listed that is gone or not selected', async () => {
    tell({ unhealthyMachines: [{ ...bad, name: 'gone' }] });
    world.say(1, 'False', { reason: 'KubeletNotReady' });
    world.edit(2, ({ metadata, ...machine }) => ({ ...machine, metadata: { ...metadata, labels: {} } }));
    world.edit(3, (machine) => ({
      ...machine,
      metadata: { ...machine.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    world.add(5, {}, null);
    const untold = { healthy: false, next: 'the status of the check does not tell of it' };
    const { machines } = await look();
    expect(machines).toEqual([
      { name: 'm-1', ...untold, cause: 'Ready of its Node n-1 is False (KubeletNotReady)' },
      { name: 'm-3', ...untold, cause: 'it is being deleted' },
      { name: 'm-4', healthy: true },
      { name: 'm-5', ...untold, cause: 'its Node has not come since the launch' },
    ]);
  });
});

test('those that the status has no room for are told by its workflow', async () => {
  tell({ expectedMachines: 4, currentHealthy: 2, unhealthyMachines: [bad] });
  world.say(3, 'Unknown');
  const second = { ...bad, name: 'm-3', since: '2026-01-01T00:09:00Z' };
  const { machines } = await look('check', { unhealthy: [bad, second] });
  expect(machines.slice(0, 2)).toEqual([
    { healthy: false, ...bad },
    { healthy: false, ...second },
  ]);
  expect((await look()).machines).toContainEqual({
    name: 'm-3',
    healthy: false,
    cause: 'Ready of its Node n-3 is Unknown (Told)',
    next: 'the status of the check does not tell of it',
  });
});

test('its workflow is asked only where its status does not tell all', async () => {
  tell({ expectedMachines: 4, currentHealthy: 3, unhealthyMachines: [bad] });
  const { machines } = await look('check', { unhealthy: [] });
  expect(machines[0]).toMatchObject({ name: 'm-2', healthy: false });
});

test('a Node that its kubelet has registered anew is the one of its Machine', async () => {
  world.loseNode(1);
  world.putNode(aNode({ name: 'n-1', metadata: { uid: 'anew' }, providerID: 'simulated:///zone-a/i-1' }));
  expect((await look()).machines[0]).toEqual({ name: 'm-1', healthy: true });
});

test('a Machine that a check claimed which is gone is told as what it is', async () => {
  world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'gone uid-of-gone' });
  expect((await look()).machines[0]).toEqual({ name: 'm-1', healthy: true });
});

describe('what holds remediations up', () => {
  test('comes first, with what to do; what does not is told with its limits', async () => {
    tell({
      expectedMachines: 4,
      currentHealthy: 1,
      remediationsAllowed: 1,
      remediationsInFlight: 1,
      conditions: [storm],
    });
    const { brakes } = await look();
    expect(brakes).toEqual([
      {
        name: 'StormSuspected',
        holds: true,
        reason: 'ManyAtOnce',
        since: storm.lastTransitionTime,
        message: storm.message,
        toDo: expect.stringMatching(/`millwright healthcheck proceed NAME`/),
      },
      {
        name: 'RemediationAllowed',
        holds: false,
        message: '1 more machine may turn unhealthy before none is remediated (spec.maxUnhealthy is 100%)',
      },
      {
        name: 'InFlightLimit',
        holds: false,
        message: '1 remediation is under way, and at most 1 may be at a time (spec.remediation.maxInFlight is 20%)',
      },
    ]);
  });

  test('is the range where the check has one, and the least of a storm where its share is less', async () => {
    world.change({ unhealthyInRange: '[1-2]', remediation: { maxInFlight: 3, stormThreshold: '10%' } });
    const { brakes } = await look();
    expect(brakes.map(({ message }) => message)).toEqual([
      'machines are remediated while 1 to 2 are not healthy, and 0 are now (spec.unhealthyInRange)',
      '0 remediations are under way, and at most 3 may be at a time (spec.remediation.maxInFlight is 3)',
      'it takes more than 2 machines that turn unhealthy by one cause within 5 min (spec.remediation.stormThreshold is 10%), or all Nodes of a zone',
    ]);
  });

  test('is not what the rules of the cluster are broken by, which is told all the same, also in one line', async () => {
    const message = 'ConfigMap x: no: the last good rules apply';
    const lastTransitionTime = '2026-01-01T00:09:00Z';
    const broken = { type: 'RulesValid', status: 'False', reason: 'BrokenRules', message, lastTransitionTime } as const;
    tell({ expectedMachines: 4, currentHealthy: 4, conditions: [broken] });
    const explanation = await look();
    expect(explanation.brakes[0]).toMatchObject({ name: 'RulesValid', holds: false, message });
    expect(headlineOfCheck(explanation, workflow)).toBe(`4 of 4 machines are healthy; broken: ${message}`);
  });
});

test('the rules are those that the check goes by', async () => {
  expect((await look()).rules).toEqual([
    'Ready of its Node is False or Unknown for 5 min',
    'its Node does not come within 10 min of the launch',
    'its Node is gone',
    'it is Failed',
  ]);
  world.change({
    nodeStartupTimeout: '0',
    unhealthyConditions: [{ type: 'DiskPressure', status: 'True', timeout: '1h' }],
    unhealthyMachineConditions: [{ type: 'InstanceExists', status: 'False', timeout: '90s' }],
  });
  expect((await look()).rules).toEqual([
    'DiskPressure of its Node is True for 1 h',
    'InstanceExists of the Machine is False for 1 min 30 s',
    'its Node is gone',
    'it is Failed',
  ]);
});

test('the rules are the last good ones where those of the cluster are broken, which only its workflow knows', async () => {
  tell({ expectedMachines: 4, currentHealthy: 4 });
  world.writeRules('items: {');
  const [first, second] = (await look()).rules;
  expect(first).toMatch(/^the last good rules of the cluster say so, .*no answer \(ConfigMap /);
  expect(second).toMatch(/^its Node does not come/);
  const clusterRules = [{ type: 'Sick', statuses: ['True'], timeoutMs: 60_000 }] as const;
  expect((await look('check', { unhealthy: [], clusterRules })).rules[0]).toBe('Sick of its Node is True for 1 min');
});

test('a check of the older API is found by its name; one that is there nowhere is not', async () => {
  const { metadata, spec } = aMachineHealthCheck('seed');
  world.kube.put({
    apiVersion: 'healthchecking.openshift.io/v1alpha1',
    kind: 'MachineHealthCheck',
    metadata,
    spec: { selector: spec.selector },
  } as never);
  expect((await look('seed')).machines.map(({ healthy }) => healthy)).toEqual([true, true, true, true]);
  await expect(look('nowhere')).rejects.toMatchObject({ exitCode: EXIT.notFound });
});

describe('an explanation for people', () => {
  test('says in one line how many are healthy and what holds remediations up, and then everything', async () => {
    tell({
      expectedMachines: 4,
      currentHealthy: 3,
      remediationsAllowed: 3,
      conditions: [storm],
      unhealthyMachines: [bad],
    });
    expect(renderCheck(await look(), workflow, now).split('\n')).toEqual([
      '3 of 4 machines are healthy; held: 3 of 4 machines are bad by one cause',
      '',
      'Check:          default/check (machine.openshift.io/v1beta1)',
      'Selects:        set=workers',
      'Unhealthy when: Ready of its Node is False or Unknown for 5 min',
      'or:             its Node does not come within 10 min of the launch',
      'or:             its Node is gone',
      'or:             it is Failed',
      'Workflow:       running since then',
      'Temporal UI:    http://ui/x',
      '',
      expect.stringMatching(/^MACHINE +HEALTHY +SINCE +DUE +WHAT IS WRONG +WHAT COMES NEXT$/),
      expect.stringMatching(/^m-2 +no +2m +in 3m +Ready of its Node n-2 is Unknown/),
      ...['m-1', 'm-3', 'm-4'].map((name) => expect.stringMatching(new RegExp(`^${name} +yes$`))),
      '',
      'What may hold remediations up:',
      '  StormSuspected: ManyAtOnce for 60s: 3 of 4 machines are bad by one cause',
      expect.stringMatching(/^ {4}What to do: See whether the Nodes can reach the API server/),
      '  RemediationAllowed: holds nothing up: 3 more machines may turn unhealthy before none is remediated (spec.maxUnhealthy is 100%)',
      expect.stringMatching(/^ {2}InFlightLimit: holds nothing up: 0 remediations/),
    ]);
  });

  test('says that nobody has looked, or that nobody is at work', async () => {
    const explanation = await look();
    expect(headlineOfCheck(explanation, workflow)).toMatch(/^Waiting for a worker to look at it/);
    tell({ expectedMachines: 4, currentHealthy: 4 });
    expect(headlineOfCheck(await look(), { obstacle: 'the watcher' })).toBe('Waiting for the watcher');
  });

  test('says what is wrong with a check that cannot be read, and that it remediates nothing', async () => {
    world.change({ maxUnhealthy: 'abc' });
    const explanation = await look();
    expect(explanation.machines).toEqual([]);
    expect(headlineOfCheck(explanation, workflow)).toMatch(
      /^held: .*maxUnhealthy.*: no machine is remediated until the object is mended$/,
    );
    expect(renderCheck(explanation, workflow, now)).toMatch(
      /^ {2}MalformedObject: (?!MalformedObject).*\n +What to do: /m,
    );
  });
});
