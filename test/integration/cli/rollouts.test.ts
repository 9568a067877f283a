import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS } from '../../../k8s/dialects/openshift/resources.ts';
import { providerSpecOf } from '../lifecycle/manifests.ts';
import type { OwnNamespace } from '../lifecycle/own-namespace.ts';
import { useNamespace } from '../lifecycle/use-namespace.ts';
import { Workloads } from '../lifecycle/workloads.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { runCli, startCli, type CliAnswer } from './run-cli.ts';

jest.setTimeout(60_000);

const NAMESPACE = 'cli-rollouts';
const { kube } = getStack();
let own: OwnNamespace;
let folder: string;
useNamespace(NAMESPACE, (opened) => (own = opened));

interface Change {
  readonly machine?: object;
  readonly providerSpec?: Readonly<Record<string, unknown>>;
  readonly spec?: object;
}

/** As somebody keeps it in a file. */
function fileOf({ machine, providerSpec, spec }: Change = {}): object {
  const labels = { [CLUSTER_LABEL]: NAMESPACE, pool: 'web' };
  return {
    apiVersion: MACHINE_DEPLOYMENTS.apiVersion,
    kind: MACHINE_DEPLOYMENTS.kind,
    metadata: { name: 'web', namespace: NAMESPACE },
    spec: {
      replicas: 2,
      selector: { matchLabels: { pool: 'web' } },
      template: { metadata: { labels }, spec: { providerSpec: providerSpecOf(providerSpec), ...machine } },
      ...spec,
    },
  };
}

const stored = () => kube.get<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, NAMESPACE, 'web');

async function plan(object: unknown, ...args: readonly string[]): Promise<CliAnswer> {
  const file = join(folder, 'new.json');
  await writeFile(file, JSON.stringify(object));
  return runCli(['rollout', 'plan', '-f', file, ...args]);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-plan-'));
  const config = fileOf({ machine: { drain: { timeout: '5m' } } });
  await kube.apply(MACHINE_DEPLOYMENTS, NAMESPACE, 'web', config, { fieldManager: 'kubectl' });
  await until('its machines are there', stored, ({ status }) => status?.availableReplicas === 2, { timeoutMs: 60_000 });
}, 90_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('says of each machine what would become of it, and changes nothing', async () => {
  const [machine] = await own.machines();
  const workloads = new Workloads(NAMESPACE);
  if (machine !== undefined) await workloads.runPod(machine, 'app');
  await workloads.limit('app', 'app', 1);
  const before = await stored();
  const { stdout, stderr, code } = await plan(fileOf({ providerSpec: { instanceType: 'sim.large' } }));
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^MACHINE +NODE +REVISION +WHAT$/);
  expect(lines.slice(1, 3)).toEqual(Array(2).fill(expect.stringMatching(/^web-\S+ +\S+ +1 +replaced$/)));
  expect(lines[3]).toBe('web: 2 replaced, 0 changed in place, 0 untouched');
  expect(stdout).toContain('at most 3 machines at a time (replicas + 1)');
  expect(stdout).toContain(`PodDisruptionBudgets that allow no eviction now: ${NAMESPACE}/app`);
  const after = await stored();
  expect(after.metadata.generation).toBe(before.metadata.generation);
  expect(after.spec).toEqual(before.spec);
  await workloads.relax('app');
});

test('what a file leaves out goes where it was applied before, and reaches the machines in place', async () => {
  const { stdout } = await plan(fileOf(), '-o', 'jsonpath={.machines[*].what}');
  expect(stdout).toBe('in place in place');
  const same = await plan(fileOf({ machine: { drain: { timeout: '5m' } } }), '-o', 'jsonpath={.machines[*].what}');
  expect(same.stdout).toBe('untouched untouched');
});

test('says of one that is not there yet what would be created, which other one may be meant, and creates nothing', async () => {
  const { stdout, stderr, code } = await plan({ ...fileOf(), metadata: { name: 'wep', namespace: NAMESPACE } });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(
    `there is no MachineDeployment ${NAMESPACE}/wep; did you mean web?\nwep is new: 2 created\n`,
  );
  await expect(kube.get(MACHINE_DEPLOYMENTS, NAMESPACE, 'wep')).rejects.toMatchObject({ status: 404 });
});

test('says what is wrong with what it was given', async () => {
  const refused = await plan(fileOf({ spec: { replicas: -1 } }));
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^millwright: could not try the change of MachineDeployment cli-rollouts\/web: .*spec.replicas.*\n$/s,
  );
  const pod = await plan({ apiVersion: 'v1', kind: 'Pod' });
  expect(pod).toMatchObject({ code: 1, stderr: expect.stringContaining('the file has a Pod of v1') });
  const missing = await runCli(['rollout', 'plan', '-f', join(folder, 'none.yaml')]);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/could not read .*none.yaml: .*ENOENT/) });
  expect((await runCli(['rollout', 'plan'])).code).toBe(2);
});

test('Ctrl-C ends what follows a rollout, and not the rollout', async () => {
  await kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, 'web', {
    spec: { paused: true, template: { metadata: { annotations: { 'example.com/version': '2' } } } },
  });
  const running = startCli('-n', NAMESPACE, 'rollout', 'status', 'web');
  await until(
    'it says that it is paused',
    async () => running.stdout(),
    (text) => text.includes('it is paused'),
  );
  running.interrupt();
  expect(await running.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('is not rolled out yet; that goes on without being waited for'),
  });
  expect((await stored()).spec.paused).toBe(true);
});
