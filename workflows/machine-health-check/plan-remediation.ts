import { given } from '../../providers/given.ts';
import { awayTimes } from './away.ts';
import { beginSteps, type BegunSteps } from './begin-steps.ts';
import type { Brake, Decision, DecideOptions } from './decision.ts';
import { withForgotten } from './forgotten.ts';
import type { FoundCheck, RemediateAnswer } from './health-activities.ts';
import type { HealthMemory } from './health-memory.ts';
import { TEMPLATE_LOOK_MS, whyDoubted, type Holds } from './holds.ts';
import { newsOf } from './news.ts';
import { limitBrake, nextPace, type Pace } from './pace.ts';
import { patientsOf, worstOf, type Patient } from './patients.ts';
import { helpedAt } from './reboots.ts';
import type { FailedReplacement } from './failed-replacements.ts';
import { replacedLately } from './replaced-lately.ts';
import { recentOutage } from './recent-outage.ts';
import { noteTold, rulesKeyOf, seeIllnesses, sightingsLookAt } from './sightings.ts';
import { renewSlots } from './slots.ts';
import { ASK_AGAIN_MS } from './slot-steps.ts';
import { stormsToRemember, watchStorms } from './storms.ts';
import { limitUnhealthy } from './too-many.ts';
import { unhealthyRows } from './unhealthy-rows.ts';
import { fulfilledWishes } from './wishes.ts';

/** While remediations are under way their sets are looked at so often, should nobody tell of a change, in milliseconds. */
const UNDERWAY_LOOK_MS = 60_000;

/**
 * What is to be done after a look. It answers a new memory, and leaves the old one as it is.
 *
 * @param now milliseconds since the epoch; it may go back by some seconds from look to look
 */
export function decide(seen: FoundCheck, known: HealthMemory, now: number, options: DecideOptions): Decision {
  const { uid } = options;
  const away = awayTimes(seen.outages);
  const sight = seeIllnesses(known, seen, away, now);
  const memory: HealthMemory = {
    ...known,
    slots: withForgotten(known.slots, seen, { uid, now }),
  };
  const patients = patientsOf(seen.suspects, sight);
  const storms = watchStorms(seen, memory, patients, now);
  const limit = limitUnhealthy(seen);
  const isDoubted = (patient: Patient): boolean =>
    worstOf(patient) !== undefined && whyDoubted({ limit, storms }, patient) !== undefined;
  const renewed = renewSlots(seen, memory, patients, { uid, now, away, isDoubted });
  const { succeeded } = renewed;
  const pace = nextPace(seen, memory.pace, { hasLetGo: storms.hasLetGo, successes: succeeded.length });
  const outage = recentOutage(seen.outages, seen.settings.nodeMonitorGraceSeconds * 1000, now);
  const { setAside, helped } = renewed;
  const holds: Holds = { seen, uid, now, away, limit, outage, storms, setAside };
  const begun = beginSteps({
    ...holds,
    patients,
    renewed,
    pace,
    neverJoined: memory.neverJoined,
    madeWhole: memory.madeWhole,
  });
  const news = newsOf({ away, patients, succeeded, storms, limit, memory, seen, now });
  return {
    memory: {
      lookedAt: now,
      rules: rulesKeyOf(seen),
      sightings: noteTold(sight.sightings, news.told),
      slots: begun.slots,
      storms: stormsToRemember(storms),
      replaced: replacedLately(memory.replaced, begun, patients, storms, {
        now,
        windowMs: seen.remediation.stormWindowMs,
      }),
      neverJoined: begun.neverJoined,
      madeWhole: begun.madeWhole,
      setAside,
      helped,
      ...given({ pace: pace.pace }),
      restricted: news.restricted,
    },
    begin: begun.begin,
    fulfilled: fulfilledWishes(patients, begun.slots, { seen, away, now }),
    brakes: brakesOf(holds, begun, pace, renewed.failedReplacements),
    ...given({
      requestProblem: requestProblemOf(begun),
      isLeftToPeople: isLeftToPeople(patients, begun) || undefined,
    }),
    unhealthy: unhealthyRows(patients, begun, { uid, steps: seen.remediation.steps }),
    allowed: limit.allowed,
    inFlight: { count: Object.keys(begun.slots).length, limit: pace.limit },
    events: news.events,
    lookAt: Math.min(
      sightingsLookAt(sight.illnesses.values(), now),
      stepsLookAt(begun, now),
      seen.templateProblem === undefined ? Infinity : now + TEMPLATE_LOOK_MS,
      outage?.until ?? Infinity,
      ...storms.latched.map(({ until }) => until ?? Infinity),
    ),
  };
}

function brakesOf(
  { seen, limit, outage, storms }: Holds,
  begun: BegunSteps,
  pace: Pace,
  failed: readonly FailedReplacement[],
): Brake[] {
  const failedIn = new Map(failed.map(({ uid, patient }) => [uid, patient.suspect.name]));
  const underWay = Object.entries(begun.slots).map(([uid, { name }]) => {
    const replacement = failedIn.get(uid);
    return replacement === undefined ? name : `${name}, whose replacement ${replacement} is no better`;
  });
  return [
    ...(limit.brake === undefined ? [] : [limit.brake]),
    ...storms.latched.map(({ reason, message }) => ({ reason, message })),
    ...(outage === undefined ? [] : [outage.brake]),
    ...(begun.waiting === 0 ? [] : [limitBrake(seen, pace, { underWay, waiting: begun.waiting })]),
  ];
}

/** Something unhealthy waits for a person: nobody would make another one. */
function isLeftToPeople(patients: readonly Patient[], { waits }: BegunSteps): boolean {
  const unowned = patients.filter(({ suspect }) => suspect.set === undefined);
  return unowned.some((patient) => worstOf(patient) !== undefined && waits.has(patient.suspect.uid));
}

function requestProblemOf({ slots }: BegunSteps): string | undefined {
  const failed = Object.values(slots).find(({ action, asked }) => action === 'Template' && asked.outcome === 'refused');
  return failed && `for Machine ${failed.name}: ${failed.asked.message ?? 'nothing was said'}`;
}

/** When a step may be due, or a hold over; and, while anything is under way, when it is looked after. */
function stepsLookAt({ begin, slots, waits }: BegunSteps, now: number): number {
  const over = [...waits.values()].map(({ until }) => until ?? Infinity);
  const underWay = Object.keys(slots).length > 0 ? now + UNDERWAY_LOOK_MS : Infinity;
  const helped = Object.values(slots)
    .map(helpedAt)
    .filter((at) => at > now);
  return Math.min(...over, ...helped, underWay, begin.length > 0 ? now + ASK_AGAIN_MS.first : Infinity);
}

/** The memory with what came of a step that `decide` wanted to be taken. */
export function began(memory: HealthMemory, uid: string, answer: RemediateAnswer): HealthMemory {
  const slot = memory.slots[uid];
  if (slot === undefined) return memory;
  const { times, at } = slot.asked;
  const asked =
    answer.outcome === 'done' || answer.outcome === 'gone'
      ? ({ times, at, outcome: 'done' } as const)
      : ({ times, at, outcome: 'refused', message: answer.message } as const);
  const leaving = answer.outcome === 'gone' ? ({ isLeaving: true } as const) : {};
  return { ...memory, slots: { ...memory.slots, [uid]: { ...slot, asked, ...leaving } } };
}
