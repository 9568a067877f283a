import { expect, test } from '@jest/globals';
import type { MachineObject } from '../../../../k8s/api/machine.openshift.io/machine.ts';
import { openshift } from '../../../../k8s/dialects/openshift/api.ts';
import { ZONE_LABEL } from '../../../../k8s/dialects/openshift/labels.ts';
import { formatSpan } from '../../output/age.ts';
import { renderTable } from '../../output/table.ts';
import { workflowUrl } from '../../explanation/ui-link.ts';
import { machineRows } from './machine-table.ts';

const metadata = { namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 };
const spec = { providerSpec: { value: { kind: 'X' } } };
const kind = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine' } as const;
const stored: MachineObject[] = [
  {
    ...kind,
    metadata: { ...metadata, name: 'b', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
    status: {
      phase: 'Provisioning',
      waiting: { step: 'Launch', reason: 'Throttled', message: 'the cloud asks to wait', since: '' },
    },
  },
  {
    ...kind,
    metadata: { ...metadata, name: 'a', creationTimestamp: '2026-01-01T00:09:30Z', labels: { [ZONE_LABEL]: 'z1' } },
    spec: { ...spec, providerID: 'x:///z1/i-1' },
    status: { phase: 'Running', nodeRef: { name: 'n1' }, providerStatus: { instanceId: 'i-1' } },
  },
];
const machines = stored.map((object) => openshift.machine.read(object));
const now = Date.parse('2026-01-01T00:10:00Z');

test('the table has one line per machine, in order, and what it waits for', () => {
  const text = renderTable(machineRows(machines, { now, isWide: false, withNamespace: false }));
  expect(text.split('\n')).toEqual([
    'NAME   PHASE          NODE   INSTANCE   ZONE   AGE   WAITING-FOR',
    'a      Running        n1     i-1        z1     30s',
    'b      Provisioning                            10m   Launch: Throttled',
  ]);
});

test('a machine in maintenance waits for its end', () => {
  const [, running] = stored;
  const inMaintenance = openshift.machine.read({
    ...running,
    spec: { ...spec, maintenance: true },
    status: { ...running?.status, maintenance: true },
  } as MachineObject);
  const [, row] = machineRows([inMaintenance], { now, isWide: false, withNamespace: false });
  expect(row?.at(-1)).toBe('the end of its maintenance');
});

test('a machine that only finalizers of others keep says so, and the wide table names them', () => {
  const [, running] = stored;
  const deletionTimestamp = '2026-01-01T00:09:40Z';
  const finalizers = ['example.com/backup'];
  const kept = openshift.machine.read({
    ...running,
    metadata: { ...running?.metadata, deletionTimestamp, finalizers },
  } as MachineObject);
  const [narrow, wide] = [false, true].map((isWide) => machineRows([kept], { now, isWide, withNamespace: false })[1]);
  expect(narrow?.at(-1)).toBe('finalizers of others');
  expect(wide?.at(-1)).toContain('example.com/backup');
});

test('the wide table of all namespaces says it in a sentence', () => {
  const [head, , second] = machineRows(machines, { now, isWide: true, withNamespace: true });
  expect(head?.[0]).toBe('NAMESPACE');
  expect(second?.at(-1)).toBe('Launch: the cloud asks to wait');
});

test.each([
  [1500, '1s'],
  [125_000, '2m5s'],
  [3_600_000 * 5, '5h'],
  [86_400_000 * 3 + 3_600_000, '3d1h'],
])('%d ms are shown as %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

test('the link into the UI holds the workflow id as one segment', () => {
  expect(workflowUrl('http://ui/', 'default', 'machine/ns/m1/u')).toBe(
    'http://ui/namespaces/default/workflows/machine%2Fns%2Fm1%2Fu',
  );
});
