import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { CLUSTER_RULES } from '../../../k8s/dialects/openshift/health-check-kind.ts';
import type { Condition } from '../../../k8s/model/condition.ts';
import { isReady } from '../../../k8s/model/node.ts';
import { CONFIG_MAPS, type Resource } from '../../../k8s/resources.ts';
import { runCli } from '../cli/run-cli.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { instanceState, readLedger } from './cloud.ts';
import { openNamespace, readNode, type OwnNamespace } from './own-namespace.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-heal';
/** As the stack has it: from then on Kubernetes says that a silent Node cannot be asked. */
const NODE_GRACE_MS = 15_000;
const TIMEOUT_MS = 5000;
/** The old instance ends, and a new Node joins. */
const REPLACED_MS = 30_000;
const SEEDS: Resource = {
  apiVersion: 'healthchecking.openshift.io/v1alpha1',
  kind: 'MachineHealthCheck',
  plural: 'machinehealthchecks',
  namespaced: true,
};
const CHECKS: Resource = { ...SEEDS, apiVersion: 'machine.openshift.io/v1beta1' };
/** As the Machine API Operator's README has it, and so have its users. */
const SEED = `
apiVersion: healthchecking.openshift.io/v1alpha1
kind: MachineHealthCheck
metadata:
  name: example
  namespace: default
spec:
  selector:
    matchLabels:
      machine.openshift.io/cluster-api-cluster: cluster
      machine.openshift.io/cluster-api-machine-role: worker
      machine.openshift.io/cluster-api-machine-type: worker
      machine.openshift.io/cluster-api-machineset: cluster-worker-us-east-1a
`;
let own: OwnNamespace;

interface Check {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly selector: { readonly matchLabels: Readonly<Record<string, string>> } };
  readonly status?: {
    readonly expectedMachines?: number;
    readonly currentHealthy?: number;
    readonly conditions?: readonly Condition[];
    readonly unhealthyMachines?: readonly { readonly name: string; readonly next: string }[];
  };
}

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
}, 120_000);

afterAll(async () => {
  await unlessGone(kube.delete(CONFIG_MAPS, CLUSTER_RULES.namespace, CLUSTER_RULES.name));
  await own.end();
}, 120_000);

async function writeRules(text: string): Promise<void> {
  const metadata = { name: CLUSTER_RULES.name, namespace: CLUSTER_RULES.namespace };
  const body = { metadata, data: { [CLUSTER_RULES.key]: text } };
  await kube.apply(CONFIG_MAPS, CLUSTER_RULES.namespace, CLUSTER_RULES.name, body, { fieldManager: 'test' });
}

const nodeOf = (machine: MachineObject): string => machine.status?.nodeRef?.name ?? '';
const instanceOf = (machine: MachineObject): string => machine.status?.providerStatus?.instanceId ?? '';
const untilCheck = (kind: Resource, name: string, what: string, isIt: (seen: Check) => boolean, timeoutMs = 20_000) =>
  until(what, () => kube.get<Check>(kind, NAMESPACE, name), isIt, { timeoutMs });

