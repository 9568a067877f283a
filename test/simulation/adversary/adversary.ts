import { KubeError } from '../../../k8s/kube-error.ts';
import type { Assumptions } from '../assumptions.ts';
import { NoAnswerFromTemporal } from '../core/sdk-worker.ts';
import type { Network, SimulatedProcess } from '../process.ts';
import type { Story } from '../story.ts';
import { grpcError } from '../temporal/client-connection.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';
import { FAULTS, type Fault, type Weather } from './disturbances.ts';
import { canMeet, sideOf, type Side } from './sides.ts';
import type { Spell } from './spell.ts';

export interface AdversaryOptions {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly story: Story;
  readonly weather: Weather;
  readonly assumptions: Assumptions;
  /** Whether the disturbance of this number happens: a failure is shrunk to those that it takes. */
  readonly allows: (disturbance: number) => boolean;
}

/** How long a call takes on its way there, and back, in milliseconds: the mean. */
const HOP_MS = 2;
/** How long callers wait for an answer, in milliseconds. */
const PATIENCE_MS = 10_000;
/** How long processes stand still, in milliseconds: the means. A pause of a runtime, of a computer that has too much to do, of a person. */
const STANDSTILLS_MS = [2000, 15_000, 60_000] as const;
/** How long those do that others come to an end in. */
const LONG_STANDSTILLS_MS = [90_000] as const;
/** The share of them in which the whole computer is suspended. */
const SUSPENDED = 0.3;
/** How often a call whose effect is to come is given up at once: who waits as long as they can sees the effect when they look. */
const RESET_SOON = 0.8;

/** Stands between the processes and the outside, and does its worst. */
export class Adversary implements Network {
  /** How often which fault met which call. */
  readonly coverage = new Map<string, number>();
  /** Calls that went out, by what they ask. */
  readonly calls = new Map<string, number>();
  disturbances = 0;
  readonly #options: AdversaryOptions;
  /** When which call last met a fault. */
  readonly metAt = new Map<string, number>();
  readonly #cuts = new Map<string, number>();
  readonly #cutsOfAll = new Map<Side, number>();
  #spells: { readonly spell: Spell; readonly until: number; met: number }[] = [];
  #isOver = false;

  constructor(options: AdversaryOptions) {
    this.#options = options;
  }

  /** From now on nothing is disturbed. */
  letGo(): void {
    this.#isOver = true;
    this.#cuts.clear();
    this.#cutsOfAll.clear();
    this.#spells = [];
  }

