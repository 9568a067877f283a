import { describe, expect, it } from '@jest/globals';
import { aMachine, readMachine } from '../../test/world/builders/a-machine.ts';
import type { Machine, MachinePhase } from '../../k8s/model/machine.ts';
import type { Instance, InstanceState } from '../../providers/provider.ts';
import { planInspections } from './plan-inspections.ts';

function machine(n: number, state: InstanceState = 'running', phase: MachinePhase = 'Running'): Machine {
  const known = readMachine(aMachine({ name: `m-${n}` }));
  return { ...known, status: { ...known.status, phase, instance: { id: `i-${n}`, state } } };
}

function instance(n: number, state: InstanceState = 'running'): Instance {
  const id = `i-${n}`;
  return { id, providerID: `s:///z/${id}`, state, region: 'r', zone: 'z', instanceType: 't', addresses: [] };
}

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_one, i) => from + i);
const woken = (machines: readonly Machine[], listed: readonly Instance[]): string[] =>
  planInspections(machines, listed).inspect.map((ref) => ref.name);

describe('whom an inventory wakes', () => {
  it('is nobody where all is as recorded', () => {
    expect(
      woken(
        numbers(5).map((n) => machine(n)),
        numbers(5).map((n) => instance(n)),
      ),
    ).toEqual([]);
  });

  it('is those whose instance has another state or is absent, and nobody else', () => {
    const listed = [instance(0), instance(1, 'stopped'), instance(3), instance(4)];
    expect(
      woken(
        numbers(5).map((n) => machine(n)),
        listed,
      ),
    ).toEqual(['m-1', 'm-2']);
  });

  it('is one alone where more than half are absent at once, and the listing is doubted', () => {
    const machines = numbers(10).map((n) => machine(n));
    const plan = planInspections(
      machines,
      numbers(4).map((n) => instance(n)),
    );
    expect(plan.inspect.map((ref) => ref.name)).toEqual(['m-4']);
    expect(plan.doubt).toContain('6 of 10');
    const stopped = planInspections(machines, [instance(0, 'stopped'), instance(1), instance(2)]);
    expect(stopped.inspect.map((ref) => ref.name)).toEqual(['m-0', 'm-3']);
  });

  it('is all that are absent where they are just half', () => {
    const plan = planInspections(
      numbers(10).map((n) => machine(n)),
      numbers(5).map((n) => instance(n)),
    );
    expect(plan.inspect).toHaveLength(5);
    expect(plan.doubt).toBeUndefined();
  });

  it('is the only machine of its credentials when its instance is gone: one absence is no wrong view', () => {
    expect(woken([machine(0)], [])).toEqual(['m-0']);
  });

  it('leaves out machines that failed, that are being deleted, or whose instance ended', () => {
    const machines = [
      machine(0, 'running', 'Failed'),
      { ...machine(1), deletedAt: '2026-01-01T00:00:00Z' },
      machine(2, 'terminated'),
      machine(3),
    ];
    expect(woken(machines, [])).toEqual(['m-3']);
  });
});

describe('whom an inventory has count its instances', () => {
  const tagged = (n: number, owner: number, state: InstanceState = 'running'): Instance => ({
    ...instance(n, state),
    machineUid: machine(owner).ref.uid,
  });
  const counting = (machines: readonly Machine[], listed: readonly Instance[]): string[] =>
    planInspections(machines, listed).recount.map((ref) => ref.name);
  const machines = numbers(3).map((n) => machine(n));
  const own = numbers(3).map((n) => tagged(n, n));

  it('is nobody where each has the one that is on record', () => {
    expect(counting(machines, own)).toEqual([]);
  });

  it('is the machine that another living instance is tagged as', () => {
    expect(counting(machines, [...own, tagged(7, 1, 'pending'), tagged(8, 2, 'terminated')])).toEqual(['m-1']);
    expect(counting(machines, [tagged(7, 1), ...own])).toEqual(['m-1']);
  });

  it('is one that has failed as well, and none that is being deleted: that counts by itself', () => {
    const failed = machine(0, 'terminated', 'Failed');
    const leaving = { ...machine(1), deletedAt: '2026-01-01T00:00:00Z' };
    expect(counting([failed, leaving], [tagged(7, 0), tagged(8, 1)])).toEqual(['m-0']);
  });

  it('is not one that says so already, which counts by itself', () => {
    const [first, ...others] = machines;
    if (first === undefined) throw new Error('there are machines');
    const conditions = [
      { type: 'InstancesUnique', status: 'False', reason: 'x', message: '', lastTransitionTime: '' },
    ] as const;
    const told = { ...first, status: { ...first.status, conditions } };
    expect(counting([told, ...others], [...own, tagged(7, 0)])).toEqual([]);
  });
});
