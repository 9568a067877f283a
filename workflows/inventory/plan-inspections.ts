import type { Machine } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Instance } from '../../providers/provider.ts';
import { isGone } from '../machine/instance-facts.ts';
import { doubtOf, expectedInstanceOf } from './doubt.ts';

export interface InspectionPlan {
  /** Machines whose instance is not as recorded. */
  readonly inspect: readonly ObjectRef[];
  /** Machines that more than one living instance is tagged as, and that do not say so yet. */
  readonly recount: readonly ObjectRef[];
  /** Why absences in this listing are not passed on. */
  readonly doubt?: string;
}

/**
 * Compares the machines of one credential with what the cloud shows of them. Where that view is doubted, absences
 * are reported and nobody is woken for them.
 */
export function planInspections(machines: readonly Machine[], shown: readonly Instance[]): InspectionPlan {
  const byId = new Map(shown.map((i) => [i.id, i]));
  const living = machines.filter((machine) => expectedInstanceOf(machine) !== undefined);
  const absent = living.filter(({ status }) => !byId.has(status.instance?.id ?? ''));
  const changed = living.filter(({ status }) => {
    const instance = byId.get(status.instance?.id ?? '');
    return instance !== undefined && instance.state !== status.instance?.state;
  });
  // Also those that have failed. One that is being deleted counts by itself.
  const staying = machines.filter(({ deletedAt }) => deletedAt === undefined);
  const recount = withMultiple(staying, shown).map((m) => m.ref);
  const doubt = doubtOf(absent.length, living.length);
  if (doubt === undefined) return { inspect: [...changed, ...absent].map((m) => m.ref), recount };
  // One of them looks for itself, and says in its condition what is the matter.
  return { inspect: [...changed, ...absent.slice(0, 1)].map((m) => m.ref), recount, doubt };
}

/** Those of which the listing shows a living instance besides the one on record. */
function withMultiple(machines: readonly Machine[], listed: readonly Instance[]): readonly Machine[] {
  const livingOf = new Map<string, string[]>();
  for (const { id, machineUid, state } of listed) {
    if (machineUid === undefined || isGone(state)) continue;
    livingOf.set(machineUid, [...(livingOf.get(machineUid) ?? []), id]);
  }
  return machines.filter(
    ({ ref, status }) =>
      (livingOf.get(ref.uid) ?? []).some((id) => id !== status.instance?.id) &&
      // It counts by itself until there is only one.
      !status.conditions.some(({ type }) => type === 'InstancesUnique'),
  );
}
