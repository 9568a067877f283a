import { expect, test } from '@jest/globals';
import { aMachine, readMachine, type MachineFacts } from '../../test/world/builders/a-machine.ts';
import {
  becauseOf,
  cameToNothing,
  CAUSE_ANNOTATION,
  isMissed,
  isRolledOut,
  writeCause,
  writeRemedyCause,
  writeRolloutCause,
  writeSurplusCause,
} from './cause.ts';
import { given } from '../../providers/given.ts';

const DELETED_AT = Date.parse('2026-01-02T00:00:00Z');

/** What is told of a Machine with a cause that was written so long before its deletion, in milliseconds. */
function because(age: number, facts: MachineFacts = {}): string {
  const annotations = { [CAUSE_ANNOTATION]: writeCause('5 are asked for', DELETED_AT - age) };
  return becauseOf(readMachine(aMachine({ metadata: { ...deleted.metadata, annotations }, ...facts })));
}

const deleted = { metadata: { deletionTimestamp: new Date(DELETED_AT).toISOString() } };

test('a cause is told with the deletion that it was written for, be clocks a minute apart', () => {
  expect([because(0), because(60_000), because(-60_000)]).toEqual([
    ': 5 are asked for',
    ': 5 are asked for',
    ': 5 are asked for',
  ]);
});

test('one that came to nothing is told with no later deletion', () => {
  expect(because(3_600_000)).toBe('');
});

test('that of spec.delete is told, however long the deletion takes', () => {
  expect(because(3_600_000, { spec: { delete: true } })).toBe(': 5 are asked for');
});

test('what has no time is told with no deletion', () => {
  const annotations = { [CAUSE_ANNOTATION]: 'somebody wants it' };
  for (const metadata of [{ annotations }, { ...deleted.metadata, annotations }]) {
    expect(becauseOf(readMachine(aMachine({ metadata, spec: { delete: true } })))).toBe('');
  }
});

test('what a health check has remedied otherwise is no cause of a deletion that somebody asks for', () => {
  const annotations = { [CAUSE_ANNOTATION]: writeRemedyCause('it is ill', DELETED_AT - 1000) };
  for (const spec of [{}, { delete: true }]) {
    const machine = readMachine(aMachine({ metadata: { ...deleted.metadata, annotations }, spec }));
    expect([becauseOf(machine), isRolledOut(machine)]).toEqual(['', false]);
  }
});

test('a rollout is known by its cause, where that is of this very deletion', () => {
  const rolled = (cause: string) =>
    readMachine(aMachine({ metadata: { ...deleted.metadata, annotations: { [CAUSE_ANNOTATION]: cause } } }));
  const of = (age: number) => rolled(writeRolloutCause('MachineDeployment a/b replaces it', DELETED_AT - age));
  expect([isRolledOut(of(0)), isRolledOut(of(3_600_000))]).toEqual([true, false]);
  expect(becauseOf(of(0))).toBe(': MachineDeployment a/b replaces it');
  expect(isRolledOut(rolled(writeCause('somebody wants a rollout: now', DELETED_AT)))).toBe(false);
  expect(isRolledOut(readMachine(aMachine(deleted)))).toBe(false);
});

test("what a rollout wrote and did not carry out makes a person's spec.delete no rollout's", () => {
  const cause = writeRolloutCause('MachineDeployment a/b replaces it', DELETED_AT - 3_600_000);
  const annotations = { [CAUSE_ANNOTATION]: cause };
  const wanted = aMachine({ metadata: { annotations }, spec: { delete: true } });
  const prepared = aMachine({ metadata: { ...deleted.metadata, annotations }, spec: { delete: true } });
  for (const machine of [wanted, prepared].map((each) => readMachine(each))) {
    expect([isRolledOut(machine), becauseOf(machine)]).toEqual([false, '']);
  }
});

test('a Machine is missed by its set, where neither that nor a rollout has it go', () => {
  const owner = {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'MachineSet',
    name: 's',
    uid: 'u',
    controller: true,
  };
  const missed = (cause?: string, owners = [owner]) => {
    const annotations = given({ [CAUSE_ANNOTATION]: cause });
    const metadata = { ...deleted.metadata, annotations, ownerReferences: owners };
    return isMissed(readMachine(aMachine({ metadata })));
  };
  const surplus = (age: number) => writeSurplusCause('5 are asked for', DELETED_AT - age);
  expect([missed(), missed(writeCause('a check', DELETED_AT)), missed(surplus(3_600_000))]).toEqual([true, true, true]);
  expect([missed(surplus(0)), missed(writeRolloutCause('r', DELETED_AT)), missed(undefined, [])]).toEqual([
    false,
    false,
    false,
  ]);
  expect(because(0, { metadata: { ...deleted.metadata, annotations: { [CAUSE_ANNOTATION]: surplus(0) } } })).toBe(
    ': 5 are asked for',
  );
});

test('nothing is told where nobody wrote one', () => {
  expect(becauseOf(readMachine(aMachine(deleted)))).toBe('');
});

test('a deletion that is not there five minutes after its cause, or has none with a time, came to nothing', () => {
  const written = writeCause('5 are asked for', DELETED_AT);
  expect(cameToNothing(written, DELETED_AT + 299_999)).toBe(false);
  expect(cameToNothing(written, DELETED_AT + 300_000)).toBe(true);
  expect(cameToNothing('somebody wants it', DELETED_AT)).toBe(true);
});
