import { Client, Connection } from '@temporalio/client';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { behave } from '../lifecycle/cloud.ts';
import { DeploymentOfMachines, progressOf } from '../lifecycle/deployment-of-machines.ts';
import { until } from '../until.ts';
import type { OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';

const PREFIX = 'sim.observed-';

/** Instance types of the simulated cloud, each with a trouble of its own. */
const TROUBLES = {
  'sim.observed-quota': { quota: 0 },
  'sim.observed-no-node': { joins: false },
  'sim.observed-denied': { failures: [{ action: 'launch', code: 'UnauthorizedOperation', times: 2 }] },
  'sim.observed-throttled': { throttling: { actions: ['launch'], next: 1 } },
  'sim.observed-no-end': { failures: [{ action: 'terminate', code: 'InternalError', times: 3 }], terminateMs: 60_000 },
} as const;

/** One machine in each state and with each trouble that an alert or a panel tells of, beside healthy ones. */
export async function bringUpTroubledFleet(own: OwnNamespace): Promise<void> {
  for (const [type, behaviour] of Object.entries(TROUBLES)) await behave(type, behaviour);
  await own.createMachineSet('healthy', { replicas: 2 });
  await createCheck(own.name);
  const rolled = new DeploymentOfMachines(own.name, 'rolled');
  await rolled.create({ replicas: 1, providerSpec: { instanceType: 'sim.observed-quota' } });
  for (const type of Object.keys(TROUBLES)) {
    await own.createMachine(type.slice(PREFIX.length), { providerSpec: { instanceType: type } });
  }
  await own.untilPhase('no-end', 'Running');
  await own.deleteMachine('no-end');
  await startUnknownWorkflow(own.name);
  await own.untilPhase('throttled', 'Running');
  await own.untilPhase('no-node', 'Provisioned');
  await own.untilMachine('quota', (m) => m.status?.waiting?.reason === 'InstanceLimitExceeded', 'waits for its quota');
  await own.untilMachine('denied', (m) => m.status?.waiting !== undefined, 'waits for a permission');
  await own.untilPhase('no-end', 'Deleting');
  await until(
    'a rollout waits for capacity',
    () => rolled.read(),
    (seen) => progressOf(seen)?.reason === 'WaitingForCapacity',
  );
  await own.untilMachineSet('healthy', ({ status }) => status?.availableReplicas === 2, 'all available');
}

/** A health check has series of its own, also while all is well. */
async function createCheck(namespace: string): Promise<void> {
  const { apiVersion, kind } = MACHINE_HEALTH_CHECKS;
  const spec = { selector: { matchLabels: { set: 'healthy' } } };
  await getStack().kube.create(MACHINE_HEALTH_CHECKS, namespace, {
    apiVersion,
    kind,
    metadata: { name: 'healthy' },
    spec,
  });
}

/** So that the machine that takes its time to go does not hold up the end of the test. */
export async function endTroubles(): Promise<void> {
  for (const type of Object.keys(TROUBLES)) await behave(type, {});
}

/** A workflow that no worker knows: its tasks fail, as those of one whose history does not fit the code. */
async function startUnknownWorkflow(taskQueue: string): Promise<void> {
  const { temporal } = getStack();
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    await client.workflow.start('unknown', {
      taskQueue,
      workflowId: `unknown-${taskQueue}`,
      workflowExecutionTimeout: '2m',
    });
  } finally {
    await connection.close();
  }
}
