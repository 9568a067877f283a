import { describe, expect, it } from '@jest/globals';
import { storedObject } from '../../../test/world/builders/stored-object.ts';
import { MOST_UNHEALTHY_TOLD, type MachineHealthCheckStatus } from '../../model/machine-health-check.ts';
import { machineHealthCheck as early } from '../healthchecking/machine-health-check.ts';
import { machineHealthCheck } from './machine-health-check.ts';

const SELECTOR = { matchLabels: { set: 'w' } };
const stored = (parts: object) => storedObject({ kind: 'MachineHealthCheck', ...parts });
const read = (spec: object) =>
  machineHealthCheck.read(stored({ spec: { selector: SELECTOR, ...spec } })).machineHealthCheck;
const steps = (...all: object[]) => read({ remediation: { steps: all } }).remediation.steps;

const TEMPLATE = { apiVersion: 'example.com/v1', kind: 'RepairTemplate', name: 't' };

const DEFAULTS = {
  selector: SELECTOR,
  machineRules: [],
  limits: { maxUnhealthy: { percent: 100 }, nodeStartupTimeoutMs: 600_000 },
  remediation: {
    steps: [{ action: 'Replace', drainTimeoutMs: 600_000, onTimeout: 'Wait' }],
    maxInFlight: { percent: 20 },
    stormThreshold: { percent: 50 },
    stormWindowMs: 300_000,
  },
};

describe('a MachineHealthCheck that is read', () => {
  it('has the defaults where it names its Machines and nothing else', () => {
    const ref = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineHealthCheck', namespace: 'ns' };
    expect(machineHealthCheck.read(stored({ spec: { selector: SELECTOR } }))).toMatchObject({
      clusterName: '',
      status: {},
      machineHealthCheck: { ref: { ...ref, name: 'm', uid: 'u' }, generation: 4, paused: false, ...DEFAULTS },
    });
    expect(read({})).not.toHaveProperty('nodeRules');
    expect(read({})).not.toHaveProperty('malformed');
  });

  it('says what it says of the machines that are unhealthy', () => {
    expect(
      read({
        maxUnhealthy: '40%',
        unhealthyInRange: '[3-5]',
        nodeStartupTimeout: '0',
        unhealthyMachineConditions: [{ type: 'InstanceExists', status: 'False', timeout: '1h30m' }],
      }),
    ).toMatchObject({
      limits: { maxUnhealthy: { percent: 40 }, unhealthyRange: { from: 3, to: 5 }, nodeStartupTimeoutMs: 0 },
      machineRules: [{ type: 'InstanceExists', statuses: ['False'], timeoutMs: 5_400_000 }],
    });
    expect([3, '3', 0, '0%'].map((maxUnhealthy) => read({ maxUnhealthy }).limits.maxUnhealthy)).toEqual([
      { count: 3 },
      { count: 3 },
      { count: 0 },
      { percent: 0 },
    ]);
  });

  it('says what is done for them', () => {
    const all = [
      { action: 'Annotate', key: 'example.com/repair', value: 'now', timeout: '30m' },
      { action: 'Annotate', key: 'call-somebody' },
      { action: 'Reboot' },
      { action: 'Reboot', drainTimeout: '1m', maxReboots: 3 },
      { action: 'Replace', drainTimeout: '5m', onTimeout: 'Force' },
    ];
    const remediation = { steps: all, maxInFlight: 2, stormThreshold: 10, stormWindow: '90s' };
    expect(read({ remediation }).remediation).toEqual({
      steps: [
        { action: 'Annotate', key: 'example.com/repair', value: 'now', timeoutMs: 1_800_000 },
        { action: 'Annotate', key: 'call-somebody', value: '' },
        { action: 'Reboot', drainTimeoutMs: 600_000, maxReboots: 2 },
        { action: 'Reboot', drainTimeoutMs: 60_000, maxReboots: 3 },
        { action: 'Replace', drainTimeoutMs: 300_000, onTimeout: 'Force' },
      ],
      maxInFlight: { count: 2 },
      stormThreshold: { count: 10 },
      stormWindowMs: 90_000,
    });
  });

  it('has another program asked by an object of its template, and nothing else done', () => {
    const remediation = { maxInFlight: 2 };
    expect(
      read({ remediationTemplate: { ...TEMPLATE, namespace: 'elsewhere' }, remediation }).remediation,
    ).toMatchObject({
      steps: [{ action: 'Template', template: TEMPLATE }],
      maxInFlight: { count: 2 },
    });
  });

  it('has its machines marked for Metal3 where its annotation says so, and those that are Failed replaced', () => {
    const byStrategy = (strategy: string, spec: object) => {
      const metadata = { annotations: { 'machine.openshift.io/remediation-strategy': strategy } };
      const object = stored({ metadata, spec: { selector: SELECTOR, ...spec } });
      return machineHealthCheck.read(object).machineHealthCheck.remediation.steps;
    };
    const mark = { action: 'Annotate', key: 'host.metal3.io/external-remediation', value: '' };
    const replace = { action: 'Replace', drainTimeoutMs: 300_000, onTimeout: 'Force' };
    const remediation = { steps: [{ action: 'Replace', drainTimeout: '5m', onTimeout: 'Force' }] };
    expect(byStrategy('external-baremetal', {})).toEqual([mark, DEFAULTS.remediation.steps[0]]);
    expect(byStrategy('external-baremetal', { remediation })).toEqual([mark, replace]);
    expect(byStrategy('another', {})).toEqual(DEFAULTS.remediation.steps);
    const template = { remediationTemplate: TEMPLATE };
    expect(byStrategy('external-baremetal', template)).toEqual([{ action: 'Template', template: TEMPLATE }]);
  });

  it('has rules of the same type and timeout as one, of several statuses', () => {
    const rule = (type: string, status: string, timeout: string) => ({ type, status, timeout });
    const unhealthyConditions = [
      rule('Ready', 'Unknown', '300s'),
      rule('DiskPressure', 'True', '300s'),
      rule('Ready', 'False', '5m0s'),
      rule('Ready', 'False', '5m'),
      rule('Ready', 'Unknown', '1m'),
    ];
    expect(read({ unhealthyConditions }).nodeRules).toEqual([
      { type: 'Ready', statuses: ['False', 'Unknown'], timeoutMs: 300_000 },
      { type: 'DiskPressure', statuses: ['True'], timeoutMs: 300_000 },
      { type: 'Ready', statuses: ['Unknown'], timeoutMs: 60_000 },
    ]);
  });

  it('is paused by the annotation, and goes when it is deleted', () => {
    const metadata = { annotations: { 'cluster.x-k8s.io/paused': '' }, deletionTimestamp: '2026-01-02T00:00:00Z' };
    expect(
      machineHealthCheck.read(stored({ metadata, spec: { selector: SELECTOR } })).machineHealthCheck,
    ).toMatchObject({ paused: true, deletedAt: '2026-01-02T00:00:00Z' });
  });
});