  /** A thing that goes wrong, unless it is not wanted. */
  disturb(who: string, what: string, act: () => void): void {
    if (this.#isOver) return;
    this.disturbances += 1;
    if (!this.#options.allows(this.disturbances)) return;
    this.#options.story.tell(who, what);
    act();
  }

  /** A process and one side do not reach each other for so long. */
  cut(process: SimulatedProcess, side: Side, ms: number): void {
    this.#cuts.set(`${process.name} ${side}`, this.#options.agenda.now + ms);
  }

  /** No process, whenever it starts, reaches this side for so long. */
  cutAll(side: Side, ms: number): void {
    this.#cutsOfAll.set(side, this.#options.agenda.now + ms);
  }

  /** Until when a process and one side do not reach each other, in milliseconds. */
  cutUntil(process: SimulatedProcess, side: Side): number {
    return Math.max(this.#cuts.get(`${process.name} ${side}`) ?? 0, this.#cutsOfAll.get(side) ?? 0);
  }

  /** A process does nothing for a while. */
  standStill(process: SimulatedProcess, random: Random, means: readonly number[] = STANDSTILLS_MS): void {
    const ms = Math.round(random.around(random.pick(means) ?? 0));
    const isSuspended = random.chance(SUSPENDED);
    const who = isSuspended ? 'its computer is suspended' : 'it stands still';
    this.#options.story.tell(process.name, `${who} for ${ms / 1000} s`);
    process.standStill(ms, isSuspended);
  }

  /** From now on. */
  begin(spell: Spell): void {
    this.#spells.push({ spell, until: this.#options.agenda.now + spell.mostMs, met: 0 });
  }

  async call<T>(from: SimulatedProcess, what: string, carryOut: () => T | Promise<T>): Promise<T> {
    const { agenda, random, assumptions } = this.#options;
    this.calls.set(what, (this.calls.get(what) ?? 0) + 1);
    const side = sideOf(what);
    const fault = this.#faultOf(from, what, side);
    const hop = () => agenda.pause(random.around(HOP_MS));
    switch (fault) {
      case undefined: {
        await hop();
        return this.#answered(carryOut, hop);
      }
      case 'slow': {
        await hop();
        return this.#answered(carryOut, () => agenda.pause(random.between(500, 8000)));
      }
      case 'lost request':
        return this.#silence(side, what);
      case 'sent twice':
        await hop();
        await tried(carryOut);
        await hop();
        return this.#answered(carryOut, hop);
      case 'lost answer':
        await hop();
        await tried(carryOut);
        return this.#silence(side, what);
      case 'late effect': {
        const mostMs = side === 'cloud' ? assumptions.callEffectMs : assumptions.requestEffectMs;
        void agenda.pause(random.between(0, mostMs)).then(() => tried(carryOut));
        return this.#silence(side, what, RESET_SOON);
      }
      case 'refused':
        await hop();
        throw refusalOf(side, what, random);
      case 'standstill':
        await hop();
        this.standStill(from, random);
        return this.#answered(carryOut, hop);
      case 'long standstill':
        await hop();
        this.standStill(from, random, LONG_STANDSTILLS_MS);
        return this.#answered(carryOut, hop);
      case 'death before':
        from.die();
        return forever();
      case 'death after':
        await hop();
        await tried(carryOut);
        from.die();
        return forever();
    }
  }

  async #answered<T>(carryOut: () => T | Promise<T>, back: () => Promise<void>): Promise<T> {
    try {
      return await carryOut();
    } finally {
      await back();
    }
  }

  #faultOf(from: SimulatedProcess, what: string, side: Side): Fault | undefined {
    const { random, agenda, weather, story } = this.#options;
    let chance = random.next();
    if (this.#isOver) return undefined;
    const met = (fault: Fault): Fault => {
      const key = `${what} × ${fault}`;
      this.coverage.set(key, (this.coverage.get(key) ?? 0) + 1);
      this.metAt.set(what, agenda.now);
      return fault;
    };
    if (this.cutUntil(from, side) > agenda.now) return met('lost request');
    const spelled = this.#spelled(what);
    if (spelled !== undefined) {
      story.tell(from.name, `${what}: ${spelled}`);
      return met(spelled);
    }
    for (const fault of FAULTS) {
      chance -= weather.faults[fault];
      if (chance >= 0) continue;
      if (!canMeet(what, fault)) return undefined;
      let happens = false;
      this.disturb(from.name, `${what}: ${fault}`, () => (happens = true));
      return happens ? met(fault) : undefined;
    }
    return undefined;
  }

  #spelled(what: string): Fault | undefined {
    const { now } = this.#options.agenda;
    this.#spells = this.#spells.filter(({ spell, until, met }) => until > now && met < spell.faults.length);
    const found = this.#spells.find(({ spell }) => spell.meets(what));
    if (found === undefined) return undefined;
    const fault = found.spell.faults[found.met];
    found.met += 1;
    return fault !== undefined && canMeet(what, fault) ? fault : undefined;
  }

  async #silence<T>(side: Side, what: string, isReset = 0.5): Promise<T> {
    const { agenda, random } = this.#options;
    // The cloud's client has its own patience.
    if (side === 'cloud' && random.chance(0.5)) return forever();
    await agenda.pause(random.chance(isReset) ? random.around(200) : PATIENCE_MS);
    switch (side) {
      case 'kube':
        throw new KubeError(0, 'Unreachable', `${what}: no answer`);
      case 'cloud':
        throw new Error('the connection was reset');
      case 'temporal':
        throw grpcError(14, `${what}: no connection`);
      case 'core':
        throw new NoAnswerFromTemporal(what);
    }
  }
}

function refusalOf(side: Side, what: string, random: Random): Error {
  if (side === 'kube') {
    const [status, reason] = random.pick([
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
      [503, 'ServiceUnavailable'],
      [504, 'Timeout'],
      ...(isPatch(what) ? ([[409, 'Conflict']] as const) : []),
    ] as const) ?? [500, 'InternalError'];
    return new KubeError(status, reason, `${what}: the server is in trouble`);
  }
  if (side === 'temporal') return grpcError(random.chance(0.5) ? 14 : 8, `${what}: the server is in trouble`);
  return new Error('the connection was refused');
}

/** The API server gives one up that others' writes overtake again and again. */
function isPatch(what: string): boolean {
  return /^kube (apply|mergePatch|jsonPatch) /.test(what);
}

/** What becomes of it nobody learns. */
async function tried(carryOut: () => unknown): Promise<void> {
  try {
    await carryOut();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

function forever<T>(): Promise<T> {
  return new Promise<T>(() => {});
}
