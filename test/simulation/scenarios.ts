import type { Habits } from './people.ts';

/** What a run is about. */
export interface Scenario {
  /** How strong the storm is at most, from 0 to 1: each run has a strength of its own below it. */
  readonly storm: number;
  readonly habits: Habits;
  /** Replicas that each set begins with. */
  readonly sets: readonly number[];
  /** Machines of no set. */
  readonly singles: number;
  /** For how long people and adversary are at work, in minutes. */
  readonly minutes: number;
  /** How long it may take at most until everything is as asked for, in minutes. */
  readonly restMinutes: number;
}

const NOBODY: Habits = { deeds: {}, perMinute: 0, mostReplicas: 0 };

export const SCENARIOS = {
  /** Machines come up, and nothing else happens. */
  up: { storm: 0, habits: NOBODY, sets: [10], singles: 5, minutes: 2, restMinutes: 30 },
  /** Sets grow and shrink, machines are deleted, nothing goes wrong. */
  churn: {
    storm: 0,
    habits: {
      perMinute: 6,
      mostReplicas: 12,
      deeds: { scale: 4, 'delete machine': 3, 'create machine': 3 },
    },
    sets: [8, 4],
    singles: 2,
    minutes: 20,
    restMinutes: 30,
  },
  /** Everything that people and the outside may do. */
  hostile: {
    storm: 1,
    habits: {
      perMinute: 3,
      mostReplicas: 6,
      deeds: {
        scale: 4,
        'delete machine': 4,
        'create machine': 3,
        pause: 2,
        edit: 2,
        strip: 1,
        restore: 1,
        terminate: 1,
        vanish: 0.5,
        force: 0.5,
        'end workflow': 0.5,
      },
    },
    sets: [4],
    singles: 3,
    minutes: 20,
    restMinutes: 180,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
