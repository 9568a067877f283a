import { expect, test } from '@jest/globals';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { instanceState, readLedger } from './cloud.ts';
import { machineManifest } from './manifests.ts';
import { readNode, unpause, type OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';

const NAMESPACE = 'lifecycle-copied';
const { kube } = getStack();
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

/** A Machine as a restore leaves it beside its original: with the original's spec and status. */
async function copy(original: string, name: string): Promise<string> {
  const { spec, status } = (await own.machine(original)) ?? {};
  const manifest = machineManifest(NAMESPACE, name, { annotations: { [PAUSED_ANNOTATION]: 'restore' } }) as {
    metadata: object;
  };
  const { metadata } = await kube.create<{ metadata: { uid: string } }>(MACHINES, NAMESPACE, {
    ...manifest,
    metadata: { ...manifest.metadata, finalizers: [FINALIZER] },
    spec,
  });
  await kube.mergePatch(MACHINES, NAMESPACE, name, { status }, { subresource: 'status' });
  return metadata.uid;
}

test('a copy of a Machine, its status and its providerID too, gets an instance of its own, and ends only that', async () => {
  await own.createMachine('original');
  const original = await own.untilPhase('original', 'Running');
  const id = original.status?.providerStatus?.instanceId ?? '';
  const uid = await copy('original', 'copy');
  await unpause(own, 'copy');
  const up = await own.untilMachine(
    'copy',
    (m) => m.status?.phase === 'Running' && m.status.providerStatus?.instanceId !== id,
    'runs on an instance of its own',
  );
  const its = up.status?.providerStatus?.instanceId ?? '';
  expect((await readLedger(uid)).instances.map((instance) => instance.id)).toEqual([its]);
  expect(up.status?.nodeRef?.name).not.toBe(original.status?.nodeRef?.name);
  const { items } = await kube.list<{ reason: string; involvedObject: { name: string } }>(EVENTS, {
    namespace: NAMESPACE,
  });
  expect(items.filter(({ reason }) => reason === 'CopiedStatus')).toMatchObject([{ involvedObject: { name: 'copy' } }]);
  await own.removeMachine('copy');
  expect([await instanceState(its), await instanceState(id)]).toEqual(['terminated', 'running']);
  expect(await readNode(original.status?.nodeRef?.name ?? '')).toBeDefined();
}, 120_000);

test('a copy that is deleted as it came ends nothing', async () => {
  await own.createMachine('first');
  const first = await own.untilPhase('first', 'Running');
  await copy('first', 'second');
  await own.deleteMachine('second');
  await unpause(own, 'second');
  await own.untilMachines('the copy is gone', (machines) =>
    machines.every(({ metadata }) => metadata.name !== 'second'),
  );
  expect(await instanceState(first.status?.providerStatus?.instanceId ?? '')).toBe('running');
  expect(await readNode(first.status?.nodeRef?.name ?? '')).toBeDefined();
}, 120_000);
