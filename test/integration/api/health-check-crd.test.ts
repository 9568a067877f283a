import { beforeAll, describe, expect, test } from '@jest/globals';
import type { StoredObject } from '../../../k8s/dialects/kind.ts';
import { machineHealthCheck as early } from '../../../k8s/dialects/healthchecking/machine-health-check.ts';
import { machineHealthCheck } from '../../../k8s/dialects/openshift/machine-health-check.ts';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import type { MachineHealthCheckStatus } from '../../../k8s/model/machine-health-check.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { readExample, refusalOf, tableOf, type Manifest } from './raw-request.ts';

const { kube, kubeconfig } = getStack();
// Of its own in each run, so that a kept stack can be used again.
const NAMESPACE = `api-health-checks-${Date.now()}`;
const EXAMPLES = ['', '-brakes', '-node-problems', '-gpu', '-reboot'] as const;

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
});

test.each(EXAMPLES)('examples/machine-health-check%s.yaml is taken as it is, and can be read', async (name) => {
  const manifest = await readExample(`machine-health-check${name}`, NAMESPACE);
  expect(await refusalOf(kubeconfig, manifest)).toBeUndefined();
  const kind = name === '' ? early : machineHealthCheck;
  const annotations = { [PAUSED_ANNOTATION]: 'test' };
  const body = { ...manifest, metadata: { ...manifest.metadata, annotations } };
  const stored = await kube.create<StoredObject>(kind.resource, NAMESPACE, body);
  expect(kind.read(stored).machineHealthCheck).not.toHaveProperty('malformed');
});

const node = (status: unknown, timeout: unknown) => ({ unhealthyConditions: [{ type: 'Ready', status, timeout }] });
const steps = (...all: object[]) => ({ remediation: { steps: all } });
const REPLACE = { action: 'Replace' };
const REBOOT = { action: 'Reboot' };
const ANNOTATE = { action: 'Annotate', key: 'example.com/repair' };
const TEMPLATE = { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 'n' };
const NO_DURATION = /it is no duration: write numbers with their units, e\.g\. 300s, 5m or 1h30m/;
const NO_SHARE = /it is neither a number nor a share/;

const CASES: readonly (readonly [what: string, spec: object, refusal: RegExp | undefined])[] = [
  ['that names its machines', {}, undefined],
  ['without a selector', { selector: undefined }, /spec\.selector: Required value/],
  ['of an empty selector', { selector: {} }, /an empty selector would take every Machine/],
  ['of a selector of nothing', { selector: { matchLabels: {} } }, /an empty selector would take every Machine/],
  [
    'of an operator that takes values and has none',
    { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    /In and NotIn need values/,
  ],
  [
    'of an operator that there is not',
    { selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } },
    /Unsupported value: "Like"/,
  ],
  ['of a label that there cannot be', { selector: { matchLabels: { a: 'b c' } } }, /selector\.matchLabels\.a/],
  ['with a field that there is not', { maxHealthy: 3 }, /unknown field "spec\.maxHealthy"/],
  ['with a number', { maxUnhealthy: 3 }, undefined],
  ['with a number as a text', { maxUnhealthy: '3' }, undefined],
  ['with a share', { maxUnhealthy: '40%' }, undefined],
  ['with none', { maxUnhealthy: 0 }, undefined],
  ['with abc', { maxUnhealthy: 'abc' }, NO_SHARE],
  ['with more than all', { maxUnhealthy: '101%' }, NO_SHARE],
  ['with less than none', { maxUnhealthy: -1 }, NO_SHARE],
  ['of a range', { unhealthyInRange: '[3-5]' }, undefined],
  ['of one number', { unhealthyInRange: '[3-3]' }, undefined],
  ['of a range the wrong way round', { unhealthyInRange: '[5-3]' }, /its first number is greater than its second/],
  ['of a range without brackets', { unhealthyInRange: '3-5' }, /it is no range: write it in brackets/],
  ['with a condition', node('Unknown', '300s'), undefined],
  ['with a timeout as Go writes it', node('False', '5m0s'), undefined],
  ['with no timeout to speak of', node('False', '0s'), undefined],
  ['with a timeout in the smallest units of Go', node('False', '300000000us1ns'), undefined],
  ['with a timeout in words', node('False', '5 minutes'), NO_DURATION],
  ['with a timeout that is no text', node('False', 300), /timeout: Invalid value: "integer"/],
  ['with a status that there is not', node('Bad', '5m'), /Unsupported value: "Bad"/],
  ['with no rules, but a list of them', { unhealthyConditions: [] }, /unhealthyConditions.*at least 1 items/],
  [
    'with a condition of a Machine',
    { unhealthyMachineConditions: [{ type: 'InstanceExists', status: 'False', timeout: '1h30m' }] },
    undefined,
  ],
  ...['0', '0s', '10m', '1h30m'].map(
    (time) => [`with ${time} to start`, { nodeStartupTimeout: time }, undefined] as const,
  ),
  ['with 10 to start', { nodeStartupTimeout: '10' }, NO_DURATION],
  ['with a negative time to start', { nodeStartupTimeout: '-10m' }, NO_DURATION],
  ['with a template', { remediationTemplate: TEMPLATE }, undefined],
  ['with a template and a pace', { remediationTemplate: TEMPLATE, remediation: { maxInFlight: 2 } }, undefined],
  ['with a template of a kind that is none', { remediationTemplate: { ...TEMPLATE, kind: 'K' } }, /Template\.kind/],
  ['with a template of a strange version', { remediationTemplate: { ...TEMPLATE, apiVersion: '../v1' } }, /apiVersion/],
  ['with a template that has no name', { remediationTemplate: { ...TEMPLATE, name: undefined } }, /name: Required/],
  [
    'with a template and steps',
    { remediationTemplate: TEMPLATE, ...steps(REPLACE) },
    /remediationTemplate says what is done for a machine, and stands in place of steps/,
  ],
  ['with steps', steps(ANNOTATE, { ...ANNOTATE, value: 'x', timeout: '30m' }, REPLACE), undefined],
  ['with a step after Replace', steps(REPLACE, ANNOTATE), /Replace ends the list/],
  ['with two Replace', steps(REPLACE, REPLACE), /Replace ends the list/],
  ['with no steps, but a list of them', steps(), /steps.*at least 1 items/],
  ['with a step that there is not', steps({ action: 'Dance' }), /Unsupported value: "Dance"/],
  ['with a Reboot', steps(REBOOT, REPLACE), undefined],
  ['with nothing but Reboots', steps(REBOOT, REBOOT), undefined],
  ['with a Reboot as it can be', steps({ ...REBOOT, drainTimeout: '5m', maxReboots: 3 }), undefined],
  ['with a Reboot that may never be', steps({ ...REBOOT, maxReboots: 0 }), /maxReboots.*greater than or equal to 1/],
  ['with a Reboot that may be too often', steps({ ...REBOOT, maxReboots: 11 }), /maxReboots.*less than or equal to 10/],
  ['with a Reboot that forces', steps({ ...REBOOT, onTimeout: 'Force' }), /onTimeout is for the action Replace only/],
  ['with a Reboot after Replace', steps(REPLACE, REBOOT), /Replace ends the list/],
  ['with a Replace of reboots', steps({ ...REPLACE, maxReboots: 1 }), /maxReboots is for the action Reboot only/],
  ['with an Annotate of a time for the drain', steps({ ...ANNOTATE, drainTimeout: '1m' }), /Replace and Reboot only/],
  ['with a Replace as it can be', steps({ ...REPLACE, drainTimeout: '5m', onTimeout: 'Force' }), undefined],
  ['with a Replace of no time', steps({ ...REPLACE, drainTimeout: '0s' }), NO_DURATION],
  ['with a Replace of a key', steps({ ...REPLACE, key: 'a' }), /key, value and timeout are for the action Annotate/],
  [
    'with an Annotate of a drain',
    steps({ ...ANNOTATE, onTimeout: 'Wait' }),
    /onTimeout is for the action Replace only/,
  ],
  ['with an Annotate of no key', steps({ action: 'Annotate' }), /the action Annotate takes a key/],
  ['with an Annotate of a bad key', steps({ action: 'Annotate', key: 'a b' }), /steps\[0\]\.key/],
  ['with a pace', { remediation: { maxInFlight: 2, stormThreshold: '60%', stormWindow: '90s' } }, undefined],
  ['with no pace', { remediation: { maxInFlight: 0 } }, NO_SHARE],
  ['with no threshold', { remediation: { stormThreshold: '0%' } }, NO_SHARE],
  ['with no window', { remediation: { stormWindow: '0s' } }, NO_DURATION],
];

