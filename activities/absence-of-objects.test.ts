import { expect, test } from '@jest/globals';
import { NOT_SERVED } from '../k8s/kube-error.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID, World } from '../test/world/world.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';

const target = { ref: refOf(aMachine()), clusterUid: CLUSTER_UID };
const status = { addresses: [], conditions: [] };

test('a Machine is gone where the API server says so', async () => {
  const { activities } = new World(ownClock());
  expect(await activities.observeMachine(target)).toEqual({ found: false });
  const writing = activities.writeMachineStatus({ ...target, status, events: [] });
  await expect(writing).rejects.toMatchObject({ type: OBJECT_CHANGED, nonRetryable: true });
});

test('a Machine is looked for again, and not taken for gone, while its kind is not served or a proxy answers', async () => {
  const { kube, activities } = new World(ownClock());
  kube.put(aMachine());
  kube.withdraw(MACHINES);
  await expect(activities.observeMachine(target)).rejects.toMatchObject({ reason: NOT_SERVED });
  const writing = activities.writeMachineStatus({ ...target, status, events: [] });
  await expect(writing).rejects.toMatchObject({ reason: NOT_SERVED });
});
