import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { CHART, FULL_VALUES, helm, renderChart, type Rendered } from './chart.ts';

let byDefault: Rendered[];
let full: Rendered[];

beforeAll(async () => {
  byDefault = await renderChart('millwright');
  full = await renderChart('millwright', '--values', FULL_VALUES);
}, 300_000);

const named = (objects: readonly Rendered[], kind: string) =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);

function find(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} among ${named(objects, kind).join(', ')}`);
  return found;
}

test('helm lint has nothing to say, with the default values and with all of them set', async () => {
  for (const flags of [[], ['--values', FULL_VALUES]]) {
    const { code, stdout, stderr } = await helm('lint', '--strict', '--quiet', CHART, ...flags);
    expect(stdout + stderr).not.toMatch(/WARNING|ERROR/);
    expect(code).toBe(0);
  }
}, 60_000);

test('the test’s full values set every value there is', async () => {
  const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as object;
  const fullValues = parse(await readFile(FULL_VALUES, 'utf8')) as object;
  const missing = Object.entries(values).flatMap(([name, value]) => missingIn(fullValues, name, value));
  expect(missing).toEqual([]);
});

/** Paths of values that the other has nothing for. */
function missingIn(other: unknown, name: string, value: unknown): string[] {
  const found = other === undefined ? undefined : (other as Record<string, unknown>)[name];
  if (found === undefined) return [name];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || name === 'resources') return [];
  const fields = Object.entries(value).filter(([field]) => /^[a-zA-Z]+$/.test(field));
  return fields.flatMap(([field, inner]) => missingIn(found, field, inner).map((path) => `${name}.${path}`));
}

test.each([
  ['a misspelled value', 'worker.replicsa=3', /worker.*replicsa/],
  ['a number that is none', 'worker.replicas=many', /replicas.*integer/],
  ['an address without a port', 'temporal.address=temporal', /temporal\/address|temporal\.address/],
  ['an unknown level', 'logLevel=loud', /logLevel/],
  ['a port that needs root', 'port=80', /port.*1,024/],
  ['a digest that is none', 'image.digest=latest', /digest/],
  ['a tag in the repository', 'image.repository=millwright:1.0', /repository/],
  ['a monitor that is none', 'monitoring.monitor=Probe', /monitor/],
  ['a drain without time', 'worker.shutdownGraceSeconds=0', /shutdownGraceSeconds/],
])(
  'the schema refuses %s, and says which value',
  async (_what, setting, message) => {
    const { code, stderr } = await helm('template', 'millwright', CHART, '--set', setting);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/values don't meet the specifications of the schema/);
    expect(stderr).toMatch(message);
  },
  30_000,
);

describe('roles', () => {
  test('have no wildcard, and name each resource and verb', () => {
    for (const objects of [byDefault, full]) {
      const rules = objects.flatMap((object) => object.rules ?? []);
      expect(rules.length).toBeGreaterThan(10);
      expect(JSON.stringify(rules)).not.toContain('*');
      for (const { apiGroups, resources, verbs } of rules) {
        for (const list of [apiGroups, resources, verbs]) expect(list.length).toBeGreaterThan(0);
      }
    }
  });

  test('each have somebody who has them, and each subject is an account that is made', () => {
    for (const objects of [byDefault, full]) {
      const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
      expect(new Set(bindings.map(({ roleRef }) => roleRef?.name))).toEqual(new Set(named(objects, 'ClusterRole')));
      for (const { subjects = [] } of bindings) {
        expect(named(objects, 'ServiceAccount')).toEqual(expect.arrayContaining(subjects.map(({ name }) => name)));
      }
    }
  });

  test('let the worker roll Deployments only where that is asked for', () => {
    const mayPatch = (objects: readonly Rendered[]) =>
      objects.some(({ rules = [] }) =>
        rules.some(({ resources, verbs }) => resources.includes('deployments') && verbs.includes('patch')),
      );
    expect([mayPatch(byDefault), mayPatch(full)]).toEqual([false, true]);
  });

  test('let the worker read Secrets in the named namespaces only, where some are named', () => {
    const bound = (objects: readonly Rendered[]) =>
      objects
        .filter(({ roleRef }) => roleRef?.name.endsWith('-worker-secrets') === true)
        .map(({ kind, metadata }) => [kind, metadata.namespace]);
    expect(bound(byDefault)).toEqual([['ClusterRoleBinding', undefined]]);
    expect(bound(full)).toEqual([
      ['RoleBinding', 'machines-a'],
      ['RoleBinding', 'machines-b'],
    ]);
  });
});

interface Deployment {
  readonly replicas: number;
  readonly template: {
    readonly spec: {
      readonly terminationGracePeriodSeconds: number;
      readonly containers: readonly [
        {
          readonly args: readonly string[];
          readonly image: string;
          readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
        },
      ];
    };
  };
}

describe('deployments', () => {
  test('are one worker and one watcher, or with split workers one for each role', () => {
    expect(named(byDefault, 'Deployment').sort()).toEqual(['millwright-watcher', 'millwright-worker']);
    expect(named(full, 'Deployment').sort()).toEqual([
      'machinery-watcher',
      'machinery-worker-activities',
      'machinery-worker-workflows',
    ]);
    for (const [role, replicas] of [
      ['workflows', 4],
      ['activities', 5],
    ] as const) {
      const spec = find(full, 'Deployment', `machinery-worker-${role}`).spec as Deployment;
      expect(spec.replicas).toBe(replicas);
      expect(spec.template.spec.containers[0].args).toContain(`--role=${role}`);
    }
  });

  test('give a pod more time to end than its process takes', () => {
    const spec = find(full, 'Deployment', 'machinery-worker-activities').spec as Deployment;
    expect(spec.template.spec.containers[0].args).toContain('--shutdown-grace=60');
    expect(spec.template.spec.containers[0].args).toContain(
      '--cloud-rates=aws:RunInstances=10+4,aws:Describe*=200+40.5,aws=none',
    );
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(60 + 10);
  });

  test('say where Temporal is as its own configuration reads it, and name Secrets without their contents', () => {
    const [container] = (find(full, 'Deployment', 'machinery-watcher').spec as Deployment).template.spec.containers;
    const secret = { secretKeyRef: { name: 'temporal-api-key', key: 'token' } };
    const env = Object.fromEntries(container.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
    expect(env).toMatchObject({
      TEMPORAL_ADDRESS: 'platform.a1b2c.tmprl.cloud:7233',
      TEMPORAL_NAMESPACE: 'platform.a1b2c',
      TEMPORAL_API_KEY: secret,
      TEMPORAL_TLS: 'true',
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com',
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/etc/millwright/temporal-client/tls.crt',
      TEMPORAL_TLS_CLIENT_KEY_PATH: '/etc/millwright/temporal-client/tls.key',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/etc/millwright/temporal-ca/ca.crt',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.tracing.svc:4318',
    });
    expect(container.image).toMatch(/^registry\.example\.com:5000\/platform\/millwright@sha256:/);
  });
});

test('the definitions are no part of the release, so that uninstalling it leaves every Machine', () => {
  for (const objects of [byDefault, full]) {
    expect(named(objects, 'CustomResourceDefinition')).toEqual([]);
    expect(
      find(objects, 'Job', objects === full ? 'machinery-install' : 'millwright-install').metadata.annotations,
    ).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
    });
  }
});
