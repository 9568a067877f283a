import { expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { isReady } from '../../../k8s/model/node.ts';
import { REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import { NODES } from '../../../k8s/resources.ts';
import { runCli } from '../cli/run-cli.ts';
import { getStack } from '../stack.ts';
import { readLedger } from './cloud.ts';
import { conditionOf, readNode, type OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';
import { Workloads } from './workloads.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-heal-by-reboot';
/** As the stack has it: from then on Kubernetes says that a silent Node cannot be asked. */
const NODE_GRACE_MS = 15_000;
/** Nothing is bad for a minute, and what was sent before takes effect no more. */
const VERDICT_MS = 120_000;
const workloads = new Workloads(NAMESPACE);
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const nodeOf = ({ status }: MachineObject): string => status?.nodeRef?.name ?? '';
const rebootsOf = async ({ metadata }: MachineObject) =>
  (await readLedger(metadata.uid)).calls.filter(({ action }) => action === 'reboot');

async function runChecked(name: string, unhealthyConditions: readonly object[]): Promise<MachineObject> {
  await own.createMachine(name, { labels: { checked: name } });
  const machine = await own.untilPhase(name, 'Running');
  await kube.create(MACHINE_HEALTH_CHECKS, NAMESPACE, {
    apiVersion: MACHINE_HEALTH_CHECKS.apiVersion,
    kind: MACHINE_HEALTH_CHECKS.kind,
    metadata: { name },
    spec: {
      selector: { matchLabels: { checked: name } },
      unhealthyConditions,
      remediation: { steps: [{ action: 'Reboot' }, { action: 'Replace' }] },
    },
  });
  return machine;
}

const untilOver = (name: string) =>
  own.untilMachine(
    name,
    ({ metadata, status }) =>
      [REMEDIATED_BY_ANNOTATION, REBOOT_ANNOTATION].every((key) => metadata.annotations?.[key] === undefined) &&
      status?.conditions?.every(({ type }) => type !== 'Rebooted') === true,
    'its remediation is over',
    { timeoutMs: VERDICT_MS },
  );

// Both mostly wait: a reboot has helped when nothing is bad for a minute.

test.concurrent('a machine whose kubelet hangs is rebooted, and stays', async () => {
  const machine = await runChecked('hangs', [{ type: 'Ready', status: 'Unknown', timeout: '2s' }]);
  const before = (await readNode(nodeOf(machine)))?.status?.nodeInfo?.bootID;
  await runCli(['dev', 'stop-kubelet', nodeOf(machine)]);
  await own.untilMachine(
    'hangs',
    ({ status }) => status?.conditions?.some((one) => one.type === 'Rebooted' && one.status === 'True') === true,
    'it was rebooted',
    { timeoutMs: NODE_GRACE_MS + 40_000 },
  );
  const node = await readNode(nodeOf(machine));
  expect([node !== undefined && isReady(node), node?.status?.nodeInfo?.bootID === before]).toEqual([true, false]);
  const after = await untilOver('hangs');
  expect(after.metadata.uid).toBe(machine.metadata.uid);
  expect(await rebootsOf(machine)).toHaveLength(1);
}, 240_000);

test.concurrent('one whose Node is Ready, and sick, is drained first, and takes pods again afterwards', async () => {
  const machine = await runChecked('sick', [{ type: 'GPUHealthy', status: 'False', timeout: '1s' }]);
  await workloads.runPod(machine, 'web', { tolerations: [] });
  const say = (status: 'True' | 'False') => {
    const condition = { type: 'GPUHealthy', status, reason: 'Test', lastTransitionTime: new Date().toISOString() };
    const options = { fieldManager: 'gpu-agent', subresource: 'status' } as const;
    return kube.apply(NODES, undefined, nodeOf(machine), { status: { conditions: [condition] } }, options);
  };
  await say('False');
  await own.untilMachine('sick', (seen) => conditionOf(seen, 'Rebooted')?.status === 'True', 'it was rebooted', {
    timeoutMs: 60_000,
  });
  expect(await workloads.pod('web-1')).toBeUndefined();
  expect((await readNode(nodeOf(machine)))?.spec?.unschedulable).toBe(true);
  await say('True');
  await untilOver('sick');
  expect((await readNode(nodeOf(machine)))?.spec?.unschedulable).not.toBe(true);
  expect(await rebootsOf(machine)).toHaveLength(1);
}, 240_000);
