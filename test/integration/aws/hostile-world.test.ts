import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { EC2_REGION } from '../../../devstack/stack/processes/aws-environment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NODES, SECRETS } from '../../../k8s/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { refOf } from '../../../k8s/dialects/kind.ts';
import { DeploymentOfMachines, progressOf } from '../lifecycle/deployment-of-machines.ts';
import { conditionOf, pause, unpause, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { releaseInventory, type ReleasedInventory } from '../scale/released-inventory.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { EC2_PROVIDER_SPEC } from './ec2-provider-spec.ts';
import type { OwnEc2 } from './own-ec2.ts';
import { useEc2Namespace } from './use-ec2-namespace.ts';

const NAMESPACE = 'aws-hostile';
const { kube, temporal } = getStack();
const PATIENCE = { timeoutMs: 60_000 };

let inventory: ReleasedInventory;
let ec2: OwnEc2;
let own: OwnNamespace;

beforeAll(async () => {
  inventory = await releaseInventory();
}, 30_000);
afterAll(() => inventory?.hold(), 30_000);
useEc2Namespace(NAMESPACE, (opened) => ({ ec2, own } = opened), {
  workerArgs: ['--inventory-interval', '3', '--call-timeout', '6', '--heartbeat', '2'],
});

const spec = (changes: Readonly<Record<string, unknown>> = {}) => ({
  providerSpec: { ...ec2.providerSpec, ...changes },
});
const create = (name: string, changes?: Readonly<Record<string, unknown>>) => own.createMachine(name, spec(changes));
const isAtRest = (m: MachineObject) =>
  m.status?.phase === 'Running' && m.status.providerStatus?.instanceState === 'running';
const instanceOf = (m: MachineObject) => m.status?.providerStatus?.instanceId ?? '';

async function atRest(name: string): Promise<MachineObject> {
  return own.untilMachine(name, isAtRest, 'runs and is at rest', PATIENCE);
}

/** Every instance that was ever made for the Machine. */
async function instancesOf({ metadata }: MachineObject) {
  return (await ec2.ledger(metadata.uid)).instances;
}

// One machine each, at the same time: they mostly wait. The one that waits longest comes first.

it.concurrent('a launch whose answer is lost is adopted, not doubled, where its attempt followed a refused one and Temporal forgot everything', async () => {
  await ec2.behave('m5.2xlarge', {
    failures: [
      { action: 'launch', code: 'InsufficientInstanceCapacity', times: 1 },
      { action: 'launch', when: 'after', answer: 'hang', times: 1 },
    ],
  });
  const created = await create('forgotten', { instanceType: 'm5.2xlarge' });
  await until(
    'the second attempt made an instance',
    () => instancesOf(created),
    (made) => made.length === 1,
    {
      timeoutMs: 120_000,
    },
  );
  await forgetWorkflow(created);
  const up = await own.untilPhase('forgotten', 'Running', { timeoutMs: 120_000 });
  expect(up.status?.providerStatus?.launch?.attempt).toBe(2);
  expect((await instancesOf(up)).map(({ id }) => id)).toEqual([instanceOf(up)]);
}, 300_000);

/** What a loss of Temporal's database comes to for one machine: no workflow, and one without a past when it is woken. */
async function forgetWorkflow(machine: MachineObject): Promise<void> {
  const connection = await Connection.connect({ address: temporal.address });
  const { workflow } = new Client({ connection, namespace: temporal.namespace });
  await workflow.getHandle(workflowIdOf(refOf(machine))).terminate('forgotten');
  await connection.close();
  await own.patchMachine(machine.metadata.name, { metadata: { annotations: { woken: 'yes' } } });
}

it.concurrent('a Machine without any record, of which Temporal knows nothing either, gets the instance that it had', async () => {
  await create('restored');
  const up = await atRest('restored');
  await pause(own, 'restored');
  await own.untilMachine('restored', (m) => conditionOf(m, 'Paused')?.status === 'True', 'is paused', PATIENCE);
  await forgetWorkflow(up);
  await own.patchMachine('restored', { spec: { providerID: null } });
  await kube.mergePatch(MACHINES, NAMESPACE, 'restored', { status: null }, { subresource: 'status' });
  await unpause(own, 'restored');
  const again = await atRest('restored');
  expect(instanceOf(again)).toBe(instanceOf(up));
  expect(await instancesOf(up)).toHaveLength(1);
  const { calls } = await ec2.ledger(up.metadata.uid);
  expect(calls.filter(({ action }) => action === 'launch')).toHaveLength(1);
}, 150_000);

it.concurrent('credentials that lead to another account are no absence: nothing is acted on, and a deletion waits for the right ones', async () => {
  const name = 'moving-credentials';
  const home = { aws_access_key_id: 'AKIA', aws_secret_access_key: 'x' };
  await kube.create(SECRETS, NAMESPACE, { metadata: { name }, stringData: home });
  await create('moved', { credentialsSecret: { name } });
  const up = await atRest('moved');
  const away = await credentialsOf('222222222222');
  await kube.mergePatch(SECRETS, NAMESPACE, name, { stringData: away });
  const isTold = (m: MachineObject) => m.status?.waiting?.reason === 'AccountChanged';
  const told = await own.untilMachine('moved', isTold, 'is told', PATIENCE);
  expect(told.status?.phase).toBe('Running');
  expect(told.status?.waiting?.message).toContain('222222222222');
  await own.deleteMachine('moved');
  await own.untilMachine('moved', (m) => m.status?.phase === 'Deleting' && isTold(m), 'waits', PATIENCE);
  // That account does not know the instance, which is no proof that it has ended.
  expect((await instancesOf(up)).map(({ state }) => state)).toEqual(['running']);
  await kube.mergePatch(SECRETS, NAMESPACE, name, { data: null });
  await kube.mergePatch(SECRETS, NAMESPACE, name, { stringData: home });
  await own.untilMachines('it is gone', (left) => left.every((m) => m.metadata.name !== 'moved'), {
    timeoutMs: 120_000,
  });
  expect((await instancesOf(up)).map(({ state }) => state)).toEqual(['terminated']);
}, 300_000);

/** Credentials that lead to another account of the same cloud, as a Secret holds them. */
async function credentialsOf(account: string): Promise<Readonly<Record<string, string>>> {
  const sts = new STSClient({
    endpoint: ec2.endpoint,
    region: EC2_REGION,
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'x' },
  });
  const { Credentials: given } = await sts.send(
    new AssumeRoleCommand({ RoleArn: `arn:aws:iam::${account}:role/other`, RoleSessionName: 'test' }),
  );
  sts.destroy();
  return {
    aws_access_key_id: given?.AccessKeyId ?? '',
    aws_secret_access_key: given?.SecretAccessKey ?? '',
    aws_session_token: given?.SessionToken ?? '',
  };
}

