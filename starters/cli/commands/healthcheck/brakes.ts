import type { Condition } from '../../../../k8s/model/condition.ts';
import { describeDuration } from '../../../../k8s/model/duration.ts';
import { countOf } from '../../../../k8s/model/count.ts';
import type { MachineHealthCheckReading } from '../../../../k8s/model/reading.ts';
import type { ConditionType } from '../../../../k8s/model/reasons/conditions.ts';
import { toDoAbout } from '../../../../k8s/model/reasons/reasons.ts';
import { mostInFlight } from '../../../../workflows/machine-health-check/pace.ts';
import { describeShare } from '../../../../workflows/machine-health-check/shares.ts';
import { mostCoincidences } from '../../../../workflows/machine-health-check/storms.ts';

/** One thing that may hold remediations up. */
export interface BrakeState {
  /** Type of the condition that tells of it; its reason where no condition does. */
  readonly name: string;
  readonly holds: boolean;
  /** CamelCase, for programs; absent where it does not hold. */
  readonly reason?: string;
  /** RFC 3339: since when it holds. */
  readonly since?: string;
  /** A sentence with the numbers. */
  readonly message: string;
  /** What a person can do: a sentence or two; absent where it does not hold. */
  readonly toDo?: string;
}

/** The conditions that hold remediations up, and the status of each while it does. */
const HOLDS_WHILE = {
  RemediationAllowed: 'False',
  StormSuspected: 'True',
  InFlightLimit: 'True',
  ApiServerAway: 'True',
  Paused: 'True',
} as const satisfies Partial<Record<ConditionType, Condition['status']>>;

/** Conditions that tell of something broken while they are False. */
const BROKEN: ReadonlySet<string> = new Set<ConditionType>([
  'RulesValid',
  'ExternalRemediationTemplateAvailable',
  'ExternalRemediationRequestAvailable',
]);

type HoldingType = keyof typeof HOLDS_WHILE;

const HOLDING = new Map<string, string>(Object.entries(HOLDS_WHILE));

export function isHolding({ type, status }: Pick<Condition, 'type' | 'status'>): boolean {
  return HOLDING.get(type) === status;
}

/** It tells of something broken: the last good rules apply, or other programs cannot be asked. */
export function isBroken({ type, status }: Pick<Condition, 'type' | 'status'>): boolean {
  return BROKEN.has(type) && status === 'False';
}

/**
 * All that may hold remediations up: those that do first, as the check tells them, then the others with their limits.
 */
export function brakesOf(read: MachineHealthCheckReading): BrakeState[] {
  const conditions = read.status.conditions ?? [];
  const holding = conditions.filter(isHolding).map((one) => stateOf(one, true));
  const broken = conditions.filter(isBroken);
  const isHeldBy = (type: string): boolean => holding.some(({ name }) => name === type);
  return [
    ...holding,
    ...broken.map((one) => stateOf(one, false)),
    ...restingBrakes(read).filter(({ name }) => !isHeldBy(name)),
  ];
}

function stateOf({ type, reason, message, lastTransitionTime }: Condition, holds: boolean): BrakeState {
  return { name: type, holds, reason, since: lastTransitionTime, message, toDo: toDoAbout({ reason }) };
}

/** What each says while it does not hold. */
function restingBrakes({ machineHealthCheck: check, status }: MachineHealthCheckReading): BrakeState[] {
  const { limits, remediation } = check;
  const { expectedMachines: expected = 0, currentHealthy: healthy = 0, remediationsAllowed: allowed = 0 } = status;
  const { remediationsInFlight: underWay = 0, remediationsInFlightLimit: now } = status;
  const { unhealthyRange: range, maxUnhealthy } = limits;
  const { maxInFlight, stormThreshold, stormWindowMs } = remediation;
  const unhealthy = Math.max(0, expected - healthy);
  const allowedNow =
    range === undefined
      ? `${countOf(allowed, 'more machine', 'more machines')} may turn unhealthy before none is remediated (spec.maxUnhealthy is ${describeShare(maxUnhealthy)})`
      : `machines are remediated while ${range.from} to ${range.to} are not healthy, and ${countOf(unhealthy, 'is', 'are')} now (spec.unhealthyInRange)`;
  const facts = { expected, remediation };
  const most = mostInFlight(facts);
  const fewer =
    now !== undefined && now < most
      ? 'after a storm one at a time, and twice as many after each success; machines that go count only until they are replaced; '
      : '';
  return [
    {
      name: 'RemediationAllowed' satisfies HoldingType,
      holds: false,
      message: allowedNow,
    },
    {
      name: 'InFlightLimit' satisfies HoldingType,
      holds: false,
      message: `${countOf(underWay, 'remediation is', 'remediations are')} under way, and at most ${Math.min(now ?? most, most)} may be at a time (${fewer}spec.remediation.maxInFlight is ${describeShare(maxInFlight)})`,
    },
    {
      name: 'StormSuspected' satisfies HoldingType,
      holds: false,
      message: `it takes more than ${countOf(Math.floor(mostCoincidences(facts)), 'machine that turns', 'machines that turn')} unhealthy by one cause within ${describeDuration(stormWindowMs)} (spec.remediation.stormThreshold is ${describeShare(stormThreshold)}), or all Nodes of a zone`,
    },
  ];
}
