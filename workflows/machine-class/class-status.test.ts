import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import { classReportOf } from './class-status.ts';
import type { FoundClass } from './machine-class-activities.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const USERS = {
  machines: { kind: 'Machine', count: 7, names: ['a', 'b', 'c', 'd', 'e'] },
  machineSets: { kind: 'MachineSet', count: 1, names: ['workers'] },
};

function seen(changes: Partial<FoundClass> = {}): FoundClass {
  const settings = DEFAULT_MACHINE_SETTINGS;
  return { found: true, generation: 1, isDeleting: false, isHeld: true, ...USERS, status: {}, settings, ...changes };
}

function told(changes: Partial<FoundClass> = {}) {
  const report = classReportOf(seen(changes), NOW);
  if (report === undefined) throw new Error('there is nothing to say');
  return report;
}

describe('the status of a MachineClass', () => {
  it('says who uses it and that machines can be launched from it, and is not written where it says so already', () => {
    const { status, events } = told();
    expect(status).toMatchObject({ machines: 7, machineSets: 1, observedGeneration: 1 });
    expect(status.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'Usable' }]);
    expect(events).toEqual([]);
    expect(classReportOf(seen({ status }), NOW + 60_000)).toBeUndefined();
    expect(told({ status, generation: 2 }).status.conditions).toEqual(status.conditions);
  });

  it.each([
    { generation: 2 },
    { machines: { kind: 'Machine', count: 8, names: [] } },
    { machineSets: { kind: 'MachineSet', count: 0, names: [] } },
    { problem: 'no such provider' },
    { isDeleting: true },
  ])('is written where it is %j', (change) => {
    expect(classReportOf(seen({ status: told().status, ...change }), NOW)).toBeDefined();
  });

  it('names what is wrong with it', () => {
    const { conditions } = told({ problem: 'no such provider' }).status;
    expect(conditions).toMatchObject([{ status: 'False', reason: 'MachineClassInvalid', message: 'no such provider' }]);
  });

  it('says while it is being deleted who keeps it, with an event the first time', () => {
    const first = told({ isDeleting: true, status: told().status });
    const message =
      'it is deleted when nothing refers to it any more: 7 Machines (a, b, c, d, e, …) and 1 MachineSet (workers)';
    expect(first.status.conditions).toMatchObject([
      { type: 'InUse', status: 'True', message },
      { type: 'Ready', status: 'False', reason: 'MachineClassDeleting' },
    ]);
    expect(first.events).toEqual([{ type: 'Normal', reason: 'InUse', message }]);
    const fewer = told({
      isDeleting: true,
      status: first.status,
      machines: { kind: 'Machine', count: 1, names: ['a'] },
    });
    expect(fewer.events).toEqual([]);
    expect(fewer.status.conditions[0]?.message).toContain('1 Machine (a)');
  });

  it('says since when it is so, and nothing more of what is over', () => {
    const since = new Date(NOW).toISOString();
    const { status } = told({ isDeleting: true });
    const fewer = classReportOf(
      seen({ isDeleting: true, status, machineSets: { kind: 'MachineSet', count: 0, names: [] } }),
      NOW + 60_000,
    );
    expect(fewer?.status.conditions).toMatchObject([
      { type: 'InUse', lastTransitionTime: since },
      { type: 'Ready', lastTransitionTime: since },
    ]);
    const over = classReportOf(seen({ isDeleting: true, isHeld: false, status }), NOW + 60_000);
    expect(over?.status.conditions).toMatchObject([{ type: 'Ready', lastTransitionTime: since }]);
    expect(over?.status.conditions).toHaveLength(1);
  });

  it('says nothing of being kept where it is not held, or nothing refers to it', () => {
    const none = { kind: 'Machine', count: 0, names: [] };
    const types = (changes: Partial<FoundClass>) => told(changes).status.conditions.map(({ type }) => type);
    expect(types({ isDeleting: true, isHeld: false })).toEqual(['Ready']);
    expect(types({ isDeleting: true, machines: none, machineSets: none })).toEqual(['Ready']);
  });

  it('names only those that refer to it', () => {
    const message = 'it is deleted when nothing refers to it any more: 7 Machines (a, b, c, d, e, …)';
    const machineSets = { kind: 'MachineSet', count: 0, names: [] };
    expect(told({ isDeleting: true, machineSets }).events).toMatchObject([{ message }]);
  });
});