it.concurrent('missing credentials never let a Machine with an instance disappear: its deletion waits and says so', async () => {
  const name = 'other-credentials';
  await kube.create(SECRETS, NAMESPACE, {
    metadata: { name },
    stringData: { aws_access_key_id: 'AKIA', aws_secret_access_key: 'x' },
  });
  await create('keyless', { credentialsSecret: { name } });
  const up = await atRest('keyless');
  await kube.delete(SECRETS, NAMESPACE, name);
  // Longer than a worker remembers a Secret.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  await own.deleteMachine('keyless');
  const waiting = await own.untilMachine(
    'keyless',
    (m) => m.status?.phase === 'Deleting' && (m.status.waiting?.message ?? '').includes(`${NAMESPACE}/${name}`),
    'waits for the Secret',
    PATIENCE,
  );
  expect(waiting.metadata.finalizers).toContain('machine.machine.openshift.io');
  expect((await instancesOf(up)).map(({ state }) => state)).toEqual(['running']);
  await kube.create(SECRETS, NAMESPACE, {
    metadata: { name },
    stringData: { aws_access_key_id: 'AKIA', aws_secret_access_key: 'x' },
  });
  await own.untilMachines('it is gone', (left) => left.every((m) => m.metadata.name !== 'keyless'), {
    timeoutMs: 120_000,
  });
  expect((await instancesOf(up)).map(({ state }) => state)).toEqual(['terminated']);
}, 300_000);

it.concurrent('a launch whose answer is lost is settled by look-ups, not doubled, where the user-data Secret changed meanwhile', async () => {
  await kube.create(SECRETS, NAMESPACE, { metadata: { name: 'changing' }, stringData: { userData: 'before' } });
  await ec2.behave('m5.xlarge', {
    visibleAfterMs: 3000,
    failures: [{ action: 'launch', when: 'after', answer: 'reset', times: 1 }],
  });
  const created = await create('silent', { instanceType: 'm5.xlarge', userDataSecret: { name: 'changing' } });
  await until(
    'the instance is made',
    () => instancesOf(created),
    (made) => made.length === 1,
    PATIENCE,
  );
  await kube.mergePatch(SECRETS, NAMESPACE, 'changing', { stringData: { userData: 'after' } });
  const up = await own.untilPhase('silent', 'Running', { timeoutMs: 90_000 });
  expect(await instancesOf(up)).toHaveLength(1);
  const { calls } = await ec2.ledger(up.metadata.uid);
  expect(calls.filter(({ action }) => action === 'launch')).toHaveLength(1);
}, 150_000);

