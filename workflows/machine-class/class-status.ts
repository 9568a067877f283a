import { saySame, sayOnly, type NewCondition } from '../../k8s/model/condition.ts';
import type { MachineClassStatus } from '../../k8s/model/machine-class.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { FoundClass, Users } from './machine-class-activities.ts';

/** The status to write, and what of it is news. */
export interface ClassReport {
  readonly status: MachineClassStatus;
  readonly events: readonly ObjectEvent[];
}

/**
 * What the class's status should say now; undefined: it says so already.
 *
 * @param now milliseconds since the epoch
 */
export function classReportOf(seen: FoundClass, now: number): ClassReport | undefined {
  const { machines, machineSets, generation, status: stored } = seen;
  const { conditions: known = [] } = stored;
  const inUse = inUseOf(seen);
  const said = [readyOf(seen), ...(inUse === undefined ? [] : [inUse])];
  const at = new Date(now).toISOString();
  const status: MachineClassStatus = {
    machines: machines.count,
    machineSets: machineSets.count,
    observedGeneration: generation,
    conditions: sayOnly(known, said, at),
  };
  const isSame =
    stored.machines === status.machines &&
    stored.machineSets === status.machineSets &&
    stored.observedGeneration === generation &&
    saySame(known, status.conditions);
  if (isSame) return undefined;
  const isNews = inUse !== undefined && !known.some(({ type }) => type === 'InUse');
  return { status, events: isNews ? [{ type: 'Normal', reason: 'InUse', message: inUse.message }] : [] };
}

function readyOf({ isDeleting, problem }: FoundClass): NewCondition {
  const type = 'Ready';
  if (isDeleting) {
    const message = 'it is being deleted: nothing more is launched from it';
    return { type, status: 'False', reason: 'MachineClassDeleting', message };
  }
  if (problem !== undefined) return { type, status: 'False', reason: 'MachineClassInvalid', message: problem };
  return { type, status: 'True', reason: 'Usable', message: 'its provider is known, and its fields fit together' };
}

function inUseOf({ isDeleting, isHeld, machines, machineSets }: FoundClass): NewCondition | undefined {
  const users = [...told(machines), ...told(machineSets)];
  if (!isDeleting || !isHeld || users.length === 0) return undefined;
  const message = `it is deleted when nothing refers to it any more: ${users.join(' and ')}`;
  return { type: 'InUse', status: 'True', reason: 'Referenced', message };
}

/** E.g. `7 Machines (a, b, c, d, e, …)`. */
function told({ kind, count, names }: Users): string[] {
  if (count === 0) return [];
  const list = [...names, ...(count > names.length ? ['…'] : [])].join(', ');
  return [`${count} ${kind}${count === 1 ? '' : 's'} (${list})`];
}
