import { given } from '../../providers/given.ts';
import { Course, failed, found, iso, MINUTE, neverJoined, notReady, REPLACE, SET } from './check-for-tests.ts';
import type { FoundCheck, Outage, RemediateAnswer, SeenCause, SetSight, Suspect } from './health-activities.ts';

export const TIMEOUT = 5 * MINUTE;
/** Clocks differ by some seconds, and Kubernetes tells times in whole ones. */
const SLACK = 10_000;
const FOREVER = Infinity;

/** What the API server makes of a deletion. A lost one may have its effect. */
export type Manner = 'done' | 'refused' | 'lost' | 'lostWithEffect';

interface Machine {
  readonly name: string;
  readonly uid: string;
  readonly set: string;
  readonly createdAt: number;
  joinsAt: number;
  /** In which its Node was not Ready, the last one maybe still. */
  readonly bad: { readonly from: number; to: number }[];
  hasEnded: boolean;
  isSkipped: boolean;
  goneAt: number;
  /** The remediation that it came of. */
  chain: number | undefined;
}

/** Machines, their sets and an API server, as far as a health check has to do with them; and a judge who knows the truth. */
export class World {
  readonly course = new Course();
  readonly machines: Machine[] = [];
  readonly replicas: Record<string, number> = {};
  readonly outages: { from: number; until?: number }[] = [];
  now: number;
  /** By how much the clock of the check is ahead. */
  skew = 0;
  manner: Manner = 'done';
  joinsAfter = MINUTE;
  drainMs = 2 * MINUTE;
  isPaused = false;
  proceedAt: number | undefined;
  mostAllowed = 0;
  #named = 0;
  #chains = 0;
  readonly #done = new Set<string>();
  /** Deletions of the check that are waited for, of each set in turn. */
  readonly #orphans: { readonly set: string; readonly chain: number }[] = [];

  constructor(now: number, sets: Readonly<Record<string, number>>) {
    this.now = now;
    for (const [set, replicas] of Object.entries(sets)) {
      this.replicas[set] = replicas;
      for (let count = 0; count < replicas; count += 1)
        this.#make(set, now - 600 * MINUTE).joinsAt = now - 590 * MINUTE;
    }
    this.look();
  }

  get isAway(): boolean {
    const last = this.outages.at(-1);
    return last !== undefined && last.until === undefined;
  }

  pick(at: number): Machine | undefined {
    return this.machines[at % Math.max(1, this.machines.length)];
  }

  breakDown(machine: Machine | undefined): void {
    if (machine !== undefined && machine.joinsAt <= this.now && !isBad(machine)) {
      machine.bad.push({ from: this.now, to: FOREVER });
    }
  }

  mend(machine: Machine | undefined): void {
    const last = machine?.bad.at(-1);
    if (machine !== undefined && last !== undefined && isBad(machine)) last.to = this.now;
  }

  isWell(machine: Machine): boolean {
    return machine.joinsAt <= this.now && !isBad(machine) && !machine.hasEnded && machine.goneAt === FOREVER;
  }

  /** Time goes by: what happens in it is told at once, and the check looks when it wanted to. */
  pass(ms: number): void {
    const until = this.now + ms;
    while (this.now < until) {
      const times = this.machines.flatMap(({ joinsAt, createdAt, goneAt }) => [
        joinsAt,
        createdAt + 10 * MINUTE,
        goneAt,
      ]);
      const wanted = this.isAway ? FOREVER : (this.course.last?.lookAt ?? FOREVER) - this.skew;
      const next = [...times, wanted].filter((at) => at > this.now);
      this.now = Math.min(until, ...next);
      this.#settle();
      this.look();
    }
  }

  look(): void {
    if (this.isAway) return;
    const seen = this.survey();
    const at = this.now + this.skew;
    this.mostAllowed = Math.max(this.mostAllowed, Math.ceil(seen.expected / 5), 1);
    const decision = this.course.look(at, seen, undefined);
    this.#judge(decision.lookAt > at, 'it looks again at once');
    this.#judge(decision.inFlight.count <= this.mostAllowed, `${decision.inFlight.count} are under way`);
    const { memory } = this.course;
    this.#judge(JSON.stringify(JSON.parse(JSON.stringify(memory))) === JSON.stringify(memory), 'memory is no JSON');
    for (const { machine } of decision.begin) this.#remediate(machine.uid);
    const chains = this.#chainsInFlight();
    this.#judge(chains <= this.mostAllowed, `${chains} machines are missed at once`);
  }

