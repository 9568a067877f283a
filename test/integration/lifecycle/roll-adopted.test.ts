import { expect, test } from '@jest/globals';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { DeploymentOfMachines, isServing, progressOf } from './deployment-of-machines.ts';
import { useNamespace } from './use-namespace.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-roll-adopted';
/** Of the instances of machines that are there before a deployment wants others. */
const EARLIER = { instanceType: 'sim.large' };
useNamespace(NAMESPACE, () => {});

const deploymentOf = (name: string) => new DeploymentOfMachines(NAMESPACE, name);
const ownerOf = ({ metadata }: MachineSetObject) => controllerOf(metadata.ownerReferences)?.name;

/** A set of nobody, and its machines. */
async function setBefore(deployment: DeploymentOfMachines, providerSpec = {}): Promise<readonly string[]> {
  await deployment.createSet(`${deployment.name}-before`, { replicas: 2, providerSpec });
  const machines = await until(
    `${deployment.name}: the machines of the set serve`,
    () => deployment.machines(),
    (seen) => seen.length === 2 && seen.every(isServing),
  );
  return machines.map(({ metadata }) => metadata.uid).sort();
}

test.concurrent('one that is created over a MachineSet of its template adopts it with its machines, and rolls these like its own', async () => {
  const same = deploymentOf('same');
  const before = await setBefore(same);
  await same.create({ replicas: 2 });
  await same.untilRolledOut(1);
  expect(await same.uids()).toEqual(before);
  const [set, ...more] = await same.sets();
  expect(more).toEqual([]);
  expect(set?.metadata).toMatchObject({
    name: 'same-before',
    labels: { 'cluster.x-k8s.io/deployment-name': 'same' },
    annotations: { 'machinedeployment.clusters.x-k8s.io/revision': '1' },
  });
  expect(set && ownerOf(set)).toBe('same');
  await same.release('2');
  await same.untilRolledOut(2);
  expect(await same.versions()).toEqual(['2', '2']);
}, 120_000);

test.concurrent('one that adopts a MachineSet of another template is paused before a machine is touched, until it is told to go on', async () => {
  const other = deploymentOf('other');
  const before = await setBefore(other, EARLIER);
  await other.create({ replicas: 2 });
  const paused = await other.untilProgressing('DeploymentPaused');
  expect(paused.spec.paused).toBe(true);
  await until(
    'its status counts the machines of the set',
    () => other.read(),
    ({ status }) => status?.replicas === 2 && status.availableReplicas === 2 && status.updatedReplicas === 0,
  );
  expect((await other.sets()).map((set) => [set.metadata.name, ownerOf(set), set.spec.replicas])).toEqual([
    ['other-before', 'other', 2],
  ]);
  expect(await other.uids()).toEqual(before);
  await other.change({ paused: false });
  const seen = await other.untilRolledOut(2);
  expect(seen.status).toMatchObject({ updatedReplicas: 2, availableReplicas: 2 });
  const after = await other.uids();
  expect(after).toHaveLength(2);
  expect(after.filter((uid) => before.includes(uid))).toEqual([]);
}, 120_000);

test.concurrent('neither the set of another deployment nor that of any other controller is adopted', async () => {
  const mine = deploymentOf('mine');
  await mine.create({ replicas: 1 });
  await mine.untilRolledOut(1);
  const { metadata } = await kube.get<{ metadata: { name: string; uid: string } }>(NAMESPACES, undefined, NAMESPACE);
  const owner = { apiVersion: NAMESPACES.apiVersion, kind: NAMESPACES.kind, name: metadata.name, uid: metadata.uid };
  await mine.createSet('mine-foreign', { replicas: 0, owner: { ...owner, controller: true } });
  const late = deploymentOf('late');
  await late.create({ replicas: 1, pool: 'mine' });
  await late.untilRolledOut(1);
  const sets = await mine.sets();
  expect(sets).toHaveLength(3);
  expect(new Set(sets.map(ownerOf))).toEqual(new Set(['late', NAMESPACE, 'mine']));
  expect(sets.filter(({ spec }) => spec.replicas === 1)).toHaveLength(2);
  expect(progressOf(await mine.read())).toMatchObject({ reason: 'NewReplicaSetAvailable' });
}, 120_000);
