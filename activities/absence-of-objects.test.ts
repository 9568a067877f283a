import { APIS } from '../k8s/dialects/registry.ts';
import { expect, test } from '@jest/globals';
import { NOT_SERVED } from '../k8s/kube-error.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { systemClock } from '../providers/clock.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import { createMachineDeps, type ActivityDeps } from './deps.ts';
import { createMachineActivities } from './machines.ts';

const target = { ref: refOf(aMachine()), clusterUid: 'uid' };
const status = { addresses: [], conditions: [] };

/** An API server, and the activities of a worker of its cluster. */
function world() {
  const server = new ApiServer();
  const deps = {
    kube: server.client,
    clusterUid: 'uid',
    apis: APIS,
    providers: createProviderRegistry([]),
    clock: systemClock,
  } as unknown as ActivityDeps;
  return { server, activities: createMachineActivities(createMachineDeps(deps)) };
}

test('a Machine is gone where the API server says so', async () => {
  const { activities } = world();
  expect(await activities.observeMachine(target)).toEqual({ found: false });
  const writing = activities.writeMachineStatus({ ...target, status, events: [] });
  await expect(writing).rejects.toMatchObject({ type: OBJECT_CHANGED, nonRetryable: true });
});

test('a Machine is looked for again, and not taken for gone, while its kind is not served or a proxy answers', async () => {
  const { server, activities } = world();
  server.put(aMachine());
  server.withdraw(MACHINES);
  await expect(activities.observeMachine(target)).rejects.toMatchObject({ reason: NOT_SERVED });
  const writing = activities.writeMachineStatus({ ...target, status, events: [] });
  await expect(writing).rejects.toMatchObject({ reason: NOT_SERVED });
});