describe('a MachineHealthCheck with a value that was stored before it could be refused', () => {
  const node = (status: string, timeout: string) => ({ unhealthyConditions: [{ type: 'Ready', status, timeout }] });
  const pace = (remediation: object) => ({ remediation });
  it.each<[string, object, string]>([
    ['a maxUnhealthy', { maxUnhealthy: 'abc' }, "spec.maxUnhealthy is 'abc': write a number, 0 or more"],
    ['a share', { maxUnhealthy: '101%' }, "spec.maxUnhealthy is '101%'"],
    ['a negative number', { maxUnhealthy: -1 }, "spec.maxUnhealthy is '-1'"],
    ['an object', { maxUnhealthy: {} }, "spec.maxUnhealthy is '{}'"],
    [
      'a timeout',
      node('False', '5 minutes'),
      "spec.unhealthyConditions.0.timeout is '5 minutes', which is no duration",
    ],
    ['a status', node('Bad', '5m'), "spec.unhealthyConditions.0.status is 'Bad', which is none of"],
    ['a start-up time', { nodeStartupTimeout: '-5m' }, "spec.nodeStartupTimeout is '-5m', which is no duration"],
    ['a range', { unhealthyInRange: '[5-3]' }, "spec.unhealthyInRange is '[5-3]': write two numbers in brackets"],
    ['a range', { unhealthyInRange: '3-5' }, "spec.unhealthyInRange is '3-5'"],
    ['a template', { remediationTemplate: { ...TEMPLATE, kind: 'Repair' } }, "kind is 'Repair': it has to end with"],
    ['a template', { remediationTemplate: { ...TEMPLATE, name: '' } }, 'spec.remediationTemplate.name is missing'],
    ['a template', { remediationTemplate: { ...TEMPLATE, apiVersion: 'v1' } }, "apiVersion is 'v1': write a group"],
    [
      'a template and steps',
      { remediationTemplate: TEMPLATE, remediation: { steps: [{ action: 'Replace' }] } },
      'spec has both remediationTemplate and remediation.steps',
    ],
    ['a pace', pace({ maxInFlight: 0 }), "spec.remediation.maxInFlight is '0': write a number, 1 or more"],
    ['a threshold', pace({ stormThreshold: 'all' }), "spec.remediation.stormThreshold is 'all'"],
    ['a window', pace({ stormWindow: '0s' }), "spec.remediation.stormWindow is '0s', and has to be more than 0"],
    ['a selector', { selector: {} }, 'spec.selector is empty, and would take every Machine of the namespace'],
    ['a key', { selector: { matchLabels: { 'a b': 'c' } } }, "spec.selector has 'a b', which is no key of a label"],
    ['a shape', { unhealthyConditions: 'Ready' }, 'spec.unhealthyConditions must be array'],
  ])('is held for %s: %j', (_what, spec, malformed) => {
    const held = read(spec);
    expect(held.malformed).toContain(malformed);
    expect(held).toMatchObject({ ...DEFAULTS, selector: {} });
  });

  it.each<[object[], string]>([
    [[{ action: 'Replace' }, { action: 'Replace' }], 'spec.remediation.steps.0 is Replace, which ends the list'],
    [[{ action: 'Replace' }, { action: 'Annotate', key: 'k' }], 'spec.remediation.steps.0 is Replace'],
    [[{ action: 'Dance' }], "spec.remediation.steps.0.action is 'Dance', which is none of"],
    [[{ action: 'Annotate' }], 'spec.remediation.steps.0.key is missing'],
    [[{ action: 'Annotate', key: 'k', timeout: 'soon' }], "spec.remediation.steps.0.timeout is 'soon'"],
    [[{ action: 'Reboot', maxReboots: 0 }], "spec.remediation.steps.0.maxReboots is '0': write a number from 1 to 10"],
    [[{ action: 'Reboot', drainTimeout: '0s' }], "spec.remediation.steps.0.drainTimeout is '0s', and has to be"],
    [[{ action: 'Replace', drainTimeout: '0s' }], "spec.remediation.steps.0.drainTimeout is '0s', and has to be"],
  ])('is held for the steps %j', (all, malformed) => {
    expect(read({ remediation: { steps: all } }).malformed).toContain(malformed);
    expect(steps(...all)).toEqual(DEFAULTS.remediation.steps);
  });

  it.each([undefined, null, 'text', {}])('is held for a spec of %j', (spec) => {
    const { machineHealthCheck: held } = machineHealthCheck.read(stored({ spec }));
    expect(held).toMatchObject({ malformed: expect.stringMatching(/^spec/), selector: {} });
  });
});

