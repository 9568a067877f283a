import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { joinNames, someOf } from '../../k8s/model/some-names.ts';
import type { ObjectEvent } from '../event-activities.ts';
import type { Away } from './away.ts';
import { RULES_MEANWHILE } from './broken-rules.ts';
import type { FoundCheck } from './health-activities.ts';
import type { HealthMemory, Slot } from './health-memory.ts';
import { whyNotReplaced } from './left-alone.ts';
import { describeIllness, type Patient } from './patients.ts';
import { firstStep } from './slot-steps.ts';
import type { Storms } from './storms.ts';
import type { UnhealthyLimit } from './too-many.ts';
import { isForAnother, timeoutOf } from './wishes.ts';

/** Of more machines than this one event tells together. */
const MOST_EVENTS = 5;
/** What holds remediations up again and again is told anew where it did not for so long, in milliseconds. */
const TOLD_AGAIN_MS = 600_000;
/** Most names in an event. */
const MOST_NAMES = 10;

export interface HealthNews {
  readonly events: readonly ObjectEvent[];
  /** What makes which Machines unhealthy, and was told now. */
  readonly told: readonly { readonly uid: string; readonly key: string }[];
  /** As {@link HealthMemory.restricted}. */
  readonly restricted: HealthMemory['restricted'];
}

export interface Happened {
  readonly away: readonly Away[];
  readonly patients: readonly Patient[];
  readonly succeeded: readonly Slot[];
  readonly storms: Storms;
  readonly limit: UnhealthyLimit;
  readonly memory: Pick<HealthMemory, 'restricted' | 'lookedAt'>;
  readonly seen: FoundCheck;
  readonly now: number;
}

/** What is worth an event because it is new. */
export function newsOf({ away, patients, succeeded, storms, limit, memory, seen, now }: Happened): HealthNews {
  const ill = patients.flatMap((patient) => {
    // That its Node goes down with it is no news.
    if (patient.suspect.isDeleting === true) return [];
    const illnesses = patient.illnesses.filter(({ isUnhealthy, isTold }) => isUnhealthy && !isTold);
    return illnesses.length === 0 ? [] : [{ patient, illnesses }];
  });
  const detected = ill.map(({ patient: { suspect }, illnesses }) => ({
    name: suspect.name,
    words: illnesses.map((illness) => describeIllness(illness, now)).join('; '),
  }));
  const orphans = ill.flatMap(({ patient, illnesses }) => {
    // It was told when the first of it was, unless it failed since: nothing but a deletion helps it then.
    const isKnown = patient.illnesses.some(({ isUnhealthy, isTold }) => isUnhealthy && isTold);
    if (isKnown && !illnesses.some(({ cause }) => cause.kind === 'failed')) return [];
    const first = firstStep({ seen, away, now }, patient)?.step;
    const hold = reached(seen.remediation.steps, first)
      .map((step) => whyNotReplaced(patient.suspect, step))
      .find((one) => one !== undefined);
    if (hold === undefined) return [];
    const isLeft = first?.action === 'Replace';
    return [{ name: patient.suspect.name, words: `${isLeft ? '' : 'then it '}waits ${hold.words}`, isLeft }];
  });
  const restrictions = restrictionsOf(limit, storms);
  return {
    events: [
      ...each('Warning', 'DetectedUnhealthy', 'unhealthy', detected),
      ...each(
        'Warning',
        'SkippedNoController',
        'left alone',
        orphans.filter(({ isLeft }) => isLeft),
      ),
      ...each(
        'Warning',
        'SkippedNoController',
        'not replaced where no other step helps',
        orphans.filter(({ isLeft }) => !isLeft),
      ),
      ...restrictions
        .filter(({ key }) => !isKnown(memory.restricted[key], memory, now))
        .map(({ message }) => ({ type: 'Warning', reason: 'RemediationRestricted', message }) as const),
      ...brokenRules(seen),
      ...successes(
        'healthy again',
        succeeded.filter(({ isLeaving }) => isLeaving !== true),
      ),
      ...successes(
        'gone, and its set is whole again',
        succeeded.filter(({ isLeaving, wholeAt }) => isLeaving === true && wholeAt === undefined),
      ),
      ...successes(
        'gone, and its set was whole before that',
        succeeded.filter(({ isLeaving, wholeAt }) => isLeaving === true && wholeAt !== undefined),
      ),
    ],
    told: ill.flatMap(({ patient, illnesses }) =>
      illnesses.map(({ cause }) => ({ uid: patient.suspect.uid, key: cause.key })),
    ),
    restricted: {
      ...Object.fromEntries(Object.entries(memory.restricted).filter(([, at]) => isKnown(at, memory, now))),
      ...Object.fromEntries(restrictions.map(({ key }) => [key, now])),
    },
  };
}

/** The steps that may come: behind another program that has no time-out comes none. */
function reached(steps: readonly RemediationStep[], first: RemediationStep | undefined): readonly RemediationStep[] {
  const from = first === undefined ? 0 : steps.indexOf(first);
  const last = steps.findIndex((step, at) => at >= from && isForAnother(step) && timeoutOf(step) === undefined);
  return last < 0 ? steps : steps.slice(0, last + 1);
}

interface Restriction {
  /** The same for the same thing at another look. */
  readonly key: string;
  readonly message: string;
}

function restrictionsOf({ brake }: UnhealthyLimit, { latched }: Storms): readonly Restriction[] {
  return [
    ...(brake === undefined ? [] : [{ key: brake.reason, message: brake.message }]),
    ...latched.map(({ storm: { cause, zone = '' }, reason, message }) => ({
      key: `${reason} ${zone} ${cause}`,
      message,
    })),
  ];
}

/** It held remediations up at the last look, or a moment ago: that it does so again is no news. */
function isKnown(at: number | undefined, { lookedAt }: Happened['memory'], now: number): boolean {
  return at !== undefined && (at === lookedAt || at > now - TOLD_AGAIN_MS);
}

function brokenRules({ rulesProblem, status }: FoundCheck): ObjectEvent[] {
  const isKnown = status.conditions?.some(({ type, status: is }) => type === 'RulesValid' && is === 'False') === true;
  return rulesProblem === undefined || isKnown
    ? []
    : [{ type: 'Warning', reason: 'BrokenRules', message: `${rulesProblem}: ${RULES_MEANWHILE}` }];
}

function successes(what: string, slots: readonly Slot[]): ObjectEvent[] {
  return each(
    'Normal',
    'RemediationSucceeded',
    what,
    slots.map(({ name, cause }) => ({ name, words: `it was remediated for this: ${cause}` })),
    '; ',
  );
}

function each(
  type: ObjectEvent['type'],
  reason: ObjectEvent['reason'],
  what: string,
  machines: readonly { readonly name: string; readonly words: string }[],
  then = ': ',
): ObjectEvent[] {
  const [first] = machines;
  if (first === undefined || machines.length <= MOST_EVENTS) {
    return machines.map(({ name, words }) => ({ type, reason, message: `Machine ${name} is ${what}${then}${words}` }));
  }
  const names = someOf(
    machines.map(({ name }) => name),
    MOST_NAMES,
  );
  const message = `${machines.length} Machines are ${what}: ${joinNames(names)}. Of the first one: ${first.words}`;
  return [{ type, reason, message }];
}
