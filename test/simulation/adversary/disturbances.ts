/** What may happen to a call from a process to the outside. */
export const FAULTS = [
  /** It never gets there. */
  'lost request',
  /** It takes effect, and the answer is lost. */
  'lost answer',
  /** It takes effect long after its caller gave up. */
  'late effect',
  /** It is turned away: the server has trouble, or too much to do. */
  'refused',
  /** The process dies right before it is sent. */
  'death before',
  /** The process dies when it has taken effect, before the answer. */
  'death after',
  /** The answer takes seconds. */
  'slow',
] as const;
export type Fault = (typeof FAULTS)[number];

/** How much goes wrong in a run: probabilities per call, and per minute of virtual time. */
export interface Weather {
  readonly faults: Readonly<Record<Fault, number>>;
  /** A worker or watcher dies between two calls. */
  readonly deathsAMinute: number;
  /** A process and the API server, Temporal or the cloud do not reach each other for a while. */
  readonly cutsAMinute: number;
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
}

const NONE: Weather = {
  faults: {
    'lost request': 0,
    'lost answer': 0,
    'late effect': 0,
    refused: 0,
    'death before': 0,
    'death after': 0,
    slow: 0,
  },
  deathsAMinute: 0,
  cutsAMinute: 0,
  evictionsAMinute: 0,
  lostTasks: 0,
  terminationsAMinute: 0,
  compactionsAMinute: 0,
  lossesAMinute: 0,
};

const STORM: Weather = {
  faults: {
    'lost request': 0.01,
    'lost answer': 0.02,
    'late effect': 0.01,
    refused: 0.03,
    'death before': 0.004,
    'death after': 0.006,
    slow: 0.03,
  },
  deathsAMinute: 0.5,
  cutsAMinute: 0.3,
  evictionsAMinute: 2,
  lostTasks: 0.01,
  terminationsAMinute: 0.1,
  compactionsAMinute: 0.1,
  lossesAMinute: 0.02,
};

export const CALM = NONE;

/** Between calm (0) and a storm (1). */
export function weatherOf(strength: number): Weather {
  const scale = (value: number): number => value * strength;
  const faults = Object.fromEntries(FAULTS.map((fault) => [fault, scale(STORM.faults[fault])]));
  return {
    faults: { ...NONE.faults, ...faults },
    deathsAMinute: scale(STORM.deathsAMinute),
    cutsAMinute: scale(STORM.cutsAMinute),
    evictionsAMinute: scale(STORM.evictionsAMinute),
    lostTasks: scale(STORM.lostTasks),
    terminationsAMinute: scale(STORM.terminationsAMinute),
    compactionsAMinute: scale(STORM.compactionsAMinute),
    lossesAMinute: scale(STORM.lossesAMinute),
  };
}