it.concurrent('an instance terminated by hand makes its Machine Failed; a stopped one keeps it, with its state shown', async () => {
  await Promise.all([create('terminated'), create('stopped')]);
  const [terminated, stopped] = await Promise.all([atRest('terminated'), atRest('stopped')]);
  await ec2.byHand(instanceOf(terminated), 'terminate');
  await ec2.byHand(instanceOf(stopped), 'stop');
  const failed = await own.untilPhase('terminated', 'Failed', PATIENCE);
  expect(failed.status?.errorMessage).toContain(instanceOf(terminated));
  const seen = await own.untilMachine(
    'stopped',
    (m) => m.status?.providerStatus?.instanceState === 'stopped',
    'is seen stopped',
    PATIENCE,
  );
  expect(seen.status?.phase).toBe('Running');
  expect(await instancesOf(failed)).toHaveLength(1);
  await ec2.byHand(instanceOf(stopped), 'start');
}, 180_000);

it.concurrent('a Node deleted by hand is said to be missing, and linked again when its kubelet registers', async () => {
  await create('nodeless');
  const up = await atRest('nodeless');
  const node = up.status?.nodeRef?.name ?? '';
  await kube.delete(NODES, undefined, node);
  const again = await own.untilMachine(
    'nodeless',
    (m) => m.status?.nodeRef?.uid !== up.status?.nodeRef?.uid && m.status?.waiting === undefined,
    'is linked with the new Node',
    PATIENCE,
  );
  expect(again.status).toMatchObject({ phase: 'Running', nodeRef: { name: node } });
  expect(await instancesOf(again)).toHaveLength(1);
}, 150_000);

it.concurrent.each([
  ['no-such-image', { ami: { id: 'ami-00000000000000000' } }, /ami/],
  ['no-such-group', { securityGroups: [{ filters: [{ name: 'group-name', values: ['nope'] }] }] }, /securityGroups/],
  ['bad-volume', { blockDevices: [{ ebs: { volumeSize: 'big' } }] }, /blockDevices\[0\]\.ebs\.volumeSize/],
  ['unknown-field', { instanceTyp: 'm5.large' }, /instanceTyp/],
  ['bad-tag', { tags: [{ name: 'aws:mine', value: 'x' }] }, /tags\[0\]/],
])(
  'a wrong providerSpec of %s is a condition that names the field; mended, it goes on by itself',
  async (name, changes, field) => {
    await create(name, changes);
    const told = await own.untilMachine(
      name,
      (m) => m.status?.waiting?.reason === 'InvalidConfiguration',
      'is told',
      PATIENCE,
    );
    expect(conditionOf(told, 'MachineCreation')).toMatchObject({
      status: 'False',
      reason: 'InvalidConfiguration',
      message: expect.stringMatching(field),
    });
    expect(await instancesOf(told)).toEqual([]);
    const { [Object.keys(changes)[0] ?? '']: _wrong, ...right } = { ...ec2.providerSpec, ...changes } as Record<
      string,
      unknown
    >;
    const restored = { ...Object.fromEntries(Object.keys(changes).map((key) => [key, null])), ...right };
    const original = Object.fromEntries(Object.entries(ec2.providerSpec).filter(([key]) => key in changes));
    await own.patchMachine(name, { spec: { providerSpec: { value: { ...restored, ...original } } } });
    const up = await own.untilPhase(name, 'Running', PATIENCE);
    expect(await instancesOf(up)).toHaveLength(1);
    await own.deleteMachine(name);
  },
  150_000,
);