describe('the status of a MachineHealthCheck', () => {
  const unhealthy = { name: 'm-1', cause: 'It failed.', since: '2026-01-01T00:00:00Z', next: 'Replace.' };
  const status: MachineHealthCheckStatus = {
    expectedMachines: 3,
    currentHealthy: 2,
    remediationsAllowed: 1,
    remediationsInFlight: 2,
    remediationsInFlightLimit: 2,
    observedGeneration: 4,
    conditions: [],
    unhealthyMachines: [unhealthy],
  };

  it('is read as it was written, but for the conditions of others', () => {
    const conditions = [{ type: 'Theirs', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const object = stored({ spec: { selector: SELECTOR }, status: { ...status, conditions } });
    expect(machineHealthCheck.read(object).status).toEqual(status);
    expect(machineHealthCheck.writeStatus(status)).toEqual(status);
  });

  it('that cannot be read is empty, and its mending is noticed', () => {
    const object = stored({ spec: { selector: SELECTOR }, status: { unhealthyMachines: 'many' } });
    const { status: none, wanted, machineHealthCheck: check } = machineHealthCheck.read(object);
    expect(none).toEqual({});
    expect(wanted).toContainEqual({ unhealthyMachines: 'many' });
    expect(check).not.toHaveProperty('malformed');
  });

  it('lists as many as its definition allows', () => {
    const many = { ...status, unhealthyMachines: Array.from({ length: 400 }, () => unhealthy) };
    expect(machineHealthCheck.writeStatus(many)).toMatchObject({ unhealthyMachines: { length: MOST_UNHEALTHY_TOLD } });
  });
});

describe('a MachineHealthCheck of healthchecking.openshift.io', () => {
  const object = (spec: object) => ({
    ...stored({ spec }),
    apiVersion: 'healthchecking.openshift.io/v1alpha1',
  });

  it('names its Machines, and has the defaults for everything else, whatever is stored beside', () => {
    const { machineHealthCheck: check } = early.read(object({ selector: SELECTOR, maxUnhealthy: 'abc' }));
    expect(check).toMatchObject({ ref: { apiVersion: 'healthchecking.openshift.io/v1alpha1' }, ...DEFAULTS });
    expect(check).not.toHaveProperty('malformed');
  });

  it('is held without a selector', () => {
    expect(early.read(object({})).machineHealthCheck.malformed).toBe("spec must have required property 'selector'");
  });
});
