import { expect, test } from '@jest/globals';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import {
  EVENTS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  resourcePath,
} from '../../../k8s/resources.ts';
import { rawRequest, refusalOf, type Manifest } from '../api/raw-request.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { machineManifest } from './manifests.ts';
import { conditionOf, type OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';

const { kube, kubeconfig } = getStack();
const NAMESPACE = 'lifecycle-set-refusals';
const KEPT = { metadata: { labels: { keep: 'true' } } };
const MARKED = { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } } };
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const living = async (set: string) =>
  (await own.machines()).filter(
    ({ metadata }) => metadata.labels?.['set'] === set && metadata.deletionTimestamp === undefined,
  );
const namesOf = async (set: string) => (await living(set)).map(({ metadata }) => metadata.name).sort();
const eventsOf = async (name: string) => {
  const { items } = await kube.list<{ reason: string; involvedObject: { name: string } }>(EVENTS, {
    namespace: NAMESPACE,
  });
  return items.filter((event) => event.involvedObject.name === name).map((event) => event.reason);
};

test('machines that the API server refuses are told by the set, and made once it takes them', async () => {
  const takeBack = await refuse(
    'no-new',
    ['CREATE'],
    [
      {
        expression: "object.metadata.?labels['set'].orValue('') != 'refused'",
        message: 'nothing goes into refused today',
      },
    ],
  );
  const manifest = machineManifest(NAMESPACE, 'refused-probe', { labels: { set: 'refused' } }) as Manifest;
  await until(
    'the policy is in force',
    () => refusalOf(kubeconfig, manifest),
    (refusal) => refusal !== undefined,
  );
  const { metadata } = await own.createMachineSet('refused', { replicas: 1 });
  const set = await own.untilMachineSet(metadata.name, (s) => s.status?.errorReason !== undefined, 'it is refused');
  expect(set.status).toMatchObject({ errorReason: 'CreateError', replicas: 0 });
  expect(conditionOf(set, 'MachinesCreated')).toMatchObject({ status: 'False', reason: 'FailedCreate' });
  expect(conditionOf(set, 'MachinesCreated')?.message).toMatch(/nothing goes into refused today/);
  await takeBack();
  const ready = await own.untilMachineSet(metadata.name, (s) => s.status?.readyReplicas === 1, '1 ready');
  expect(ready.status?.errorReason).toBeUndefined();
  expect(conditionOf(ready, 'MachinesCreated')).toMatchObject({ status: 'True' });
}, 90_000);

test('a machine that may not be deleted or patched does not stop its set, which names it and goes on by itself', async () => {
  await own.createMachineSet('kept', { replicas: 4 });
  await own.untilMachineSet('kept', (s) => s.status?.readyReplicas === 4, '4 ready');
  const [stuck = '', marked = '', ...well] = await namesOf('kept');
  await own.patchMachine(stuck, { metadata: { ...KEPT.metadata, ...MARKED.metadata } });
  await own.patchMachine(marked, MARKED);
  const takeBack = await keepMachines(stuck);
  try {
    await own.patchMachineSet('kept', { spec: { replicas: 2 } });
    const set = await own.untilMachineSet('kept', (s) => conditionOf(s, 'MachinesDeleted') !== undefined, 'is told');
    expect(conditionOf(set, 'MachinesDeleted')).toMatchObject({
      status: 'False',
      reason: 'FailedDelete',
      message: expect.stringMatching(new RegExp(`cannot delete ${stuck}: .*it is kept`)),
    });
    expect(await namesOf('kept')).toEqual([stuck, ...well].sort());

    // An orphan that may not be adopted, and one that may.
    for (const name of ['orphan-kept', 'orphan-free']) {
      await own.createMachine(name, {
        labels: { set: 'kept', ...(name === 'orphan-kept' ? KEPT.metadata.labels : {}) },
      });
    }
    await own.untilMachine('orphan-free', (m) => (m.metadata.ownerReferences ?? []).length === 1, 'it is adopted');
    const told = await own.untilMachineSet('kept', (s) => conditionOf(s, 'MachinesAdopted') !== undefined, 'is told');
    expect(conditionOf(told, 'MachinesAdopted')?.message).toMatch(/cannot adopt orphan-kept: /);
    await until(
      'both are told by an event, once',
      () => eventsOf('kept'),
      (reasons) => ['FailedDelete', 'FailedAdopt'].every((reason) => reasons.filter((r) => r === reason).length === 1),
    );
    expect(await namesOf('kept')).toContain(stuck);
  } finally {
    await takeBack();
  }
  const after = await own.untilMachineSet(
    'kept',
    (s) => s.status?.replicas === 2 && s.status.conditions?.every((c) => c.type === 'MachinesCreated') === true,
    'all is done',
    { timeoutMs: 90_000 },
  );
  expect(conditionOf(after, 'MachinesCreated')).toMatchObject({ status: 'True' });
  expect(await namesOf('kept')).not.toContain(stuck);
}, 180_000);

/** A rule of the cluster's owner: Machines labelled `keep` are not deleted, and get no other owners. */
async function keepMachines(labelled: string): Promise<() => Promise<void>> {
  const isKept = "oldObject.metadata.?labels['keep'].orValue('') == 'true'";
  const owners = (object: string) => `${object}.metadata.?ownerReferences.orValue([]).size()`;
  const takeBack = await refuse(
    'keep',
    ['DELETE', 'UPDATE'],
    [
      { expression: `request.operation != 'DELETE' || !(${isKept})`, message: 'it is kept' },
      {
        expression: `request.operation != 'UPDATE' || !(${isKept}) || ${owners('object')} == ${owners('oldObject')}`,
        message: 'its owners are kept',
      },
    ],
  );
  const path = `${resourcePath(MACHINES, NAMESPACE, labelled)}?dryRun=All`;
  await until(
    'the policy is in force',
    () => rawRequest(kubeconfig, path, { method: 'DELETE' }),
    ({ status }) => status >= 400,
  );
  return takeBack;
}

/** An admission policy on Machines. Answers how to take it back. */
async function refuse(
  what: string,
  operations: readonly string[],
  validations: readonly object[],
): Promise<() => Promise<void>> {
  const name = `${what}.example.com`;
  const rule = { apiGroups: ['machine.openshift.io'], apiVersions: ['v1beta1'], operations, resources: ['machines'] };
  await kube.create(VALIDATING_ADMISSION_POLICIES, undefined, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules: [rule] }, validations },
  });
  await kube.create(VALIDATING_ADMISSION_POLICY_BINDINGS, undefined, {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  return async () => {
    await kube.delete(VALIDATING_ADMISSION_POLICY_BINDINGS, undefined, name);
    await kube.delete(VALIDATING_ADMISSION_POLICIES, undefined, name);
  };
}
