import { renderTable } from '../../output/table.ts';
import type { ChangePlan, MachinePlan, PlannedBounds } from './plan-change.ts';

const HEAD = ['MACHINE', 'NODE', 'REVISION', 'WHAT'];

/** A plan for people: each machine, and then what the change takes. */
export function renderPlan({ name, machines, replicas, hold, bounds, steps, budgets }: ChangePlan): string {
  const count = (what: MachinePlan['what']) => machines.filter((machine) => machine.what === what).length;
  const rows = machines.map(({ name: machine, node = '', revision, what }) => [machine, node, String(revision), what]);
  const lines = [
    machines.length === 0 ? undefined : renderTable([HEAD, ...rows]),
    `${name}: ${count('replaced')} replaced, ${count('in place')} changed in place, ${count('untouched')} untouched`,
    describeScale(replicas),
    hold,
    ...(bounds === undefined ? [] : describeBounds(bounds, replicas.after)),
    steps && `steps: ${steps.join(', ')}; then the rest`,
    budgets,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

function describeScale({ before, after }: ChangePlan['replicas']): string | undefined {
  if (before === after) return undefined;
  const what = after > before ? `${after - before} more` : `${before - after} fewer, whichever go first`;
  return `replicas: from ${before} to ${after}: ${what}`;
}

function describeBounds(
  { now, most, surge, leastAvailable, instanceType: { before, after } }: PlannedBounds,
  replicas: number,
): (string | undefined)[] {
  const more = Math.max(0, most - now);
  const type = after === undefined ? '' : ` of type ${after}`;
  const quota = more === 0 ? 'no more than there are now' : `${more} more${type} than the ${now} that there are now`;
  return [
    `at most ${most} machines at a time (replicas + ${surge}), those included that are being deleted: quota for ${quota}`,
    before !== after && before !== undefined && after !== undefined
      ? `the type changes from ${before} to ${after}: in the end the quota of ${after} has to have room for ${replicas}`
      : undefined,
    `an available machine goes only where ${leastAvailable} stay available`,
  ];
}
