import { isSameJson } from '../../k8s/json.ts';
import { saySame, sayOnly, type NewCondition } from '../../k8s/model/condition.ts';
import type { MachineSetStatus } from '../../k8s/model/machine-set.ts';
import { isEventReason, type FailureReason } from '../../k8s/model/reasons/reasons.ts';
import { isTroubled } from '../../k8s/model/trouble.ts';
import { describePause } from '../describe-pause.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { Survey } from './describe-set.ts';
import { describeRefusal, TOLD, type Refusals } from './refusals.ts';
import { given } from '../../providers/given.ts';

const CREATE_ERROR: FailureReason = 'CreateError';

/** The status to write, and what of it is news. */
export interface SetReport {
  readonly status: MachineSetStatus;
  readonly events: readonly ObjectEvent[];
}

/**
 * What the set's status should say now; undefined: it says so already.
 *
 * @param refusals what the API server refuses it
 * @param isSettled not: a Machine that it may not have any more may still be made, and it has not answered to its spec
 * @param now milliseconds since the epoch
 */
export function reportOf(survey: Survey, refusals: Refusals, now: number, isSettled = true): SetReport | undefined {
  const { plan, generation, paused } = survey;
  const stored = { ...survey.status, conditions: survey.status.conditions ?? [] };
  const said = [
    ...(paused ? [pausedCondition(survey)] : refusalConditions(refusals)),
    ...(plan.contested === undefined ? [] : [overlapCondition(plan.contested)]),
  ];
  const at = new Date(now).toISOString();
  // A set that is paused does nothing: what was refused before stays as it was.
  const kept = paused ? stored.conditions.filter((c) => isRefusalType(c.type)) : [];
  const conditions = sayOnly(stored.conditions, said, at, kept);
  const failed = said.find((c) => c.type === TOLD.create.condition && c.status === 'False');
  const status: MachineSetStatus = {
    ...plan.counts,
    observedGeneration: isSettled ? generation : (stored.observedGeneration ?? 0),
    conditions,
    ...given({ error: failed && { reason: CREATE_ERROR, message: failed.message } }),
  };
  if (isSame(status, stored)) return undefined;
  const news = said.filter((c) => !stored.conditions.some((s) => s.type === c.type && isTroubled(s)));
  return { status, events: news.flatMap(eventOf) };
}

/** That Machines are created is always said, the rest while it is refused. */
function refusalConditions(refusals: Refusals): NewCondition[] {
  const kinds = ['adopt', 'release', 'update', 'delete', 'create'] as const;
  const refused = kinds.flatMap((asked): NewCondition[] => {
    const refusal = refusals[asked];
    const { condition: type, reason } = TOLD[asked];
    return refusal === undefined ? [] : [{ type, status: 'False', reason, message: describeRefusal(asked, refusal) }];
  });
  if (refusals.create !== undefined) return refused;
  const { condition: type } = TOLD.create;
  return [...refused, { type, status: 'True', reason: type, message: 'no Machine was refused' }];
}

function pausedCondition({ pausedBy }: Survey): NewCondition {
  const message = describePause('nothing is created or deleted', pausedBy);
  return { type: 'Paused', status: 'True', reason: 'Paused', message };
}

/** Two sets that select the same Machines: neither takes the other's, and what a person meant has to be asked. */
function overlapCondition(contested: string): NewCondition {
  const message = `spec.selector matches Machine ${contested}, which another controller has: it is left to that, and no Machine without a controller is safe from either`;
  return { type: 'SelectorConflict', status: 'True', reason: 'SelectorOverlap', message };
}

function isRefusalType(type: string): boolean {
  return Object.values(TOLD).some(({ condition }) => condition === type);
}

function eventOf({ reason, message }: NewCondition): ObjectEvent[] {
  return isEventReason(reason) ? [{ type: 'Warning', reason, message }] : [];
}

function isSame(a: MachineSetStatus, b: Partial<MachineSetStatus>): boolean {
  const facts = (s: Partial<MachineSetStatus>) => [
    s.replicas,
    s.fullyLabeledReplicas,
    s.readyReplicas,
    s.availableReplicas,
    s.observedGeneration,
    s.labelSelector,
    s.error?.message,
  ];
  return isSameJson(facts(a), facts(b)) && saySame(a.conditions, b.conditions ?? []);
}
