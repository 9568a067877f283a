import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { readClusterUid } from '../../../k8s/cluster.ts';
import { inventoryWorkflowId } from '../../../workflows/ids.ts';
import { getStack } from '../stack.ts';
import { readLedger, terminateByHand } from './cloud.ts';
import { conditionOf, openNamespace, type OwnNamespace } from './own-namespace.ts';
import { releaseInventory, type ReleasedInventory } from '../scale/released-inventory.ts';

const { temporal, kube } = getStack();
let inventory: ReleasedInventory;
let own: OwnNamespace;

beforeAll(async () => {
  inventory = await releaseInventory();
  own = await openNamespace('lifecycle-gone', { workerArgs: ['--inventory-interval', '2'] });
}, 120_000);

afterAll(async () => {
  await inventory.hold();
  await own.end();
}, 120_000);

test('an instance that somebody terminated makes its machine Failed, and nothing is launched in its place', async () => {
  const { metadata } = await own.createMachine('terminated');
  await own.createMachine('bystander');
  const up = await own.untilMachine(
    'terminated',
    (m) => m.status?.phase === 'Running' && m.status.providerStatus?.instanceState === 'running',
    'runs',
  );
  await own.untilPhase('bystander', 'Running');
  const id = up.status?.providerStatus?.instanceId ?? '';
  await terminateByHand(id);
  const failed = await own.untilPhase('terminated', 'Failed', { timeoutMs: 20_000 });
  expect(failed.status).toMatchObject({
    errorReason: 'UpdateError',
    errorMessage: expect.stringMatching(new RegExp(`instance ${id} is gone: the cloud reports it as`)),
    // As the cloud reported it at that look.
    providerStatus: { instanceState: expect.stringMatching(/^(shutting-down|terminated)$/) },
  });
  expect(conditionOf(failed, 'InstanceExists')).toMatchObject({ status: 'False', reason: 'InstanceMissing' });
  expect((await readLedger(metadata.uid)).instances).toHaveLength(1);
  expect((await own.machine('bystander'))?.status?.phase).toBe('Running');
  await own.removeMachine('terminated');
}, 90_000);

test('the inventory tells what it saw on its page', async () => {
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    const description = await client.workflow.getHandle(inventoryWorkflowId(await readClusterUid(kube))).describe();
    expect(description.status.name).toBe('RUNNING');
    expect(description.taskQueue).toBe('lifecycle-gone');
  } finally {
    await connection.close();
  }
}, 30_000);
