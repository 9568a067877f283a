import { APIS } from '../../../k8s/dialects/registry.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { parse, stringify } from 'yaml';
import { INSTALL_FIELD_MANAGER } from '../../../k8s/install/api-group.ts';
import { installInto } from '../../../k8s/install/install.ts';
import { readCrdManifests } from '../../../k8s/install/manifests.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  SECRETS,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  type Resource,
} from '../../../k8s/resources.ts';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { examine, type DoctorOptions } from '../../../starters/cli/commands/doctor/examine.ts';
import type { Finding } from '../../../starters/cli/commands/doctor/finding.ts';
import { runMillwright } from '../external/run-millwright.ts';
import { openNamespace, pause, unpause, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const stack = getStack();
const name = 'doctor';
let own: OwnNamespace;
let temporal: Connection;

beforeAll(async () => {
  temporal = await Connection.connect({ address: stack.temporal.address });
  own = await openNamespace(name);
}, 90_000);

afterAll(async () => {
  await own.end();
  await temporal.close();
}, 120_000);

interface Asked {
  readonly kubeconfig?: string;
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
  readonly more?: Partial<DoctorOptions>;
}

/** What `millwright doctor` finds for the namespace of this test. */
function examineOwn({ kubeconfig, temporalAddress, temporalNamespace, more }: Asked = {}): Promise<Finding[]> {
  const { address, namespace } = stack.temporal;
  return examine({
    config: loadKubeConfig({ kubeconfig: kubeconfig ?? stack.kubeconfig }),
    temporal: { address: temporalAddress ?? address, namespace: temporalNamespace ?? namespace, access: {} },
    namespace: name,
    taskQueue: name,
    simulatedEndpoint: stack.cloud.endpoint,
    ...more,
  });
}

/** `millwright doctor` itself. */
function runDoctor(...args: readonly string[]) {
  return runMillwright(['doctor', '-n', name, ...args], {
    KUBECONFIG: stack.kubeconfig,
    TEMPORAL_ADDRESS: stack.temporal.address,
    MILLWRIGHT_SIMULATED_ENDPOINT: stack.cloud.endpoint,
  });
}

/** What is not well, as `<check>: <found> → <advice>`. */
function complaints(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ status }) => status !== 'ok')
    .map(({ check, status, found, advice }) => `${status} ${check}: ${found} → ${advice ?? ''}`);
}

describe('where all is well', () => {
  test('every check is ok, and the exit code is 0', async () => {
    await own.createMachine('one');
    await own.untilPhase('one', 'Running');
    const { code, stdout } = await runDoctor('--task-queue', name, '-o', 'json');
    const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] };
    expect(complaints(findings)).toEqual([]);
    expect({ code, healthy }).toEqual({ code: 0, healthy: true });
    const checks = findings.map(({ check }) => check);
    expect(checks).toEqual(
      expect.arrayContaining([
        'Kubernetes API server',
        'clock of the API server',
        'permissions of the worker',
        'permissions of the watcher',
        'CRD machines.machine.openshift.io',
        'binding of policy machine-cluster-label.millwright.dev',
        expect.stringMatching(/^simulated credentials: /),
        'watcher',
        'Temporal',
        'Temporal namespace default',
        'search attributes',
        'clock of Temporal',
        'workers for workflows',
        'workers for activities',
      ]),
    );
    const pid = `${own.worker.pid}@`;
    expect(findings.find(({ check }) => check === 'workers for workflows')?.found).toContain(pid);
  }, 120_000);

  test('the credentials of the worker are enough for the worker, and what they do not show is not a failure', async () => {
    const findings = await examineOwn({ kubeconfig: stack.workerKubeconfig, more: { role: 'worker' } });
    expect(findings).toContainEqual(expect.objectContaining({ check: 'permissions of the worker', status: 'ok' }));
    expect(complaints(findings).join('\n')).toMatch(/unknown CRD .* it is served; .* → Run .* as an administrator/);
    expect(findings.filter(({ status }) => status === 'failed')).toEqual([]);
  }, 60_000);
});

describe('what is away', () => {
  test('the API server', async () => {
    const config = parse(await readFile(stack.kubeconfig, 'utf8')) as { clusters: { cluster: { server: string } }[] };
    for (const { cluster } of config.clusters) cluster.server = 'https://127.0.0.1:1';
    const kubeconfig = join(stack.stateDir, 'doctor-away.kubeconfig');
    await writeFile(kubeconfig, stringify(config));
    const findings = await examineOwn({ kubeconfig });
    expect(complaints(findings).join('\n')).toMatch(
      /failed Kubernetes API server: no answer from https:\/\/127\.0\.0\.1:1, context millwright: .*ECONNREFUSED.* → Check the address/,
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: 'search attributes', status: 'ok' }));
  }, 60_000);

  test('Temporal, and its namespace', async () => {
    const away = complaints(await examineOwn({ temporalAddress: '127.0.0.1:1' })).join('\n');
    expect(away).toMatch(/failed Temporal: 127\.0\.0\.1:1, no TLS: connection refused.* → Check the address/);
    const elsewhere = complaints(await examineOwn({ temporalNamespace: 'nobodys' })).join('\n');
    expect(elsewhere).toMatch(
      /failed Temporal namespace nobodys: it does not exist → Make it \(temporal operator namespace create -n nobodys\)/,
    );
  }, 60_000);

  test('workers and the watcher, told in a table, with exit code 1', async () => {
    const { code, stdout } = await runDoctor('--task-queue', 'nobodys', '--lease-name', 'nobodys');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^STATUS +CHECK +FOUND\n/);
    expect(stdout).toMatch(/\nok +search attributes +all 8 are registered, as Keyword\n/);
    expect(stdout).toMatch(
      /\nFAILED +watcher +there is no Lease kube-system\/nobodys\n +→ Start one: `millwright watcher`/,
    );
    expect(stdout).toMatch(/\nFAILED +workers for workflows +none asks task queue nobodys for work\n/);
    expect(stdout).toMatch(/\nFAILED +workers for activities +none asks .*\n +→ Start one: `millwright worker`/);
    expect(stdout).toMatch(/\n3 of \d+ checks failed\.\n$/);
  }, 60_000);
});

