/** What may happen to a call from a process to the outside. */
export const FAULTS = [
  /** It never gets there. */
  'lost request',
  /** It takes effect, and the answer is lost. */
  'lost answer',
  /** It takes effect long after its caller gave up. */
  'late effect',
  /** Something on the way sends it twice; the second answer comes back. */
  'sent twice',
  /** It is turned away: the server has trouble, or too much to do. */
  'refused',
  /** The process dies right before it is sent. */
  'death before',
  /** The process dies when it has taken effect, before the answer. */
  'death after',
  /** The answer takes seconds. */
  'slow',
  /** It takes effect, and its process stands still, with all that it does, before the answer. */
  'standstill',
  /** The same, for so long that others take over and come to an end with it. */
  'long standstill',
] as const;
export type Fault = (typeof FAULTS)[number];

/** How much goes wrong in a run: probabilities per call, and per minute of virtual time. */
export interface Weather {
  readonly faults: Readonly<Record<Fault, number>>;
  /** A worker or watcher dies between two calls. */
  readonly deathsAMinute: number;
  /** A worker or watcher stands still for a while, between two calls, and goes on. */
  readonly standstillsAMinute: number;
  /** A process and the API server, Temporal or the cloud do not reach each other for a while. */
  readonly cutsAMinute: number;
  /** The clock of a process's host is set. */
  readonly clockJumpsAMinute: number;
  /** A worker forgets a workflow that it has in memory. */
  readonly evictionsAMinute: number;
  /** A task is handed to a worker that never gets it. */
  readonly lostTasks: number;
  /** Somebody ends a workflow in Temporal by hand. */
  readonly terminationsAMinute: number;
  /** The API server forgets the history of changes: watches have to list anew. */
  readonly compactionsAMinute: number;
  /** Temporal comes back with its database lost. */
  readonly lossesAMinute: number;
  /** Where credentials are in a Secret: the cloud's next answers are errors that tell what it was sent. */
  readonly quotesAMinute: number;
  /** For a while most calls of a kind meet the same fault: what is tried again fails again. */
  readonly spellsAMinute: number;
}

const STORM: Weather = {
  faults: {
    'lost request': 0.01,
    'lost answer': 0.02,
    'late effect': 0.01,
    'sent twice': 0.005,
    refused: 0.03,
    'death before': 0.004,
    'death after': 0.006,
    slow: 0.03,
    standstill: 0.002,
    'long standstill': 0.0005,
  },
  deathsAMinute: 0.5,
  standstillsAMinute: 0.3,
  cutsAMinute: 0.3,
  clockJumpsAMinute: 0.1,
  evictionsAMinute: 2,
  lostTasks: 0.01,
  terminationsAMinute: 0.1,
  compactionsAMinute: 0.1,
  lossesAMinute: 0.02,
  quotesAMinute: 0.5,
  spellsAMinute: 3,
};

/** Between calm (0) and a storm (1). */
export function weatherOf(strength: number): Weather {
  const { faults, ...rates } = STORM;
  return { faults: scaled(faults, strength), ...scaled(rates, strength) };
}

export const CALM = weatherOf(0);

function scaled<Name extends string>(values: Readonly<Record<Name, number>>, by: number): Record<Name, number> {
  const result: Record<Name, number> = { ...values };
  for (const name in values) result[name] = values[name] * by;
  return result;
}
