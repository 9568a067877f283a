/** How an activity of a script goes: which attempts fail, and of what. */
export interface Course {
  /** So many attempts fail; more than there are attempts: all. */
  readonly failing: number;
  readonly by: 'failure' | 'final' | 'listed' | 'paced' | 'error' | 'hanging';
  /** It waits here until the test lets it go on. */
  readonly gate?: string;
  /** For so long at least, in milliseconds: what is to happen meanwhile has happened then. */
  readonly holdMs?: number;
}

/** Limits and retries of an activity; times in milliseconds. */
export interface Limits {
  /** No worker is there for it. */
  readonly isForNobody?: true;
  readonly startToCloseMs: number;
  readonly scheduleToCloseMs?: number;
  readonly scheduleToStartMs?: number;
  readonly heartbeatMs?: number;
  readonly thresholdMs?: number;
  readonly initialMs: number;
  readonly mostMs: number;
  readonly attempts?: number;
}

/** What the workflow of a script does, one after the other. */
export type Step =
  | { readonly do: 'sleep'; readonly ms: number }
  /** Until so many more signals came. */
  | { readonly do: 'await'; readonly signals: number }
  /** Until a signal comes, or the alarm rings; in milliseconds. */
  | { readonly do: 'alarm'; readonly ms: number }
  /** It is set, and nobody waits for it. */
  | { readonly do: 'arm'; readonly ms: number }
  | { readonly do: 'disarm' }
  | { readonly do: 'local' | 'activity'; readonly course: Course; readonly limits: Limits }
  | { readonly do: 'upsert'; readonly phase: string | null; readonly reason: string | null }
  /** The workflow task fails the first time; what came before is replayed. */
  | { readonly do: 'stumble'; readonly key: string }
  | { readonly do: 'continue' }
  | { readonly do: 'fail'; readonly type: string; readonly isFinal: boolean };

/** What a client does, whenever the workflow has come to rest. */
export type Deed =
  | 'start'
  | 'signal'
  | 'otherSignal'
  | 'signalWithStart'
  | 'describe'
  | 'terminate'
  | 'open'
  /** The gate stays shut for longer than a workflow task may take. */
  | 'openLate';

export interface Program {
  readonly seed: string;
  readonly steps: readonly Step[];
  readonly deeds: readonly Deed[];
}

export interface ScriptInput {
  readonly program: string;
  readonly steps: readonly Step[];
}

export interface CourseRequest extends Course {
  readonly program: string;
}

export function describeProgram({ seed, steps, deeds }: Program): string {
  const lines = steps.map((step, index) => `  ${index + 1}. ${describeStep(step)}`);
  return [`program ${seed}: the workflow`, ...lines, `the client: ${deeds.join(', ')}`].join('\n');
}

function describeStep({ do: what, ...how }: Step): string {
  return `${what} ${JSON.stringify(how)}`;
}