  survey(): FoundCheck {
    const suspects = this.machines.filter((machine) => !this.isWell(machine)).map((machine) => this.#suspect(machine));
    return found({
      expected: this.machines.length,
      healthy: this.machines.length - suspects.length,
      suspects,
      paused: this.isPaused,
      sets: Object.fromEntries(Object.keys(this.replicas).map((set) => [set, this.#setSight(set)])),
      outages: this.outages.map(({ from, until }): Outage => ({
        from: iso(from),
        ...given({ until: until === undefined ? undefined : iso(until) }),
      })),
      remediation: { ...found().remediation, steps: [REPLACE] },
      ...given({ proceedAt: this.proceedAt === undefined ? undefined : iso(this.proceedAt) }),
    });
  }

  scale(set: string, replicas: number): void {
    this.replicas[set] = replicas;
    this.#settle();
  }

  #suspect(machine: Machine): Suspect {
    const { name, uid, set, createdAt, hasEnded } = machine;
    return {
      name,
      uid,
      set: { ...SET, uid: set },
      createdAt: wholeSecond(createdAt),
      causes: this.#causes(machine),
      ...given({
        node: machine.joinsAt <= this.now ? name : undefined,
        isDeleting: machine.goneAt !== FOREVER || undefined,
        isProved: hasEnded || undefined,
        skip: machine.isSkipped ? '' : undefined,
      }),
    };
  }

  #causes({ hasEnded, joinsAt, createdAt, bad }: Machine): SeenCause[] {
    const last = bad.at(-1);
    return [
      ...(hasEnded ? [failed()] : []),
      ...(joinsAt > this.now ? [neverJoined(createdAt)] : []),
      ...(last?.to === FOREVER ? [notReady({ changedAt: Date.parse(wholeSecond(last.from)) })] : []),
    ];
  }

  #setSight(set: string): SetSight {
    const living = this.machines.filter((machine) => machine.set === set && machine.goneAt === FOREVER);
    const unready = living.filter((machine) => !this.isWell(machine));
    return {
      name: set,
      missing: Math.max(0, (this.replicas[set] ?? 0) - living.length),
      unready: unready.map(({ uid, createdAt }) => ({ uid, createdAt: wholeSecond(createdAt) })),
    };
  }

  #remediate(uid: string): void {
    const machine = this.machines.find((one) => one.uid === uid);
    if (machine === undefined) throw new Error(`${uid} is not there`);
    this.#judge(machine.goneAt === FOREVER, `${uid} is deleted twice`);
    this.#judge(!this.isWell(machine) && !machine.isSkipped, `${uid} is to be left alone`);
    this.#judge(!this.#done.has(uid), `${uid} was done with`);
    this.#judge(this.#isDue(machine), `${uid} is not due`);
    const hasEffect = this.manner === 'done' || this.manner === 'lostWithEffect';
    if (hasEffect) this.#delete(machine);
    const answer: RemediateAnswer | undefined =
      this.manner === 'done'
        ? { outcome: 'done' }
        : this.manner === 'refused'
          ? { outcome: 'refused', message: 'no' }
          : undefined;
    if (this.manner === 'done') this.#done.add(uid);
    if (answer !== undefined) this.course.answer(uid, answer);
  }

  #delete(machine: Machine): void {
    machine.goneAt = this.now + this.drainMs;
    this.#chains += 1;
    machine.chain ??= this.#takeOver(machine) ?? this.#chains;
    this.#orphans.push({ set: machine.set, chain: machine.chain });
    this.#settle();
  }

  /** Of two machines that never joined, nobody can tell which one came for the machine that was deleted. */
  #takeOver({ set, joinsAt }: Machine): number | undefined {
    if (joinsAt <= this.now) return undefined;
    const other = this.machines.find(
      (one) => one.set === set && one.chain !== undefined && one.joinsAt > this.now && one.goneAt === FOREVER,
    );
    const chain = other?.chain;
    if (other !== undefined) other.chain = undefined;
    return chain;
  }

  /** What the sets do, and what is gone. */
  #settle(): void {
    const gone = this.machines.filter(({ goneAt }) => goneAt <= this.now);
    for (const machine of gone) this.machines.splice(this.machines.indexOf(machine), 1);
    for (const machine of this.machines) if (this.isWell(machine)) machine.chain = undefined;
    for (const set of Object.keys(this.replicas)) {
      const living = this.machines.filter((machine) => machine.set === set && machine.goneAt === FOREVER);
      const missing = (this.replicas[set] ?? 0) - living.length;
      for (let count = 0; count < missing; count += 1) {
        const at = this.#orphans.findIndex((orphan) => orphan.set === set);
        const [orphan] = at < 0 ? [] : this.#orphans.splice(at, 1);
        this.#make(set, this.now).chain = orphan?.chain;
      }
      for (const surplus of living.slice(0, Math.max(0, -missing))) surplus.goneAt = this.now + this.drainMs;
    }
  }

  #make(set: string, createdAt: number): Machine {
    this.#named += 1;
    const name = `${set}-${this.#named}`;
    const joinsAt = this.joinsAfter === FOREVER ? FOREVER : createdAt + this.joinsAfter;
    const goneAt = FOREVER;
    const facts = { name, uid: `uid-of-${name}`, set, createdAt, chain: undefined };
    const machine: Machine = { ...facts, joinsAt, bad: [], hasEnded: false, isSkipped: false, goneAt };
    this.machines.push(machine);
    return machine;
  }

  /** Remediations whose old machine is there still, or whose new one is not Ready. */
  #chainsInFlight(): number {
    const chains = this.machines.filter(({ chain }) => chain !== undefined).map(({ chain }) => chain);
    return new Set(chains).size;
  }

  #isDue({ hasEnded, joinsAt, createdAt, bad }: Machine): boolean {
    if (hasEnded || (joinsAt > this.now && this.now - createdAt >= 10 * MINUTE - SLACK)) return true;
    const last = bad.at(-1);
    if (last?.to !== FOREVER) return false;
    const isLong = this.#seenMs(last.from, this.now) >= TIMEOUT - SLACK;
    const from = this.now - 3 * TIMEOUT;
    const sum = bad.reduce(
      (all, spell) => all + Math.max(0, Math.min(spell.to, this.now) - Math.max(spell.from, from)),
      0,
    );
    return isLong || sum >= 1.5 * TIMEOUT - bad.length * SLACK;
  }

  /** How long it was, without the times in which the API server was away. */
  #seenMs(from: number, to: number): number {
    return this.outages.reduce(
      (ms, { from: start, until = FOREVER }) => ms - Math.max(0, Math.min(until, to) - Math.max(start, from)),
      to - from,
    );
  }

  #judge(isTrue: boolean, words: string): void {
    if (!isTrue) throw new Error(`at ${iso(this.now)}: ${words}`);
  }
}

function isBad({ bad }: Machine): boolean {
  return bad.at(-1)?.to === FOREVER;
}

function wholeSecond(at: number): string {
  return iso(Math.floor(at / 1000) * 1000);
}