describe('what is missing or wrong', () => {
  test('permissions, one by one', async () => {
    const kubeconfig = join(stack.stateDir, 'hollow-nodes.kubeconfig');
    const findings = await examineOwn({ kubeconfig, more: { role: 'worker' } });
    const finding = findings.find(({ check }) => check === 'permissions of the worker');
    expect(finding?.status).toBe('failed');
    expect(finding?.found).toContain('patch machines.machine.openshift.io/status; ');
    expect(finding?.found).not.toContain('patch nodes;');
    expect(finding?.advice).toContain('bind ClusterRole millwright-worker');
  }, 60_000);

  test('a definition that is not ours, and a policy without its binding', async () => {
    const crds = await readCrdManifests(APIS);
    const crd = crds.find(({ metadata }) => metadata.name.startsWith('machineclasses.'));
    if (crd === undefined) throw new Error('no such definition');
    const binding = 'machineset-autoscaler-sizes.millwright.dev';
    const take = (resource: Resource, of: string, body: object) => stack.kube.mergePatch(resource, undefined, of, body);
    try {
      // As the API server has it: an empty entry takes all of them away.
      await take(CUSTOM_RESOURCE_DEFINITIONS, crd.metadata.name, { metadata: { managedFields: [{}] } });
      await stack.kube.delete(VALIDATING_ADMISSION_POLICY_BINDINGS, undefined, binding);
      expect(complaints(await examineOwn())).toEqual([
        expect.stringMatching(/^failed CRD machineclasses\.\S+: it was written by .* → .*install --take-over/),
        expect.stringMatching(
          /^failed binding of policy machineset-autoscaler-\S+: it is not there → Run `millwright i/,
        ),
      ]);
    } finally {
      await stack.kube.apply(CUSTOM_RESOURCE_DEFINITIONS, undefined, crd.metadata.name, crd, {
        fieldManager: INSTALL_FIELD_MANAGER,
      });
      await installInto(stack.kube);
    }
    expect(complaints(await examineOwn())).toEqual([]);
  }, 120_000);

  test('search attributes of a Temporal namespace, and one of another type', async () => {
    const namespace = 'doctor-attributes';
    await temporal.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: proto.google.protobuf.Duration.fromObject({ seconds: 86_400 }),
    });
    const look = () => examineOwn({ temporalNamespace: namespace }).then((found) => complaints(found).join('\n'));
    // The frontend knows a new namespace after a moment.
    const isThere = (text: string) => !text.includes('does not exist') && text.includes('search attributes');
    const missing = await until('the namespace is known', look, isThere, { timeoutMs: 60_000 });
    expect(missing).toMatch(
      /failed search attributes: not registered in Temporal namespace doctor-attributes: MachinePhase, /,
    );
    expect(missing).toMatch(/→ Run `millwright install`/);
    await temporal.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { MachinePhase: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT },
    });
    const mistyped = await until('the attribute is known', look, (text) => text.includes('another type'));
    expect(mistyped).toMatch(/of another type than Keyword: MachinePhase → Remove them/);
  }, 120_000);

  test('credentials: a Secret that is not there, one without its key, and one that the cloud refuses', async () => {
    const credentials = (secret: string) => ({ providerSpec: { credentialsSecret: { name: secret } } });
    const secret = (key: string) => ({ apiVersion: 'v1', kind: 'Secret', stringData: { [key]: 'a-token-of-old' } });
    const accept = (acceptedTokens: readonly string[] | null) =>
      fetch(`${stack.cloud.endpoint}/credentials`, { method: 'PUT', body: JSON.stringify({ acceptedTokens }) });
    await pause(own, 'one');
    try {
      await own.createMachineSet('without', { replicas: 0, ...credentials('not-there') });
      await own.createMachineSet('keyless', { replicas: 0, ...credentials('keyless') });
      await own.createMachineSet('refused', { replicas: 0, ...credentials('refused') });
      for (const [of, key] of [
        ['keyless', 'password'],
        ['refused', 'token'],
      ] as const) {
        await stack.kube.create(SECRETS, name, { ...secret(key), metadata: { name: of } });
      }
      await accept(['a-token-of-today']);
      const said = complaints(await examineOwn()).join('\n');
      expect(said).toMatch(
        /failed simulated credentials: Secret doctor\/not-there, .* there is no Secret doctor\/not-there; used by MachineSet doctor\/without → Mend Secret/,
      );
      expect(said).toMatch(/Secret doctor\/keyless has no key token/);
      expect(said).toMatch(
        /Secret doctor\/refused, .* AuthFailure: .*; used by MachineSet doctor\/refused → Mend Secret/,
      );
      expect(said).not.toContain('a-token-of-old');
    } finally {
      await accept(null);
      await unpause(own, 'one');
    }
  }, 90_000);
});
