import { renderTable } from '../../output/table.ts';
import {
  machinesOf,
  type ChangePlan,
  type MachinePlan,
  type PlannedAdoption,
  type PlannedBounds,
} from './plan-change.ts';

const HEAD = ['MACHINE', 'NODE', 'REVISION', 'WHAT'];

/** A plan for people: each machine, and then what the change takes. */
export function renderPlan(plan: ChangePlan): string {
  const { missing, machines, hold, bounds, steps, budgets, replicas, adoption, strays, classProblem } = plan;
  const rows = machines.map(({ name, node = '', revision, what }) => [name, node, String(revision), what]);
  const isEmpty = machines.length === 0;
  const lines = [
    missing,
    isEmpty ? undefined : renderTable([HEAD, ...rows]),
    describeCounts(plan),
    ...(adoption === undefined ? [] : describeAdoption(adoption)),
    missing !== undefined && isEmpty ? undefined : describeScale(replicas),
    hold,
    bounds === undefined ? describeQuota(plan) : undefined,
    ...(bounds === undefined ? [] : describeBounds(bounds, replicas.after)),
    strays && `${machinesOf(strays)} that it selects and none of its sets has: counted among those that there may be`,
    classProblem,
    steps && `steps: ${steps.join(', ')}; then the rest`,
    budgets,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

function describeCounts({ name, missing, machines, created }: ChangePlan): string {
  const count = (what: MachinePlan['what']) => machines.filter((machine) => machine.what === what).length;
  const there = `${count('replaced')} replaced, ${count('in place')} changed in place, ${count('untouched')} untouched`;
  if (missing === undefined) return `${name}: ${there}`;
  return `${name} is new: ${created} created${machines.length === 0 ? '' : `, ${there}`}`;
}

function describeAdoption({ sets, startsPaused }: PlannedAdoption): string[] {
  const lines = sets.map(
    ({ name, template }) => `adopts MachineSet ${name}, which has ${TEMPLATES[template]} template`,
  );
  return startsPaused ? [...lines, 'starts paused for that: spec.paused becomes true before it adopts'] : lines;
}

const TEMPLATES = { same: 'the same', another: 'another' } as const;

/** Where nothing is replaced. */
function describeQuota({ created, instanceType }: ChangePlan): string | undefined {
  if (created === 0) return undefined;
  return `quota for ${machinesOf(created, 'more ')}${instanceType === undefined ? '' : ` of type ${instanceType}`}`;
}

function describeScale({ before, after }: ChangePlan['replicas']): string | undefined {
  if (before === after) return undefined;
  const what = after > before ? `${after - before} more` : `${before - after} fewer, whichever go first`;
  return `replicas: from ${before} to ${after}: ${what}`;
}

function describeBounds(
  { now, most, surge, type: strategy, leastAvailable, instanceType: { before, after } }: PlannedBounds,
  replicas: number,
): (string | undefined)[] {
  const more = Math.max(0, most - now);
  const type = after === undefined ? '' : ` of type ${after}`;
  const quota = more === 0 ? 'no more than there are now' : `${more} more${type} than the ${now} that there are now`;
  return [
    `at most ${most} machines at a time${most === 0 || surge === 0 ? '' : ` (replicas + ${surge})`}, those included that are being deleted: quota for ${quota}`,
    before !== after && before !== undefined && after !== undefined
      ? `the type changes from ${before} to ${after}: in the end the quota of ${after} has to have room for ${replicas}`
      : undefined,
    leastAvailable === undefined ? undefined : `an available machine goes only where ${leastAvailable} stay available`,
    strategy === 'Recreate'
      ? 'all machines of earlier revisions go, and the new ones come when these are gone'
      : undefined,
  ];
}
