import { expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { resourcePath } from '../../../k8s/resources.ts';
import { rawRequest } from '../api/raw-request.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import type { OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';

const { kube, kubeconfig } = getStack();
const NAMESPACE = 'lifecycle-autoscaler';
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const livingNames = async () =>
  (await own.machines()).filter((m) => m.metadata.deletionTimestamp === undefined).map((m) => m.metadata.name);

/** As cluster-autoscaler takes one Machine away: reads and writes the whole Machine, then reads and lowers the scale. */
async function takeAway(set: string, name: string): Promise<void> {
  const path = resourcePath(MACHINES, NAMESPACE, name);
  for (let isWritten = false; !isWritten;) {
    const machine = await kube.get<MachineObject>(MACHINES, NAMESPACE, name);
    const annotations = { ...machine.metadata.annotations, [DELETE_MACHINE_ANNOTATION]: new Date().toString() };
    const body = { ...machine, metadata: { ...machine.metadata, annotations } };
    const { status } = await rawRequest(kubeconfig, path, { method: 'PUT', body });
    if (status !== 200 && status !== 409) throw new Error(`PUT ${path}: ${status}`);
    isWritten = status === 200;
  }
  const { body } = await rawRequest(kubeconfig, resourcePath(MACHINE_SETS, NAMESPACE, set, 'scale'));
  const { replicas } = (body as { spec: { replicas: number } }).spec;
  await kube.mergePatch(MACHINE_SETS, NAMESPACE, set, { spec: { replicas: replicas - 1 } }, { subresource: 'scale' });
}

test('of a set that the autoscaler shrinks, one machine right after the other, exactly the marked ones go', async () => {
  // By age the set would choose others: the last that were made.
  await own.createMachineSet('pool', { replicas: 14, set: { deletePolicy: 'Newest' } });
  await own.untilMachineSet('pool', (s) => s.status?.readyReplicas === 14, '14 ready', { timeoutMs: 60_000 });
  for (const count of [2, 3, 4]) {
    const before = (await livingNames()).sort();
    const victims = before.slice(1, 1 + count);
    for (const name of victims) await takeAway('pool', name);
    await until(`${count} are gone`, livingNames, (living) => living.length <= before.length - count, { everyMs: 50 });
    expect((await livingNames()).sort()).toEqual(before.filter((name) => !victims.includes(name)));
  }
}, 150_000);
