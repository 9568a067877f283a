import { beforeEach, describe, expect, test } from '@jest/globals';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { controllerReference } from '../../k8s/model/owner-reference.ts';
import { rolloutMachineOf, type RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { MADE_AT, refOf } from '../../test/world/builders/metadata.ts';
import { routeMachineOfDeployment, routeSetOfDeployment } from './deployment-routes.ts';
import { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { paceOf } from './pace.ts';
import { factsOfMachine, factsOfMachineDeployment, factsOfMachineSet } from './openshift-facts-for-tests.ts';

const pool = aMachineDeployment({ name: 'pool' });
const other = aMachineDeployment({ name: 'other' });
const labels = { pool: 'pool' };
const given = aMachineSet({ name: 'pool-1', metadata: { ownerReferences: [controllerReference(refOf(pool))] } });
const set: MachineSetObject = {
  ...given,
  spec: { ...given.spec, template: { ...given.spec.template, metadata: { labels } } },
  status: { replicas: 3, observedGeneration: 1 },
};
const machine = aMachine({ name: 'm', set, metadata: { labels }, status: { phase: 'Provisioned' } });

const REFUSED = {
  type: 'MachinesDeleted',
  status: 'False',
  reason: 'FailedDelete',
  message: 'cannot delete m: no',
  lastTransitionTime: MADE_AT,
} as const;

let index: ObjectIndex;
beforeEach(() => {
  index = new ObjectIndex();
  for (const each of [pool, other]) {
    index.machineDeployments.set(objectKey(refOf(each)), factsOfMachineDeployment(each));
  }
});

test('a deployment is woken four times a second at most by its sets and its machines', () => {
  const [wake] = routeMachineOfDeployment({ before: factsOfMachine(machine), after: undefined }, index);
  if (wake === undefined) throw new Error('nobody is woken');
  const gapsMs = { signalGapMs: 250, ownerSignalGapMs: 1000 };
  expect(paceOf(wake, gapsMs)).toMatchObject({ gapMs: 250, delayMs: 0 });
  expect(paceOf(wake, { ...gapsMs, ownerSignalGapMs: 100 })).toMatchObject({ gapMs: 100 });
});

const wokenBySet = (before: MachineSetObject | undefined, after: MachineSetObject | undefined): string[] =>
  routeSetOfDeployment(
    { before: before && factsOfMachineSet(before), after: after && factsOfMachineSet(after) },
    index,
  ).map(({ target }) => target.name);
const wokenByMachine = (before: MachineObject | undefined, after: MachineObject | undefined): string[] =>
  routeMachineOfDeployment(
    { before: before && factsOfMachine(before), after: after && factsOfMachine(after) },
    index,
  ).map(({ target }) => target.name);

test('a machine without the labels that its deployment selects wakes that of its set', () => {
  const bare = { ...machine, metadata: { ...machine.metadata, labels: {} } };
  index.machineSets.set(objectKey(refOf(set)), factsOfMachineSet(set));
  expect(wokenByMachine(bare, undefined)).toEqual(['pool']);
});

describe('a MachineSet wakes its deployment', () => {
  test.each<readonly [string, MachineSetObject | undefined]>([
    ['when it has answered to its spec', { ...set, status: { ...set.status, observedGeneration: 2 } }],
    ['when somebody scales it', { ...set, spec: { ...set.spec, replicas: 7 } }],
    ['when something is refused to it', { ...set, status: { ...set.status, errorReason: 'CreateError' } }],
    ['when a deletion is refused to it', { ...set, status: { ...set.status, conditions: [REFUSED] } }],
    ['when it is deleted', { ...set, metadata: { ...set.metadata, deletionTimestamp: MADE_AT } }],
    ['when it is gone', undefined],
  ])('%s', (_when, after) => expect(wokenBySet(set, after)).toEqual(['pool']));

  test('and not by its counts, which the deployment takes of the Machines', () =>
    expect(wokenBySet(set, { ...set, status: { ...set.status, readyReplicas: 2 } })).toEqual([]));

  test('without a controller it wakes those that may adopt it', () => {
    const orphan = { ...set, metadata: { ...set.metadata, ownerReferences: [] } };
    expect(wokenBySet(undefined, orphan)).toEqual(['pool']);
  });

  test('of somebody else it wakes nobody', () => {
    const [mine] = set.metadata.ownerReferences ?? [];
    const owner = { ...mine, kind: 'Pool' } as NonNullable<typeof mine>;
    const foreign = { ...set, metadata: { ...set.metadata, ownerReferences: [owner] } };
    expect(wokenBySet(undefined, foreign)).toEqual([]);
  });
});

describe('a Machine wakes the deployment that selects it', () => {
  const ready = { type: 'NodeReady', status: 'True', lastTransitionTime: MADE_AT } as const;
  const launched = { type: 'MachineCreation', status: 'True', lastTransitionTime: MADE_AT } as const;
  const FULL = {
    step: 'Launch',
    reason: 'OutOfCapacity',
    message: 'full',
    since: MADE_AT,
    retryClass: 'exhausted',
  } as const;
  const MARK = { 'machine.openshift.io/delete-machine': 'true' };
  test.each<readonly [string, MachineObject | undefined]>([
    ['when its Node is Ready', { ...machine, status: { ...machine.status, conditions: [ready] } }],
    ['when it is launched', { ...machine, status: { ...machine.status, conditions: [launched] } }],
    [
      'when it fails',
      { ...machine, status: { phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such image' } },
    ],
    ['when it waits for capacity', { ...machine, status: { ...machine.status, waiting: FULL } }],
    ['when somebody marks it', { ...machine, metadata: { ...machine.metadata, annotations: MARK } }],
    ['when it begins to go', { ...machine, metadata: { ...machine.metadata, deletionTimestamp: MADE_AT } }],
    ['when its set lets it go', { ...machine, metadata: { ...machine.metadata, ownerReferences: [] } }],
    ['when it is gone', undefined],
  ])('%s', (_when, after) => expect(wokenByMachine(machine, after)).toEqual(['pool']));

  test('when it comes', () => expect(wokenByMachine(undefined, machine)).toEqual(['pool']));

  const LATER = '2026-01-01T01:00:00.000Z';
  const says = (status: NonNullable<MachineObject['status']>): MachineObject => ({ ...machine, status });
  const condition = (type: string, status: 'True' | 'False', more: object = {}) =>
    says({ conditions: [{ type, status, lastTransitionTime: MADE_AT, ...more }] });
  const goes = (annotations: Readonly<Record<string, string>>): MachineObject => ({
    ...machine,
    metadata: { ...machine.metadata, deletionTimestamp: MADE_AT, annotations },
  });
  const waits = (reason: string): MachineObject => ({
    ...goes({}),
    status: { waiting: { step: 'Drain', reason, message: 'why', since: MADE_AT } },
  });
  /** By what a deployment goes by: two Machines that differ in that. */
  const CHANGES: Readonly<
    Record<Exclude<keyof RolloutMachine, 'name' | 'uid'>, readonly [before: MachineObject, after: MachineObject]>
  > = {
    labels: [machine, { ...machine, metadata: { ...machine.metadata, labels: { ...labels, tier: 'front' } } }],
    controller: [machine, { ...machine, metadata: { ...machine.metadata, ownerReferences: [] } }],
    deleting: [machine, { ...machine, metadata: { ...machine.metadata, deletionTimestamp: MADE_AT } }],
    markedForDeletion: [machine, { ...machine, metadata: { ...machine.metadata, annotations: MARK } }],
    hasNode: [says({}), says({ nodeRef: { kind: 'Node', name: 'n', uid: 'u' } })],
    readySince: [condition('NodeReady', 'True'), condition('NodeReady', 'True', { lastTransitionTime: LATER })],
    unusable: [condition('Usable', 'False', { message: 'a taint' }), condition('Usable', 'False', { message: 'two' })],
    isFailed: [says({ phase: 'Running' }), says({ phase: 'Failed' })],
    launchedAt: [
      condition('MachineCreation', 'True'),
      condition('MachineCreation', 'True', { lastTransitionTime: LATER }),
    ],
    downSince: [condition('NodeReady', 'False'), condition('NodeReady', 'False', { lastTransitionTime: LATER })],
    lost: [
      says({ phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'taken back' }),
      says({ phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'gone' }),
    ],
    refused: [
      says({ waiting: { step: 'Launch', reason: 'SecretMissing', message: 'no Secret a', since: MADE_AT } }),
      says({ waiting: { step: 'Launch', reason: 'SecretMissing', message: 'no Secret b', since: MADE_AT } }),
    ],
    failure: [
      says({ phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such image' }),
      says({ phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such subnet' }),
    ],
    isBlameless: [
      says({ phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such image' }),
      says({ phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'it took it back' }),
    ],
    heldBy: [waits('Draining'), waits('PodsBlocked')],
    remediatedBy: [goes({}), goes({ 'millwright.dev/remediated-by': 'hc u-1' })],
    lacksCapacity: [says({ waiting: FULL }), says({ waiting: { ...FULL, message: 'full elsewhere, too' } })],
  };

  test.each(Object.entries(CHANGES))('when it has another %s', (field, [before, after]) => {
    const [one, other] = [before, after].map((each) => {
      const seen: Readonly<Record<string, unknown>> = { ...rolloutMachineOf(openshift.machine.read(each)) };
      return seen[field];
    });
    expect(other).not.toEqual(one);
    expect(wokenByMachine(before, after)).toEqual(['pool']);
  });

  test('and not by its phase', () =>
    expect(wokenByMachine(machine, { ...machine, status: { phase: 'Running' } })).toEqual([]));
});
