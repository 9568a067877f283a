import { describeDuration } from '../../../../k8s/model/duration.ts';
import type { UnhealthyMachine } from '../../../../k8s/model/machine-health-check.ts';
import type { MachineHealthCheckReading } from '../../../../k8s/model/reading.ts';
import { toDoAbout, type Reason } from '../../../../k8s/model/reasons/reasons.ts';
import { formatSelector } from '../../../../k8s/selector.ts';
import { given } from '../../../../providers/given.ts';
import { suspectOf, type Rules, type SeenBody } from '../../../../activities/health/see-health.ts';
import { brakesOf, type BrakeState } from './brakes.ts';

/** How a health check stands, and each Machine that it selects. */
export interface CheckExplanation {
  readonly namespace: string;
  readonly name: string;
  readonly apiVersion: string;
  /** What is wrong with the stored object; then it remediates nothing. */
  readonly malformed?: string;
  /** Absent: its workflow has not looked yet. */
  readonly expected?: number;
  readonly healthy?: number;
  readonly selector: string;
  /** When a machine is unhealthy: sentences. */
  readonly rules: readonly string[];
  readonly machines: readonly MachineHealth[];
  readonly brakes: readonly BrakeState[];
}

/** A Machine by the eyes of a health check. */
export interface MachineHealth {
  readonly name: string;
  readonly healthy: boolean;
  /** What is wrong with it. */
  readonly cause?: string;
  /** RFC 3339: since when. */
  readonly since?: string;
  /** RFC 3339: when it will be remediated if it stays as it is and nothing holds that up. */
  readonly dueAt?: string;
  /** What comes next, and what holds it: a sentence. */
  readonly next?: string;
}

/**
 * Explains a check by its status, and the Machines that the status does not list by a look at them.
 *
 * @param listed those that it knows as not healthy
 * @param bodies the Machines that it selects, each with its Node
 * @param rules what it goes by
 * @param rulesProblem the rules of the cluster cannot be read, and nobody answered which ones it goes by
 */
export function explainCheck(
  read: MachineHealthCheckReading,
  listed: readonly UnhealthyMachine[],
  bodies: readonly SeenBody[],
  rules: Rules,
  rulesProblem: string | undefined,
): CheckExplanation {
  const { machineHealthCheck: check, status } = read;
  const { namespace, name, apiVersion } = check.ref;
  const about = { namespace, name, apiVersion, selector: formatSelector(check.selector) };
  const { malformed } = check;
  if (malformed !== undefined) {
    const reason: Reason = 'MalformedObject';
    const message = `${malformed}: no machine is remediated until the object is mended`;
    const brake = { name: reason, holds: true, reason, message, toDo: toDoAbout({ reason }) };
    return { ...about, malformed, rules: [], machines: [], brakes: [brake] };
  }
  return {
    ...about,
    ...given({ expected: status.expectedMachines, healthy: status.currentHealthy }),
    rules: describeRules(rules, rulesProblem),
    machines: healthOfMachines(listed, bodies, rules),
    brakes: brakesOf(read),
  };
}

/** In the order of the status, and then of the names. */
function healthOfMachines(
  listed: readonly UnhealthyMachine[],
  bodies: readonly SeenBody[],
  rules: Rules,
): MachineHealth[] {
  const bodyOf = new Map(bodies.map((body) => [body.read.meta.ref.name, body]));
  const told = listed.filter(({ name }) => bodyOf.has(name));
  for (const { name } of told) bodyOf.delete(name);
  const others = [...bodyOf].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...told.map((machine) => ({ healthy: false, ...machine })),
    ...others.map(([name, body]) => healthBySight(name, body, rules)),
  ];
}

/** Its workflow may not have seen it yet, or lists so many that this one is not among them. */
function healthBySight(name: string, body: SeenBody, rules: Rules): MachineHealth {
  const suspect = suspectOf(body, rules);
  if (suspect === undefined) return { name, healthy: true };
  const [first] = suspect.causes;
  const cause = first?.words ?? (suspect.isDeleting === true ? 'it is being deleted' : 'it is not healthy yet');
  const next = 'the status of the check does not tell of it';
  return { name, healthy: false, cause, next };
}

/** When a machine is unhealthy, one sentence for each rule. */
function describeRules({ nodeRules, machineRules, limits }: Rules, problem: string | undefined): string[] {
  const conditions = [
    ...(problem === undefined ? nodeRules : []).map((rule) => ({ ...rule, whose: 'its Node' })),
    ...machineRules.map((rule) => ({ ...rule, whose: 'the Machine' })),
  ];
  const { nodeStartupTimeoutMs: startMs } = limits;
  const unknown = `the last good rules of the cluster say so, which its workflow knows, and it gave no answer (${problem})`;
  return [
    ...(problem === undefined ? [] : [unknown]),
    ...conditions.map(
      ({ type, statuses, timeoutMs, whose }) =>
        `${type} of ${whose} is ${statuses.join(' or ')} for ${describeDuration(timeoutMs)}`,
    ),
    ...(startMs > 0 ? [`its Node does not come within ${describeDuration(startMs)} of the launch`] : []),
    'its Node is gone',
    'it is Failed',
  ];
}
