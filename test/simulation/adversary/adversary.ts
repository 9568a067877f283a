import { KubeError } from '../../../k8s/kube-error.ts';
import type { Assumptions } from '../assumptions.ts';
import { NoAnswerFromTemporal } from '../core/sdk-worker.ts';
import type { Network, SimulatedProcess } from '../process.ts';
import type { Story } from '../story.ts';
import { grpcError } from '../temporal/client-connection.ts';
import { NotFound } from '../temporal/tasks.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';
import { FAULTS, type Fault, type Weather } from './disturbances.ts';

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

type Side = 'kube' | 'cloud' | 'temporal' | 'core';

/** Stands between the processes and the outside, and does its worst. */
export class Adversary implements Network {
  /** How often which fault met which call. */
  readonly coverage = new Map<string, number>();
  /** Calls that went out, by what they ask. */
  readonly calls = new Map<string, number>();
  disturbances = 0;
  readonly #options: AdversaryOptions;
  readonly #cuts = new Map<string, number>();
  #isOver = false;

  constructor(options: AdversaryOptions) {
    this.#options = options;
  }

  /** From now on nothing is disturbed. */
  letGo(): void {
    this.#isOver = true;
    this.#cuts.clear();
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
      case 'lost answer':
        await hop();
        await tried(carryOut);
        return this.#silence(side, what);
      case 'late effect': {
        const mostMs = side === 'cloud' ? assumptions.callEffectMs : assumptions.requestEffectMs;
        void agenda.pause(random.between(0, mostMs)).then(() => tried(carryOut));
        return this.#silence(side, what);
      }
      case 'refused':
        await hop();
        throw refusalOf(side, what, random);
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
    const { random, agenda, weather } = this.#options;
    let chance = random.next();
    if (this.#isOver) return undefined;
    if ((this.#cuts.get(`${from.name} ${side}`) ?? 0) > agenda.now) return 'lost request';
    for (const fault of FAULTS) {
      chance -= weather.faults[fault];
      if (chance >= 0) continue;
      // The worker tells the server until it answers: that it comes late is nothing else than that it is lost.
      if (side === 'core' && (fault === 'refused' || fault === 'late effect')) return undefined;
      let happens = false;
      this.disturb(from.name, `${what}: ${fault}`, () => {
        happens = true;
        const key = `${what} × ${fault}`;
        this.coverage.set(key, (this.coverage.get(key) ?? 0) + 1);
      });
      return happens ? fault : undefined;
    }
    return undefined;
  }

  async #silence<T>(side: Side, what: string): Promise<T> {
    const { agenda, random } = this.#options;
    // The cloud's client has its own patience.
    if (side === 'cloud' && random.chance(0.5)) return forever();
    await agenda.pause(random.chance(0.5) ? PATIENCE_MS : random.around(200));
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

function sideOf(what: string): Side {
  const [side = ''] = what.split(' ');
  return side === 'kube' || side === 'cloud' || side === 'temporal' ? side : 'core';
}

function refusalOf(side: Side, what: string, random: Random): Error {
  if (side === 'kube') {
    const [status, reason] = random.pick([
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
      [503, 'ServiceUnavailable'],
      [504, 'Timeout'],
    ] as const) ?? [500, 'InternalError'];
    return new KubeError(status, reason, `${what}: the server is in trouble`);
  }
  if (side === 'temporal') return grpcError(random.chance(0.5) ? 14 : 8, `${what}: the server is in trouble`);
  return new Error('the connection was refused');
}

/** What becomes of it nobody learns. */
async function tried(carryOut: () => unknown): Promise<void> {
  try {
    await carryOut();
  } catch (error) {
    if (!(error instanceof KubeError || error instanceof NotFound || error instanceof Error)) throw error;
  }
}

function forever<T>(): Promise<T> {
  return new Promise<T>(() => {});
}
