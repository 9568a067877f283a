import { describe, expect, it } from '@jest/globals';
import { CLOUD_NOT_ANSWERING, retryClassOf, type ProviderErrorCode } from '../../../providers/provider-error.ts';
import { CLASSES, CLOUD_CODES } from './cloud-codes.ts';
import { CONDITIONS, splitConditions } from './conditions.ts';
import { FINDINGS } from './findings.ts';
import type { ReasonRow } from './reason-row.ts';
import {
  causeOf,
  isEventReason,
  REASONS,
  rowOf,
  toDoAbout,
  waitsForOf,
  type Cause,
  type EventReason,
  type WaitReason,
} from './reasons.ts';
import { WAITS } from './waits.ts';

const rows: [string, ReasonRow][] = Object.entries(REASONS);

describe('the table of reasons', () => {
  it('has every reason once', () => {
    expect(rows).toHaveLength([WAITS, CLOUD_CODES, FINDINGS].flatMap((part) => Object.keys(part)).length);
  });

  it.each(rows)('tells of %s what it means, what to do, and where it stands', (reason, row) => {
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
    // It completes "Waiting for …: <what came back>".
    if (row.waitsFor !== undefined) expect(row.waitsFor).toMatch(/^[^:]*[^.:]$/);
    else expect(row.means).toMatch(/^\S.*\.$/);
    expect(toDoAbout({ reason })).toMatch(/^[A-Z].*\.$/);
    expect(row.toDo === undefined).toBe(row.retryClass !== undefined);
    const stands = [row.waitsFor, row.conditions, row.isFailure, row.isEvent, row.inTree];
    expect(stands.some((place) => place !== undefined)).toBe(true);
  });

  it.each(rows)('names no cloud where it tells of %s', (_reason, row) => {
    expect(JSON.stringify(row)).not.toMatch(/\b(?:aws|ec2|amazon|simulated)\b/i);
  });

  it('names a condition only where that is told by a reason of the table', () => {
    const told = new Set(rows.flatMap(([, { conditions = [] }]) => conditions));
    expect([...told].sort()).toEqual(Object.keys(CONDITIONS).sort());
  });

  it('knows the words of our own code in the place of a cloud code', () => {
    expect([CLOUD_NOT_ANSWERING, 'AwaitingTurn'].map((code) => rowOf(code)?.waitsFor)).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
  });

  it.each(Object.entries(CLOUD_CODES))('has %s in the class in which it is tried again', (code, { retryClass }) => {
    expect(retryClass).toBe(retryClassOf(code as ProviderErrorCode));
  });

  it('takes nothing of an object for a reason', () => {
    expect(rowOf('constructor')).toBeUndefined();
    expect(waitsForOf({ reason: 'toString' })).toBeUndefined();
  });
});

describe("a cloud's own code", () => {
  const failure = { code: 'ResourceExhausted', cloudCode: 'NoRoomAtTheInn', retryClass: 'exhausted' } as const;

  it('is the reason, told by its class', () => {
    expect(causeOf(failure)).toEqual({ reason: 'NoRoomAtTheInn', retryClass: 'exhausted' });
    expect(waitsForOf(causeOf(failure))).toBe(CLASSES.exhausted.waitsFor);
    expect(toDoAbout(causeOf(failure))).toBe(CLASSES.exhausted.toDo);
  });

  it('without its class is no riddle of the network', () => {
    expect(toDoAbout({ reason: 'NoRoomAtTheInn' })).toBe('Read what is said of it, and mend what is named.');
  });

  it('gives way to the code that every provider speaks, where the cloud gave none', () => {
    const { cloudCode: _none, ...unnamed } = failure;
    expect(causeOf(unnamed).reason).toBe('ResourceExhausted');
  });

  it('tells of a look that failed what its class says, and not what most such failures are', () => {
    expect(toDoAbout({ reason: 'ErrorCheckingProvider', retryClass: 'denied' })).toBe(CLASSES.denied.toDo);
    expect(toDoAbout({ reason: 'ErrorCheckingProvider' })).toBe(CLASSES.soon.toDo);
  });
});

describe('the types of reasons', () => {
  it('refuse a reason that stands nowhere, but for a failure with its class', () => {
    const listed: Cause<WaitReason> = { reason: 'SecretMissing' };
    const ofCloud: Cause<WaitReason> = { reason: 'NoRoomAtTheInn', retryClass: 'exhausted' };
    // @ts-expect-error it is not in the table
    const unlisted: Cause<WaitReason> = { reason: 'NoRoomAtTheInn' };
    // @ts-expect-error nothing waits for it
    const finding: WaitReason = 'NodeReady';
    // @ts-expect-error no event tells it
    const event: EventReason = 'SecretMissing';
    // @ts-expect-error no provider speaks this code
    expect(causeOf({ code: 'NoRoomAtTheInn', retryClass: 'exhausted' }).retryClass).toBe('exhausted');
    expect([listed, ofCloud, unlisted].map(({ reason }) => rowOf(reason) !== undefined)).toEqual([true, false, false]);
    expect([isEventReason(finding), isEventReason(event), isEventReason('Create')]).toEqual([false, false, true]);
  });
});

describe('the conditions that are ours', () => {
  it.each([
    ['machine', ['Paused']],
    ['machineSet', ['Paused', 'MachinesCreated']],
    ['machineClass', ['Ready', 'InUse']],
  ] as const)('of a %s are split from those that others write', (role, own) => {
    const conditions = ['Ready', 'Paused', 'toString', 'Theirs', 'MachinesCreated', 'InUse'].map((type) => ({ type }));
    const split = splitConditions(role, conditions);
    expect(split.own.map(({ type }) => type)).toEqual(own);
    expect(split.others).toEqual(conditions.filter((condition) => !split.own.includes(condition)));
  });
});