describe('a MachineHealthCheck', () => {
  const selector = { matchLabels: { set: 'w' } };
  const aCheck = (name: string, spec: object): Manifest => {
    const { apiVersion } = MACHINE_HEALTH_CHECKS;
    const annotations = { [PAUSED_ANNOTATION]: 'test' };
    const metadata = { name, namespace: NAMESPACE, annotations };
    return { apiVersion, kind: 'MachineHealthCheck', metadata, spec: { selector, ...spec } };
  };

  test.each(CASES)('%s', async (_what, spec, refusal) => {
    const answer = await refusalOf(kubeconfig, aCheck('refused', spec));
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatch(refusal);
  });

  test('has the Machine API’s defaults filled in', async () => {
    const { spec } = await kube.create<Manifest>(MACHINE_HEALTH_CHECKS, NAMESPACE, aCheck('defaults', {}));
    expect(spec).toEqual({ selector, maxUnhealthy: '100%', nodeStartupTimeout: '10m' });
  });

  test('keeps the status that is written, and is listed with the Machine API’s columns', async () => {
    const { metadata } = await kube.create<StoredObject>(
      MACHINE_HEALTH_CHECKS,
      NAMESPACE,
      aCheck('listed', { maxUnhealthy: 2 }),
    );
    const status: MachineHealthCheckStatus = {
      expectedMachines: 3,
      currentHealthy: 2,
      remediationsAllowed: 1,
      remediationsInFlight: 1,
      remediationsInFlightLimit: 2,
      observedGeneration: 1,
      conditions: [
        {
          type: 'RemediationAllowed',
          status: 'True',
          reason: 'RemediationAllowed',
          message: 'Fine.',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      unhealthyMachines: [
        {
          name: 'm',
          cause: 'It failed.',
          since: '2026-01-01T00:00:00Z',
          next: 'Replace.',
          dueAt: '2026-01-01T00:05:00Z',
        },
      ],
    };
    const body = { metadata: { uid: metadata.uid }, status: machineHealthCheck.writeStatus(status) };
    const stored = await kube.apply<StoredObject>(MACHINE_HEALTH_CHECKS, NAMESPACE, 'listed', body, {
      fieldManager: 'test',
      subresource: 'status',
    });
    expect(machineHealthCheck.read(stored).status).toEqual(status);
    const { columnDefinitions, rows } = await tableOf(kubeconfig, NAMESPACE, 'machinehealthchecks');
    expect(columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'MaxUnhealthy',
      'ExpectedMachines',
      'CurrentHealthy',
      'Age',
    ]);
    expect(rows.find(({ cells: [name] }) => name === 'listed')?.cells.slice(1, 4)).toEqual(['2', 3, 2]);
  });
});
