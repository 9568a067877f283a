import { beforeAll, expect, test } from '@jest/globals';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { rawRequest } from './raw-request.ts';

const { kube, kubeconfig } = getStack();
// Of its own in each run, so that a kept stack can be used again.
const NAMESPACE = `api-dry-run-${Date.now()}`;
const PATH = `/apis/machine.openshift.io/v1beta1/namespaces/${NAMESPACE}/machinedeployments/pool`;
const POLICY = 'rollout-plan.millwright.dev';

const labels = { pool: 'pool', [CLUSTER_LABEL]: 'c' };
const provider = (size: string) => ({ providerSpec: { value: { kind: 'Any', size, disks: [{ gib: 20 }] } } });
const evicting = (key: string) => ({ key, effect: 'NoExecute' });
const annotations = { [PAUSED_ANNOTATION]: 'test' };

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
  await kube.create(MACHINE_DEPLOYMENTS, NAMESPACE, {
    apiVersion: MACHINE_DEPLOYMENTS.apiVersion,
    kind: 'MachineDeployment',
    metadata: { name: 'pool', namespace: NAMESPACE, annotations },
    spec: {
      replicas: 2,
      selector: { matchLabels: { pool: 'pool' } },
      template: {
        metadata: { labels },
        spec: { ...provider('small'), drain: { timeout: '5m' }, taints: [evicting('a'), evicting('b')] },
      },
    },
  });
  const machines = [
    ['earlier', { ...labels }, provider('large')],
    ['present', { ...labels, added: 'by-hand' }, provider('small')],
    ['others', { ...labels, pool: 'others' }, provider('large')],
  ] as const;
  for (const [name, own, spec] of machines) {
    const metadata = { name, namespace: NAMESPACE, labels: own, annotations };
    await kube.create(MACHINES, NAMESPACE, {
      apiVersion: MACHINES.apiVersion,
      kind: 'Machine',
      metadata,
      spec: { ...spec, drain: { timeout: '5m' }, taints: [evicting('a'), evicting('b')] },
    });
  }
  // The API server's own watch of Machines is behind what it stores.
  await until(
    'a dry run that tells of the Machines',
    () => tellsOf({ replicas: 3 }),
    (told) => told.length === 2,
  );
}, 60_000);

/** What a dry run of the merge patch of a spec prints as warnings, but for the words of the API server before it. */
async function tellsOf(spec: object, query = '?dryRun=All'): Promise<string[]> {
  const { status, warnings } = await rawRequest(kubeconfig, PATH + query, { method: 'PATCH', body: { spec } });
  expect(status).toBe(200);
  return warnings.map((text) => text.replace(/^.*'rollout-plan\.millwright\.dev': /, '')).sort();
}

const EACH = (earlier: string, present: string) => [`Machine earlier: ${earlier}`, `Machine present: ${present}`];
const template = (change: object) => ({ template: change });
const spec = (change: object) => template({ spec: change });

test.each([
  ['another instance', spec(provider('huge')), EACH('replaced', 'replaced')],
  ['the way back to an earlier one', spec(provider('large')), EACH('untouched', 'replaced')],
  ['more replicas', { replicas: 3 }, EACH('replaced', 'untouched')],
  ['how it is drained', spec({ drain: { timeout: '1m' } }), EACH('replaced', 'changed in place')],
  ['how it is drained no more', spec({ drain: null }), EACH('replaced', 'changed in place')],
  ['a label of the Node', spec({ metadata: { labels: { a: 'b' } } }), EACH('replaced', 'changed in place')],
  ['a label of the Machine', template({ metadata: { labels: { a: 'b' } } }), EACH('replaced', 'replaced')],
  ['a restart', template({ metadata: { annotations: { again: 'now' } } }), EACH('replaced', 'replaced')],
  [
    'a taint',
    spec({ taints: [evicting('a'), evicting('b'), { key: 'c', effect: 'NoSchedule' }] }),
    EACH('replaced', 'changed in place'),
  ],
  ['a taint that evicts', spec({ taints: ['a', 'b', 'c'].map(evicting) }), EACH('replaced', 'replaced')],
  ['one such taint less', spec({ taints: [evicting('a')] }), EACH('replaced', 'replaced')],
  ['their order', spec({ taints: [evicting('b'), evicting('a')] }), EACH('replaced', 'changed in place')],
  [
    'a hook',
    spec({ lifecycleHooks: { preDrain: [{ name: 'backup', owner: 'storage' }] } }),
    EACH('replaced', 'replaced'),
  ],
  [
    'another instance where nothing may be replaced',
    { ...spec(provider('huge')), strategy: { replace: 'Never' } },
    EACH('untouched', 'untouched'),
  ],
])('a dry run tells what %s does to each machine', async (_what, change, told) => {
  expect(await tellsOf(change)).toEqual(told);
});

test('it says whose words these are', async () => {
  const { warnings } = await rawRequest(kubeconfig, `${PATH}?dryRun=All`, {
    method: 'PATCH',
    body: { spec: { replicas: 4 } },
  });
  expect(warnings[0]).toContain(`ValidatingAdmissionPolicy '${POLICY}'`);
});

test('nothing is told of what is no dry run, or no change', async () => {
  expect(await tellsOf({ minReadySeconds: 1 }, '')).toEqual([]);
  expect(await tellsOf({ minReadySeconds: 1 })).toEqual([]);
});
