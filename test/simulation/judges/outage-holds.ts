import type { Outage } from '../../../workflows/machine-health-check/health-activities.ts';
import { DECIDED_MS, type Remediation } from './remediations.ts';

/** Silence after which a Node counts as not ready: so long after an outage nothing is remediated. Milliseconds. */
const GRACE_MS = 50_000;
/** What comes between an answer of the API server and the word that it answered, in milliseconds. */
const TOLD_MS = 5000;

/** What a watcher told of the API server's being away, and when that was on record. */
export interface ToldOutage {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly outage: Outage;
}

export interface OutageHoldsOptions {
  /** The oldest first. */
  readonly told: () => readonly ToldOutage[];
  /** Whether nobody who asked for that since then was kept from the answer. */
  readonly isHeardSince: (time: number) => boolean;
  /** Whether all clocks of the product are right. */
  readonly clocksAgree: () => boolean;
  readonly accuse: (message: string) => void;
}

/** Nothing is remediated while the API server is known to be away, and until it can know again which Nodes answer. */
export class OutageHoldsJudge {
  readonly #options: OutageHoldsOptions;

  constructor(options: OutageHoldsOptions) {
    this.#options = options;
  }

  see({ machine, at }: Remediation): void {
    const { told, isHeardSince, clocksAgree, accuse } = this.#options;
    const decidedFrom = at - DECIDED_MS;
    if (!clocksAgree() || !isHeardSince(decidedFrom - TOLD_MS)) return;
    const all = told();
    for (let time = decidedFrom; time <= at; time += 1000) if (!isRecent(all, time)) return;
    accuse(`Machine ${machine.metadata.name} is remediated although the API server was away a moment ago`);
  }
}

/** At a time it was on record that the API server is away, or was lately. */
function isRecent(told: readonly ToldOutage[], time: number): boolean {
  let openSince: number | undefined;
  let endedAt = -Infinity;
  for (const { at, outage } of told) {
    if (at > time) break;
    const [from, until] = [outage.from, outage.until].map((text) => Date.parse(text ?? ''));
    if (from === undefined || until === undefined) continue;
    // The clock of who told it was wrong: when that was is not known.
    if (Math.max(from, Number.isNaN(until) ? from : until) > at) {
      if (!Number.isNaN(until)) openSince = undefined;
      continue;
    }
    // It is told when it is over: what is remediated within its grace may have been decided before.
    if (outage.unwatched === true) continue;
    // News of a beginning that come after the end are old.
    if (Number.isNaN(until)) openSince = from >= endedAt ? from : openSince;
    else {
      // Where it only says that it answers, that ends what lasted.
      if (until > from || openSince !== undefined) endedAt = Math.max(endedAt, until);
      openSince = undefined;
    }
  }
  return openSince !== undefined || endedAt + GRACE_MS - TOLD_MS > time;
}
