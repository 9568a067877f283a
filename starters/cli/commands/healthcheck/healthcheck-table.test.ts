import { expect, test } from '@jest/globals';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { aMachineHealthCheck } from '../../../../test/world/builders/a-machine-health-check.ts';
import { renderTable } from '../../output/table.ts';
import { healthCheckRows } from './healthcheck-table.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const limit = {
  type: 'InFlightLimit',
  status: 'True',
  reason: 'AtLimit',
  message: '1 remediations are under way',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;
const allowed = {
  ...limit,
  type: 'RemediationAllowed',
  reason: 'RemediationAllowed',
  message: 'not too many',
} as const;
const checks = [
  {
    ...aMachineHealthCheck('workers', { maxUnhealthy: '40%' }),
    status: { expectedMachines: 10, currentHealthy: 8, conditions: [limit, allowed] },
  },
  {
    ...aMachineHealthCheck('range', { unhealthyInRange: '[3-5]' }),
    status: { conditions: [{ ...limit, type: 'RulesValid', status: 'False', reason: 'BrokenRules' } as const] },
  },
  aMachineHealthCheck('broken', { maxUnhealthy: 'abc' as never }),
].map((object) => openshift.machineHealthCheck.read(object));

test('the table has the columns of the definition, in order of the names, and what holds remediations up', () => {
  expect(renderTable(healthCheckRows(checks, { now, isWide: false, withNamespace: false })).split('\n')).toEqual([
    'NAME      MAXUNHEALTHY   EXPECTEDMACHINES   CURRENTHEALTHY   AGE   NOTES',
    'broken                                                       10m   MalformedObject',
    'range     [3-5]                                              10m   BrokenRules',
    'workers   40%            10                 8                10m   AtLimit',
  ]);
});

test('the wide table says it in sentences, of which API each is, and whom it selects', () => {
  const [head, broken, , workers] = healthCheckRows(checks, { now, isWide: true, withNamespace: true });
  expect(head).toEqual(expect.arrayContaining(['NAMESPACE', 'SELECTOR']));
  expect(broken?.at(-1)).toMatch(/^MalformedObject: spec\.maxUnhealthy /);
  const apiVersion = 'machine.openshift.io/v1beta1';
  expect(workers).toEqual([
    'default',
    'workers',
    apiVersion,
    '40%',
    '10',
    '8',
    'set=workers',
    '10m',
    `AtLimit: ${limit.message}`,
  ]);
});
