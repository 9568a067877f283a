import { expect, test } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { aMachine } from '../builders/a-machine.ts';
import { ApiServer } from './api-server.ts';

const NS = 'default';

/** Answers the words of the refusal; undefined: it was taken. */
function ofMachine(spec: Parameters<typeof aMachine>[0] = {}) {
  const server = new ApiServer();
  server.put(aMachine(spec));
  return async (patch: object, part: 'spec' | 'metadata' | 'status' = 'spec') => {
    const options = part === 'status' ? { subresource: 'status' as const } : {};
    try {
      await server.client.mergePatch(MACHINES, NS, 'm', { [part]: patch }, options);
      return undefined;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return `${error.status} ${error.reason}: ${error.message}`;
    }
  };
}

test('a policy for the deletion is what anybody likes while nothing is under way', async () => {
  const write = ofMachine({ spec: { deletionPolicy: 'forced', delete: false } });
  expect(await write({ deletionPolicy: 'graceful' })).toBeUndefined();
  expect(await write({ deletionPolicy: 'unsafe', delete: true })).toBeUndefined();
  expect(await write({ deletionPolicy: 'graceful', delete: false })).toBeUndefined();
});

test.each([
  ['by the deletion of the Machine', { deleting: true }],
  ['by spec.delete', { spec: { delete: true } }],
])('while it goes, %s, it is only lowered', async (_how, facts) => {
  const write = ofMachine(facts);
  expect(await write({ deletionPolicy: 'unsafe' })).toBeUndefined();
  expect(await write({ deletionPolicy: 'graceful' })).toBe(
    "422 Invalid: machines.machine.openshift.io \"m\" is forbidden: ValidatingAdmissionPolicy 'machine-deletion-policy.millwright.dev' with binding 'machine-deletion-policy.millwright.dev' denied request: spec.deletionPolicy cannot be changed from unsafe to graceful while the deletion is under way: it may only be lowered, from graceful to unsafe to forced",
  );
  expect(await write({ deletionPolicy: null })).toMatch(/from unsafe to graceful/);
  expect(await write({ deletionPolicy: 'forced' })).toBeUndefined();
  expect(await write({ deletionPolicy: 'unsafe' })).toMatch(/from forced to unsafe/);
  expect(await write({ labels: { x: '1' } }, 'metadata')).toBeUndefined();
  expect(await write({ phase: 'Deleting' }, 'status')).toBeUndefined();
});
