import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { MACHINE_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { LEASES, NAMESPACES } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const name = 'two-watchers';
const stack = getStack();
// No worker has this task queue, so that the histories hold what the watchers sent and nothing else.
const args = ['--namespace', name, '--task-queue', `${name}-nobody`];
let connection: Connection;
let client: Client;
const processes: MillwrightProcess[] = [];

beforeAll(async () => {
  connection = await Connection.connect({ address: stack.temporal.address });
  client = new Client({ connection, namespace: stack.temporal.namespace });
  await stack.kube.create(NAMESPACES, undefined, { metadata: { name } });
}, 30_000);

afterAll(async () => {
  await Promise.all(processes.map((process) => process.end()));
  const { items } = await stack.kube.list<MachineObject>(MACHINES, { namespace: name });
  for (const { metadata } of items) await stack.kube.delete(MACHINES, name, metadata.name);
  for await (const { workflowId } of client.workflow.list({ query: `ObjectNamespace = "${name}"` })) {
    await client.workflow.getHandle(workflowId).terminate('end of the test');
  }
  await connection.close();
}, 60_000);

async function startWatcher(): Promise<MillwrightProcess> {
  const watcher = await startMillwright('watcher', { args });
  processes.push(watcher);
  await watcher.ready;
  return watcher;
}

async function createMachine(machine: string): Promise<string> {
  const created = await stack.kube.create<MachineObject>(MACHINES, name, machineManifest(name, machine));
  const { apiVersion, kind, metadata } = created;
  return workflowIdOf({ apiVersion, kind, namespace: name, name: machine, uid: metadata.uid });
}

/** How often the workflow was signalled; 0 where it was not started. */
async function signalsOf(workflowId: string): Promise<number> {
  const handle = client.workflow.getHandle(workflowId);
  const history = await handle.fetchHistory().catch(() => undefined);
  return history?.events?.filter((event) => event.workflowExecutionSignaledEventAttributes != null).length ?? 0;
}

function untilSignals(workflowId: string, wanted: number): Promise<number> {
  return until(
    `${wanted} signals to ${workflowId}`,
    () => signalsOf(workflowId),
    (count) => count >= wanted,
    { timeoutMs: 30_000 },
  );
}

async function holder(): Promise<string> {
  const lease = await stack.kube.get<{ spec: { holderIdentity: string } }>(
    LEASES,
    'kube-system',
    `millwright-watcher-${name}`,
  );
  return lease.spec.holderIdentity;
}

test('of two watchers one signals, and the other takes over when it is killed', async () => {
  const first = await startWatcher();
  const second = await startWatcher();
  expect(await holder()).toContain(`_${first.pid}_`);

  const id = await createMachine('signalled');
  await untilSignals(id, 1);
  const description = await client.workflow.getHandle(id).describe();
  expect(description.searchAttributes).toMatchObject({ MachinePhase: ['Provisioning'], ObjectNamespace: [name] });

  // What Millwright itself writes wakes nobody; what a person writes does, once.
  const ours = { fieldManager: MACHINE_FIELD_MANAGER };
  await stack.kube.mergePatch(
    MACHINES,
    name,
    'signalled',
    { status: { phase: 'Provisioning' } },
    { subresource: 'status' },
  );
  const apply = (providerID: string) => stack.kube.apply(MACHINES, name, 'signalled', { spec: { providerID } }, ours);
  await apply('simulated:///z/i-none');
  await stack.kube.mergePatch(MACHINES, name, 'signalled', { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
  await untilSignals(id, 2);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await signalsOf(id)).toBe(2);
  // The same field tells whose it is: by hand it is news, and that we make it ours again is none.
  const write = (providerID: string | null) =>
    stack.kube.mergePatch(MACHINES, name, 'signalled', { spec: { providerID } });
  await write(null);
  await untilSignals(id, 3);
  await write('simulated:///z/i-other');
  await untilSignals(id, 4);
  await apply('simulated:///z/i-other');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await signalsOf(id)).toBe(4);

  await first.end('SIGKILL');
  const later = await createMachine('taken-over');
  await untilSignals(later, 1);
  expect(await holder()).toContain(`_${second.pid}_`);

  // Gone: its workflow is told, and nobody starts it again.
  await stack.kube.delete(MACHINES, name, 'taken-over');
  await untilSignals(later, 2);
}, 120_000);
