import { expect, test } from '@jest/globals';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { isReady } from '../../../k8s/model/node.ts';
import { runCli } from '../cli/run-cli.ts';
import { conditionOf, readNode } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { useEc2Namespace, type Ec2Namespace } from './use-ec2-namespace.ts';

const NAMESPACE = 'aws-reboot';
/** As the stack has it: from then on Kubernetes says that a silent Node cannot be asked. */
const NODE_GRACE_MS = 15_000;
let opened: Ec2Namespace;
useEc2Namespace(NAMESPACE, (given) => (opened = given));

test('a health check has an instance of EC2 rebooted, by one RebootInstances', async () => {
  const { ec2, own } = opened;
  await own.createMachine('hangs', { labels: { checked: 'true' }, providerSpec: ec2.providerSpec });
  const machine = await own.untilPhase('hangs', 'Running', { timeoutMs: 90_000 });
  const node = machine.status?.nodeRef?.name ?? '';
  const before = (await readNode(node))?.status?.nodeInfo?.bootID;
  await getStack().kube.create(MACHINE_HEALTH_CHECKS, NAMESPACE, {
    apiVersion: MACHINE_HEALTH_CHECKS.apiVersion,
    kind: MACHINE_HEALTH_CHECKS.kind,
    metadata: { name: 'reboots' },
    spec: {
      selector: { matchLabels: { checked: 'true' } },
      unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '2s' }],
      remediation: { steps: [{ action: 'Reboot' }] },
    },
  });
  await runCli(['dev', 'stop-kubelet', node]);
  await own.untilMachine('hangs', (seen) => conditionOf(seen, 'Rebooted')?.status === 'True', 'it was rebooted', {
    timeoutMs: NODE_GRACE_MS + 60_000,
  });
  const after = await readNode(node);
  expect([after !== undefined && isReady(after), after?.status?.nodeInfo?.bootID === before]).toEqual([true, false]);
  const { counts, instances } = await ec2.ledger(machine.metadata.uid);
  expect([counts['RebootInstances'], instances.length]).toEqual([1, 1]);
}, 240_000);
