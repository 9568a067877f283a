import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { FULL_VALUES, renderChart, type Rendered } from './chart.ts';
import { bringPrometheusOperator } from './prometheus-operator.ts';

/** One where the API server refuses every pod that is not `restricted`. */
const NAMESPACE = 'deploy-applied';
const { kube, apiServer, tokens, certificate } = getStack();
const dispatcher = new Agent({ connect: { ca: certificate } });
let takeAway: () => Promise<void>;

beforeAll(async () => {
  takeAway = await bringPrometheusOperator();
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.create(NAMESPACES, undefined, { metadata: { name: NAMESPACE, labels } });
  for (const name of ['machines-a', 'machines-b']) await kube.create(NAMESPACES, undefined, { metadata: { name } });
}, 120_000);

afterAll(async () => {
  await takeAway?.();
  for (const name of [NAMESPACE, 'machines-a', 'machines-b']) await kube.delete(NAMESPACES, undefined, name);
}, 60_000);

const PLURALS: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };

/** As `kubectl apply --server-side --dry-run=server` does, but an unknown field is an error. Answers what came back. */
async function dryRun(object: Omit<Rendered, 'rules'>): Promise<string> {
  const { apiVersion, kind, metadata } = object;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const query = 'dryRun=All&fieldManager=test&fieldValidation=Strict';
  const answer = await request(`${apiServer}${base}${scope}/${plural}/${metadata.name}?${query}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
    dispatcher,
  });
  const text = await answer.body.text();
  const warnings = [answer.headers['warning'] ?? []].flat().join(' ');
  return answer.statusCode < 300 ? warnings : `${answer.statusCode} ${text}`;
}

describe.each([
  ['the default values', []],
  ['all values set', ['--values', FULL_VALUES]],
  ['a PodMonitor', ['--values', FULL_VALUES, '--set', 'monitoring.monitor=PodMonitor']],
])('with %s', (_what, flags: readonly string[]) => {
  let objects: Rendered[];

  beforeAll(async () => {
    objects = await renderChart(NAMESPACE, ...flags);
  }, 300_000);

  test('the API server takes every rendered object, and warns of nothing', async () => {
    expect(objects.length).toBeGreaterThan(15);
    const answers = await Promise.all(
      objects.map(async (object) => `${object.kind} ${object.metadata.name}: ${await dryRun(object)}`),
    );
    expect(answers.filter((answer) => !answer.endsWith(': '))).toEqual([]);
  }, 60_000);

  test('every pod is taken where only restricted ones are', async () => {
    const owners = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    expect(owners.length).toBeGreaterThanOrEqual(3);
    for (const { kind, metadata, spec } of owners) {
      const { template } = spec as { template: { spec: object } };
      // Its account is made by the chart, and is not there in a dry run.
      const pod = { ...template.spec, serviceAccountName: 'default' };
      const name = `${kind.toLowerCase()}-${metadata.name}`;
      expect(await dryRun({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE }, spec: pod })).toBe(
        '',
      );
    }
  }, 60_000);
});

test('the dry run does refuse what is wrong', async () => {
  const metadata = { name: 'wrong', namespace: NAMESPACE };
  const container = { name: 'a', image: 'a', args: [], securityContext: { privileged: true } };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { serviceAccountName: 'default', containers: [container] },
  };
  expect(await dryRun(pod)).toMatch(/violates PodSecurity/);
  expect(await dryRun({ apiVersion: 'v1', kind: 'Service', metadata, spec: { prots: [] } })).toMatch(/prots/);
});