it.concurrent('a rollout to an image that does not exist stops before it touches a machine, and says so', async () => {
  const rolled = new DeploymentOfMachines(NAMESPACE, 'rolled');
  await rolled.create({ replicas: 2, providerSpec: ec2.providerSpec });
  await rolled.untilRolledOut(1, 120_000);
  const before = await rolled.machines();
  const uids = await rolled.uids();
  const since = new Date().toISOString();
  await rolled.ask({ ami: { id: 'ami-00000000000000000' } });
  const stopped = await rolled.untilProgressing('PreflightFailed', 60_000);
  expect(progressOf(stopped)?.message).toMatch(/ami/);
  // Longer than it would take to make a machine.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  expect(await rolled.uids()).toEqual(uids);
  const { calls } = await ec2.ledger();
  const own = before.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const isOfRoll = (machine: string | null) => machine?.startsWith(`${NAMESPACE}/rolled-`) === true;
  expect(own.every(isOfRoll)).toBe(true);
  const changing = ({ at, action, machine }: (typeof calls)[number]) =>
    at > since && (action === 'launch' || action === 'terminate') && isOfRoll(machine);
  expect(calls.filter(changing)).toEqual([]);
  // Mended, nothing is left to do: it is the template of the machines that are there.
  await rolled.ask({ ami: EC2_PROVIDER_SPEC.ami });
  await rolled.untilProgressing('NewReplicaSetAvailable', 60_000);
  expect(await rolled.uids()).toEqual(uids);
  await rolled.delete();
  await until(
    'its machines are gone',
    () => rolled.machines(),
    (left) => left.length === 0,
    { timeoutMs: 120_000 },
  );
}, 300_000);

// These concern every machine there is.

it('wrong credentials are a condition, touch nothing that runs, and once mended it goes on by itself', async () => {
  await create('runs');
  const running = await atRest('runs');
  await ec2.behave('*', { failures: [{ action: '*', code: 'AuthFailure', message: 'not able to validate' }] });
  const since = new Date().toISOString();
  await create('refused');
  const told = await own.untilMachine('refused', (m) => m.status?.waiting?.reason === 'AuthFailure', 'told', PATIENCE);
  expect(told.status?.phase).toBe('Provisioning');
  expect(await instancesOf(told)).toEqual([]);
  expect((await own.machine('runs'))?.status).toMatchObject({ phase: 'Running', nodeRef: running.status?.nodeRef });
  const { calls } = await ec2.ledger(running.metadata.uid);
  expect(calls.filter(({ at, action }) => at > since && action === 'terminate')).toEqual([]);
  await ec2.behave('*', {});
  const up = await own.untilPhase('refused', 'Running', { timeoutMs: 120_000 });
  expect(await instancesOf(up)).toHaveLength(1);
}, 240_000);

it('more than half of all instances absent at once is a condition, and nobody acts on it', async () => {
  await own.createMachineSet('herd', { replicas: 30, ...spec() });
  const isOfHerd = (m: MachineObject) => m.metadata.name.startsWith('herd-');
  const herd = (
    await own.untilMachines('the herd runs', (seen) => seen.filter(isOfHerd).filter(isAtRest).length === 30, {
      timeoutMs: 120_000,
    })
  ).filter(isOfHerd);
  await Promise.all(herd.map((m) => ec2.byHand(instanceOf(m), 'vanish')));
  const doubted = (m: MachineObject) => conditionOf(m, 'InstanceExists')?.reason === 'ManyInstancesMissing';
  await own.untilMachines('it is told', (seen) => seen.filter(isOfHerd).some(doubted), { timeoutMs: 90_000 });
  // Longer than it takes to prove a single one gone.
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const machines = (await own.machines()).filter(isOfHerd);
  expect(machines.map((m) => m.status?.phase)).toEqual(machines.map(() => 'Running'));
  // Who deletes one of them does not wait for the doubt to end.
  const [deleted = '', ...others] = machines.map(({ metadata }) => metadata.name);
  await own.patchMachine(deleted, { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } } });
  await own.patchMachineSet('herd', { spec: { replicas: 29 } });
  await own.untilMachines(
    'the deleted one is gone',
    (seen) => seen.every((m) => m.metadata.name !== deleted),
    PATIENCE,
  );
  expect((await own.machines()).filter(isOfHerd).map(({ metadata }) => metadata.name)).toEqual(others);
  // The deleted one's stays away: an instance that came back would have a Node, and nobody who ends it.
  const kept = herd.filter((m) => m.metadata.name !== deleted).map(instanceOf);
  await Promise.all(kept.map((id) => ec2.byHand(id, 'reappear')));
  const { calls } = await ec2.ledger();
  expect(calls.filter(({ action, instance }) => action === 'terminate' && kept.includes(instance ?? ''))).toEqual([]);
}, 240_000);
