import { saySame, sayOnly, withCondition, type NewCondition } from '../../k8s/model/condition.ts';
import { MOST_UNHEALTHY_TOLD, type MachineHealthCheckStatus } from '../../k8s/model/machine-health-check.ts';
import { RULES_MEANWHILE } from './broken-rules.ts';
import { describePause } from '../describe-pause.ts';
import type { Brake, BrakeReason, Decision } from './decision.ts';
import type { FoundCheck, MalformedCheck } from './health-activities.ts';
import { describeUnhealthy } from './too-many.ts';

const CONDITION_OF = {
  TooManyUnhealthy: 'RemediationAllowed',
  TooFewUnhealthy: 'RemediationAllowed',
  ManyAtOnce: 'StormSuspected',
  ZoneLost: 'StormSuspected',
  AtLimit: 'InFlightLimit',
  RecentOutage: 'ApiServerAway',
} as const satisfies Readonly<Record<BrakeReason, NewCondition['type']>>;

/**
 * What the check's status should say now; undefined: it says so already.
 *
 * @param now milliseconds since the epoch
 */
export function statusOf(seen: FoundCheck, decision: Decision, now: number): MachineHealthCheckStatus | undefined {
  const { expected, healthy, generation, status: stored } = seen;
  const known = stored.conditions ?? [];
  const at = new Date(now).toISOString();
  const said = conditionsOf(seen, decision);
  const conditions = sayOnly(known, said, at);
  const status: MachineHealthCheckStatus = {
    expectedMachines: expected,
    currentHealthy: healthy,
    remediationsAllowed: decision.allowed,
    remediationsInFlight: decision.inFlight.count,
    remediationsInFlightLimit: decision.inFlight.limit,
    observedGeneration: generation,
    conditions,
    unhealthyMachines: decision.unhealthy.slice(0, MOST_UNHEALTHY_TOLD),
  };
  const isSame = factsOf(status) === factsOf(stored) && saySame(conditions, known);
  return isSame ? undefined : status;
}

/** The same, of a check that cannot be read: what it counted last stays, and nothing is announced. */
export function statusOfMalformed(
  { generation, status: stored, message }: MalformedCheck,
  now: number,
): MachineHealthCheckStatus | undefined {
  const condition: NewCondition = {
    type: 'RemediationAllowed',
    status: 'False',
    reason: 'MalformedObject',
    message: `${message}: no machine is remediated until the object is mended`,
  };
  const known = stored.conditions ?? [];
  const only = known.filter(({ type }) => type === condition.type);
  const status: MachineHealthCheckStatus = {
    expectedMachines: stored.expectedMachines ?? 0,
    currentHealthy: stored.currentHealthy ?? 0,
    remediationsAllowed: 0,
    remediationsInFlight: stored.remediationsInFlight ?? 0,
    remediationsInFlightLimit: 0,
    observedGeneration: generation,
    conditions: withCondition(only, condition, new Date(now).toISOString()),
    unhealthyMachines: [],
  };
  const isSame = factsOf(status) === factsOf(stored) && saySame(status.conditions, known);
  return isSame ? undefined : status;
}

/** Whether it may remediate is always said, the rest while it is so. */
function conditionsOf(seen: FoundCheck, { brakes, requestProblem }: Decision): NewCondition[] {
  const { paused, rulesProblem, templateProblem, expected, healthy } = seen;
  const braked = byType(brakes).map(([type, some]): NewCondition => {
    const [{ reason } = { reason: 'AtLimit' as const }] = some;
    const status = type === 'RemediationAllowed' ? 'False' : 'True';
    return { type, status, reason, message: some.map(({ message }) => message).join('; ') };
  });
  const allowed: NewCondition = {
    type: 'RemediationAllowed',
    status: 'True',
    reason: 'RemediationAllowed',
    message: `${describeUnhealthy(Math.max(0, expected - healthy), expected)}, which is not too many`,
  };
  return [
    ...(braked.some(({ type }) => type === allowed.type) ? [] : [allowed]),
    ...braked,
    ...(paused ? [pausedCondition()] : []),
    ...(rulesProblem === undefined ? [] : [brokenRules(rulesProblem)]),
    ...(templateProblem === undefined ? [] : [noTemplate(templateProblem)]),
    ...(requestProblem === undefined ? [] : [noRequest(requestProblem)]),
  ];
}

/** Several storms are one condition. */
function byType(brakes: readonly Brake[]): [NewCondition['type'], Brake[]][] {
  const types = [...new Set(brakes.map(({ reason }) => CONDITION_OF[reason]))];
  return types.map((type) => [type, brakes.filter(({ reason }) => CONDITION_OF[reason] === type)]);
}

function pausedCondition(): NewCondition {
  const message = describePause('no machine is remediated');
  return { type: 'Paused', status: 'True', reason: 'Paused', message };
}

function brokenRules(problem: string): NewCondition {
  return {
    type: 'RulesValid',
    status: 'False',
    reason: 'BrokenRules',
    message: `${problem}: ${RULES_MEANWHILE}`,
  };
}

function noTemplate(problem: string): NewCondition {
  const message = `${problem}: no machine is remediated`;
  const reason = 'ExternalRemediationTemplateNotFound';
  return { type: 'ExternalRemediationTemplateAvailable', status: 'False', reason, message };
}

function noRequest(message: string): NewCondition {
  const reason = 'ExternalRemediationRequestCreationFailed';
  return { type: 'ExternalRemediationRequestAvailable', status: 'False', reason, message };
}

function factsOf(status: Partial<MachineHealthCheckStatus>): string {
  const rows = status.unhealthyMachines ?? [];
  return JSON.stringify([
    status.expectedMachines,
    status.currentHealthy,
    status.remediationsAllowed,
    status.remediationsInFlight,
    status.remediationsInFlightLimit,
    status.observedGeneration,
    rows.map(({ name, cause, since, next, dueAt }) => [name, cause, since, next, dueAt]),
  ]);
}
