import { expect, test } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { failureOf, machineWorld, TARGET } from '../test/world/one-machine.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import { createDeleteMachine } from './delete-machine.ts';
import { createMachineDeps } from './deps.ts';

const HOOK = { lifecycleHooks: { preTerminate: [{ name: 'Copy', owner: 'the archive' }] } };

/** A Machine of this spec; somebody changes it right before the call comes to it. */
function deletion(spec: object, change?: object) {
  const it = machineWorld();
  it.put({ spec: { delete: true, ...spec } });
  if (change !== undefined) {
    it.next('delete', async () => {
      await it.kube.others.mergePatch(MACHINES, 'default', 'm', { spec: change });
    });
  }
  return {
    it,
    ended: (told = {}) => createDeleteMachine(createMachineDeps(it.world.deps)).deleteMachine({ ...TARGET, ...told }),
  };
}

test('a Machine that is prepared for its end is deleted in the version that was seen', async () => {
  const { it, ended } = deletion({});
  const { uid, resourceVersion } = it.stored()?.metadata ?? {};
  await expect(ended()).resolves.toEqual({ outcome: 'done' });
  const request = it.world.requests.find(({ verb }) => verb === 'delete');
  expect(request).toMatchObject({ name: 'm' });
  expect(JSON.stringify(request)).toContain(`"resourceVersion":"${resourceVersion}"`);
  expect(JSON.stringify(request)).toContain(`"uid":"${uid}"`);
});

test.each([
  ['an abort', { delete: false }],
  ['a hook', HOOK],
])('%s that comes between the look and the call wins', async (_what, change) => {
  const { it, ended } = deletion({}, change);
  expect(await failureOf(ended())).toBe(OBJECT_CHANGED);
  expect(it.stored()?.metadata.deletionTimestamp).toBeUndefined();
});

test('one whose deletion was aborted, or that a hook holds, is not deleted, but by a forced deletion', async () => {
  expect(await failureOf(deletion({ delete: false }).ended())).toBe(OBJECT_CHANGED);
  expect(await failureOf(deletion(HOOK).ended())).toBe(OBJECT_CHANGED);
  await expect(deletion({ ...HOOK, deletionPolicy: 'forced' }).ended()).resolves.toEqual({ outcome: 'done' });
});

test('one that has no termination to hold is deleted whatever hooks it has, unless that was aborted', async () => {
  await expect(deletion(HOOK).ended({ hasNoTermination: true })).resolves.toEqual({ outcome: 'done' });
  expect(await failureOf(deletion({ ...HOOK, delete: false }).ended({ hasNoTermination: true }))).toBe(OBJECT_CHANGED);
});
