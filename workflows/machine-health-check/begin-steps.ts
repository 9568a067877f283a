import type { RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { given } from '../../providers/given.ts';
import type { Begin } from './decision.ts';
import type { Away } from './away.ts';
import { treatable, whyHeld, whyHeldLater, type Holds } from './holds.ts';
import type { HealthMemory, MadeWhole, Slot, SlotReboot } from './health-memory.ts';
import type { Hold } from './left-alone.ts';
import { badReplacements, madeWholeBy } from './made-whole.ts';
import { inOrder, recentlyTried } from './order.ts';
import type { Pace } from './pace.ts';
import {
  describeIllness,
  describeProof,
  failureOf,
  firstDue,
  unhealthySince,
  worstOf,
  type Patient,
} from './patients.ts';
import { failedReplacements, type FailedReplacement } from './failed-replacements.ts';
import type { RenewedSlots } from './slots.ts';
import { rebootFor, recordFor } from './reboots.ts';
import { keyOf } from './wishes.ts';
import {
  allSpentUntil,
  firstStep,
  isPastSpentReboot,
  nextStep,
  replaceAgain,
  replaceAgainMs,
  type NextStep,
} from './slot-steps.ts';

/** What begins after a look, and what else waits. */
export interface BegunSteps {
  readonly begin: readonly Begin[];
  readonly slots: HealthMemory['slots'];
  readonly neverJoined: HealthMemory['neverJoined'];
  readonly madeWhole: HealthMemory['madeWhole'];
  /** By the uid of a Machine: what holds its next step back. */
  readonly waits: ReadonlyMap<string, Hold>;
  /** The same for what is not bad for long enough yet: what would hold it back then. */
  readonly later: ReadonlyMap<string, Hold>;
  /** How many wait for the pace only. */
  readonly waiting: number;
}

export interface BeginInput extends Holds {
  readonly away: readonly Away[];
  readonly patients: readonly Patient[];
  readonly renewed: RenewedSlots;
  readonly pace: Pace;
  readonly neverJoined: HealthMemory['neverJoined'];
  readonly madeWhole: HealthMemory['madeWhole'];
}

const SPENT = 'it was rebooted as often within 24 h as it may be (maxReboots)';

/** Steps of what is under way first: they take no slot. Then as many new remediations as there are slots, in order. */
export function beginSteps(input: BeginInput): BegunSteps {
  const round = new Round(input);
  round.goOn();
  round.replaceInTurn();
  round.beginNew();
  round.foresee();
  return round;
}

class Round implements BegunSteps {
  readonly begin: Begin[] = [];
  readonly slots: Record<string, Slot>;
  readonly neverJoined: Record<string, number>;
  madeWhole: readonly MadeWhole[];
  readonly waits = new Map<string, Hold>();
  readonly later = new Map<string, Hold>();
  waiting = 0;
  readonly #input: BeginInput;

  constructor(input: BeginInput) {
    this.#input = input;
    this.slots = { ...input.renewed.slots };
    this.neverJoined = { ...recentlyTried(input.neverJoined, input.now) };
    const { replaced, letGo } = input.renewed;
    this.madeWhole = madeWholeBy(input.madeWhole, [...replaced, ...letGo], input.seen, input.now);
  }

  /** The next step of what is under way, or the same once more. */
  goOn(): void {
    const { patients } = this.#input;
    for (const patient of patients) {
      const { uid } = patient.suspect;
      const slot = this.slots[uid];
      if (slot === undefined || slot.isLeaving === true) continue;
      const next = notTooSoon(nextStep(this.#input, slot, patient), slot);
      if (next === undefined || !this.#mayTake(patient, next, true)) continue;
      const isRepeated = next.at === slot.step && next.step.action === slot.action;
      const { reboot, key: _before, ...rest } = slot;
      const again = isRepeated ? { times: slot.asked.times, reboot } : { times: 0 };
      const asked = this.#ask(again.times);
      const after = afterOf(patient, slot, next);
      this.#take(patient, next, { ...rest, ...placeOf(next), asked, ...given({ reboot: again.reboot }) }, after);
    }
  }

  /** Replacements that are no better than what they replaced. */
  replaceInTurn(): void {
    for (const failed of this.#input.renewed.failedReplacements) this.#replaceAgain(failed);
  }

  beginNew(): void {
    const { patients, renewed, setAside, now } = this.#input;
    const inTurn = new Set(renewed.failedReplacements.map(({ patient }) => patient.suspect.uid));
    const candidates = patients.filter(
      ({ suspect, illnesses }) =>
        this.slots[suspect.uid] === undefined &&
        !inTurn.has(suspect.uid) &&
        illnesses.some(({ isUnhealthy }) => isUnhealthy),
    );
    // What is held takes nobody's turn.
    const bad = badReplacements(this.madeWhole, candidates, this.#input.seen);
    const ready = candidates.filter((patient) => this.#mayBegin(patient, bad));
    for (const patient of inOrder(ready, { neverJoined: this.neverJoined, setAside }, now)) {
      const next = this.#first(patient, bad);
      if (next === undefined || !this.#hasTurn(patient)) continue;
      const { name, uid, set, isControlPlane } = patient.suspect;
      const before = bad.get(uid);
      const replacements = before && before.replacements + 1;
      this.madeWhole = this.madeWhole.filter((one) => one !== before);
      const first = { name, startedAt: now, asked: this.#ask(0), ...given({ set, isControlPlane, replacements }) };
      this.#take(patient, next, { ...first, ...placeOf(next) });
    }
  }

  /** What holds back those then that are not bad for long enough yet. It has nobody look sooner. */
  foresee(): void {
    const coming = this.#input.patients.flatMap(({ suspect, illnesses }) => {
      const first = firstDue(illnesses);
      if (first === undefined || first.isUnhealthy || this.slots[suspect.uid] !== undefined) return [];
      // As it is then, if it stays as it is.
      return [{ dueAt: first.dueAt, patient: { suspect, illnesses: [{ ...first, isUnhealthy: true }] } }];
    });
    const { seen, renewed } = this.#input;
    const patients = coming.map(({ patient }) => patient);
    const bad = badReplacements(this.madeWhole, patients, seen);
    const gone = renewed.gone.filter(({ uid }) => this.slots[uid] !== undefined);
    const inTurn = new Map(
      failedReplacements(gone, patients, this.slots, seen).map(({ patient, slot }) => [patient, slot] as const),
    );
    for (const { dueAt, patient } of coming) {
      const then = { ...this.#input, now: dueAt };
      const slot = inTurn.get(patient);
      const next = slot === undefined ? this.#first(patient, bad, then) : replaceAgain(then, slot, patient);
      const held = next && whyHeldLater(then, patient, next.step);
      const hold = next === undefined ? whyNoStep(then, patient) : next.dueAt > dueAt ? tooEarly(next, held) : held;
      if (hold !== undefined) this.later.set(patient.suspect.uid, hold);
    }
  }

  #replaceAgain({ uid, slot, patient }: FailedReplacement): void {
    const next = replaceAgain(this.#input, slot, patient);
    if (next === undefined || !this.#mayTake(patient, next, false)) return;
    delete this.slots[uid];
    const { replacements = 0 } = slot;
    const { name, set, isControlPlane } = patient.suspect;
    // What was made before cannot have come for this one.
    const asked = this.#ask(0);
    const again = { name, startedAt: this.#input.now, replacements: replacements + 1, asked };
    const inPlaceOf = { uid, slot };
    this.#take(patient, next, { ...again, inPlaceOf, ...given({ set, isControlPlane }), ...placeOf(next) });
  }

  /** A replacement that is no better than what it replaced has a step that replaces it wait. */
  #first(patient: Patient, bad: ReadonlyMap<string, MadeWhole>, input = this.#input): NextStep | undefined {
    const next = firstStep(input, patient);
    const before = bad.get(patient.suspect.uid);
    if (next?.step.action !== 'Replace' || before === undefined) return next;
    return { ...next, dueAt: unhealthySince(patient) + replaceAgainMs(before), isAgain: true };
  }

  #mayBegin(patient: Patient, bad: ReadonlyMap<string, MadeWhole>): boolean {
    const next = this.#first(patient, bad);
    if (next !== undefined) return this.#mayTake(patient, next, false);
    this.#noteSpent(patient);
    return false;
  }

  #noteSpent(patient: Patient): void {
    if (allSpentUntil(this.#input, patient) === undefined) return;
    this.waits.set(patient.suspect.uid, whyNoStep(this.#input, patient));
  }

  /** The pace of the check, and of a control plane. */
  #hasTurn({ suspect }: Patient): boolean {
    const slots = Object.values(this.slots);
    if (suspect.isControlPlane === true && this.#isControlPlaneBusy()) {
      const words = 'for another control-plane machine, which is being remediated or deleted';
      this.waits.set(suspect.uid, { words });
      return false;
    }
    if (slots.length < this.#input.pace.limit) return true;
    this.waits.set(suspect.uid, { words: 'for its turn (InFlightLimit)' });
    this.waiting += 1;
    return false;
  }

  /** Whoever has one of its machines in hand. What is to begin is in nobody's. */
  #isControlPlaneBusy(): boolean {
    const isInHand = ({ suspect: other }: Patient): boolean =>
      other.isControlPlane === true &&
      (other.isDeleting === true || (other.claim !== undefined && other.claim.uid !== this.#input.uid));
    return (
      Object.values(this.slots).some(({ isControlPlane }) => isControlPlane) || this.#input.patients.some(isInHand)
    );
  }

  #mayTake(patient: Patient, next: NextStep, isUnderWay: boolean): boolean {
    const { now, outage } = this.#input;
    // One that is over by then holds nothing up.
    const lasting = outage !== undefined && outage.until <= next.dueAt ? undefined : outage;
    const held = whyHeld({ ...this.#input, outage: lasting }, patient, next.step, isUnderWay);
    const hold = next.dueAt > now ? tooEarly(next, held) : withDue(held, next);
    if (hold !== undefined) this.waits.set(patient.suspect.uid, hold);
    return hold === undefined;
  }

  #take(patient: Patient, next: NextStep, slot: Omit<Slot, 'cause'>, after = ''): void {
    const { now, storms } = this.#input;
    const { uid, name, set } = patient.suspect;
    const { step } = next;
    const treated = treatable(patient, storms);
    const worst = worstOf(treated);
    const told = failureOf(treated) ?? worst;
    const why = told === undefined ? 'it is not healthy' : describeIllness(told, now);
    const isPast = slot.startedAt === now && isPastSpentReboot(this.#input, patient, next);
    const cause = `${why}${describeProof(treated)}${isPast ? `; ${SPENT}` : ''}${after}`;
    if (worst?.cause.kind === 'neverJoined' && set !== undefined) this.neverJoined[set.uid] = now;
    const reboot = step.action === 'Reboot' ? (slot.reboot ?? this.#rebootFor(patient)) : undefined;
    const wanted = set && this.#input.seen.sets[set.uid]?.wanted;
    this.slots[uid] = { ...slot, cause, ...given({ reboot, wanted }) };
    const unhealthy = patient.illnesses.filter(({ isUnhealthy }) => isUnhealthy);
    const causes = unhealthy.map((illness) => illness.cause.key);
    this.begin.push({ machine: { name, uid }, step, cause, causes, ...given({ reboot: reboot?.id }) });
  }

  #rebootFor({ suspect }: Patient): SlotReboot {
    return rebootFor(suspect, this.#input.renewed.helped[suspect.uid], this.#input);
  }

  #ask(times: number): Slot['asked'] {
    return { times: times + 1, at: this.#input.now };
  }
}

/** Why none of the steps is taken. */
function whyNoStep(input: BeginInput, patient: Patient): Hold {
  const until = allSpentUntil(input, patient);
  return until === undefined
    ? { words: 'for a person: no step is left' }
    : { words: `for the next reboot: ${SPENT}, and no other step is left`, until };
}

/** Where another step came before, a replacement that is no better than what it replaced waits with its end all the same. */
function notTooSoon(next: NextStep | undefined, { action, replacements, startedAt }: Slot): NextStep | undefined {
  if (next?.step.action !== 'Replace' || action === 'Replace' || replacements === undefined) return next;
  const dueAt = startedAt + replaceAgainMs({ replacements: replacements - 1 });
  return dueAt <= next.dueAt ? next : { ...next, dueAt, isAgain: true };
}

/** What holds a step back that is not due yet: what would do so if it was, or its time. */
function tooEarly({ step: { action }, dueAt, isAgain }: NextStep, held: Hold | undefined): Hold {
  if (held !== undefined) return { ...held, until: Math.min(dueAt, held.until ?? Infinity), dueAt };
  const at = new Date(dueAt).toISOString();
  const why = isAgain === true ? ': each replacement that is no better is replaced later than the one before' : '';
  return { words: `until ${at} to be ${DONE_BY[action]}${why}`, until: dueAt };
}

/** A replacement that waited was due at the end of that, also where something else holds it up since. */
function withDue(held: Hold | undefined, { dueAt, isAgain }: NextStep): Hold | undefined {
  return held !== undefined && held.until === undefined && isAgain === true ? { ...held, dueAt } : held;
}

const DONE_BY = {
  Reboot: 'rebooted',
  Replace: 'replaced',
  Annotate: 'given an annotation for another program, where it has none by then',
  Template: 'given an object for another program, where it has none by then',
} as const satisfies Record<RemediationStep['action'], string>;

function placeOf({ at, step }: NextStep): Pick<Slot, 'step' | 'action' | 'key'> {
  return { step: at, action: step.action, ...given({ key: keyOf(step) }) };
}

/** What the step before came to, for the words of the one that follows. */
function afterOf({ suspect }: Patient, slot: Slot, { step }: NextStep): string {
  if (slot.action !== 'Reboot' || step.action === 'Reboot') return '';
  return recordFor(suspect, slot.reboot)?.state === 'Sent' ? '; its reboot did not help' : '; it was not rebooted';
}