test('the machine of a stopped kubelet is replaced, by the words of the Machine API Operator', async () => {
  const seed = parse(SEED) as Check;
  const labels = seed.spec.selector.matchLabels;
  const set = labels['machine.openshift.io/cluster-api-machineset'] ?? '';
  await own.createMachineSet(set, { replicas: 3, labels, annotations: {} });
  await own.untilMachineSet(set, (s) => s.status?.availableReplicas === 3, '3 available');
  await writeRules(`items:\n- name: Ready\n  timeout: ${TIMEOUT_MS / 1000}s\n  status: Unknown\n`);
  await kube.create(SEEDS, NAMESPACE, { ...seed, metadata: { ...seed.metadata, namespace: NAMESPACE } });
  await untilCheck(SEEDS, seed.metadata.name, 'it counts them', ({ status }) => status?.currentHealthy === 3);
  const before = await own.machines();
  const [victim] = before;
  if (victim === undefined) throw new Error('there is no machine');

  const answer = await runCli(['dev', 'stop-kubelet', nodeOf(victim)]);
  expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining(`Node ${nodeOf(victim)} is stopped`) });
  await untilCheck(
    SEEDS,
    seed.metadata.name,
    'it says which is unhealthy',
    ({ status }) => status?.unhealthyMachines?.[0]?.name === victim.metadata.name,
    NODE_GRACE_MS + 10_000,
  );
  const after = await own.untilMachines(
    'it is replaced',
    (seen) =>
      seen.length === 3 &&
      seen.every(({ metadata, status }) => metadata.uid !== victim.metadata.uid && status?.phase === 'Running'),
    { timeoutMs: NODE_GRACE_MS + TIMEOUT_MS + REPLACED_MS },
  );
  // "Watch the logs to see how it notices a node in NotReady state and starts to reconcile the node."
  const log = await readFile(own.worker.log, 'utf8');
  expect(log).toContain(
    `Machine ${victim.metadata.name} is not healthy: Ready of its Node ${nodeOf(victim)} is Unknown`,
  );
  expect(log).toMatch(new RegExp(`${victim.metadata.name}.*is remediated`));
  expect(await instanceState(instanceOf(victim))).toBe('terminated');
  expect(await readNode(nodeOf(victim))).toBeUndefined();
  const others = before.filter(({ metadata }) => metadata.uid !== victim.metadata.uid);
  for (const { metadata } of others) expect(after.map((machine) => machine.metadata.uid)).toContain(metadata.uid);
  const [fresh] = after.filter(({ metadata }) => !before.some((machine) => machine.metadata.uid === metadata.uid));
  if (fresh === undefined) throw new Error('there is no new machine');
  const node = await readNode(nodeOf(fresh));
  expect(node !== undefined && isReady(node)).toBe(true);
  for (const { metadata } of after) expect((await readLedger(metadata.uid)).instances).toHaveLength(1);
  const healed = await untilCheck(
    SEEDS,
    seed.metadata.name,
    'all are well',
    ({ status }) => status?.currentHealthy === 3,
  );
  expect(healed.status?.unhealthyMachines ?? []).toEqual([]);
}, 180_000);

test('rules that cannot be read leave the last ones in force, and say so', async () => {
  await writeRules('items: [{name: Ready, timeout: 5 minutes, status: Unknown}]');
  const seen = await untilCheck(SEEDS, 'example', 'it says so', ({ status }) =>
    (status?.conditions ?? []).some(({ type, status: says }) => type === 'RulesValid' && says === 'False'),
  );
  expect(seen.status?.conditions?.find(({ type }) => type === 'RulesValid')?.message).toContain('5 minutes');
}, 60_000);

test('a machine that nobody would replace is reported, and stays', async () => {
  await own.createMachine('alone', { labels: { alone: 'true' } });
  const machine = await own.untilPhase('alone', 'Running');
  await kube.create(CHECKS, NAMESPACE, {
    apiVersion: CHECKS.apiVersion,
    kind: CHECKS.kind,
    metadata: { name: 'alone' },
    spec: {
      selector: { matchLabels: { alone: 'true' } },
      unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '1s' }],
    },
  });
  await runCli(['dev', 'stop-kubelet', nodeOf(machine)]);
  const seen = await untilCheck(
    CHECKS,
    'alone',
    'it says why nothing is done',
    ({ status }) => status?.unhealthyMachines?.[0]?.next.includes('controller') === true,
    NODE_GRACE_MS + 10_000,
  );
  expect(seen.status).toMatchObject({ expectedMachines: 1, currentHealthy: 0 });
  expect((await own.machine('alone'))?.metadata.deletionTimestamp).toBeUndefined();
  await runCli(['dev', 'start-kubelet', nodeOf(machine)]);
  await untilCheck(CHECKS, 'alone', 'it is well again', ({ status }) => status?.currentHealthy === 1);
}, 90_000);
