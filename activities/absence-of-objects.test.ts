import { expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError, NOT_SERVED } from '../k8s/kube-error.ts';
import { MACHINES } from '../k8s/resources.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { ActivityDeps } from './deps.ts';
import { LaunchesFirst } from './launches-first.ts';
import { createMachineActivities } from './machines.ts';

const { apiVersion, kind } = MACHINES;
const target = { ref: { apiVersion, kind, namespace: 'ns', name: 'm', uid: 'u' }, cluster: 'uid' };

/** Of a worker whose API server answers everything with a 404. */
function activitiesWhere(reason: string) {
  const fail = async (): Promise<never> => {
    throw new KubeError(404, reason, 'nothing there');
  };
  const kube = { get: fail, apply: fail } as unknown as KubeClient;
  const deps = { kube, cluster: 'uid', providers: createProviderRegistry([]) } as unknown as ActivityDeps;
  return createMachineActivities(deps, new LaunchesFirst(), async () => []);
}

test('a Machine is gone where the API server says so', async () => {
  const activities = activitiesWhere('NotFound');
  expect(await activities.observeMachine(target)).toEqual({ found: false });
  const writing = activities.writeMachineStatus({ ...target, status: { addresses: [], conditions: [] } });
  await expect(writing).rejects.toMatchObject({ type: OBJECT_CHANGED, nonRetryable: true });
});

test('a Machine is looked for again, and not taken for gone, while its kind is not served or a proxy answers', async () => {
  const activities = activitiesWhere(NOT_SERVED);
  await expect(activities.observeMachine(target)).rejects.toMatchObject({ reason: NOT_SERVED });
  const writing = activities.writeMachineStatus({ ...target, status: { addresses: [], conditions: [] } });
  await expect(writing).rejects.toMatchObject({ reason: NOT_SERVED });
});
