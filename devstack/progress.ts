/** Where long work tells how it goes; `terminal-progress.ts` is the one people see. */
export interface Progress {
  /** A line that stays. */
  note(text: string): void;
  /** Begins a piece of work. One at a time. */
  task(label: string, estimateSeconds?: number): ProgressTask;
}

/** A piece of work under way. */
export interface ProgressTask {
  /** What it is at now. */
  detail(text: string): void;
  /** It worked; `text` says what came of it. */
  done(text?: string): void;
  /** It did not work. */
  failed(text?: string): void;
}

const silentTask: ProgressTask = { detail: () => {}, done: () => {}, failed: () => {} };

/** Tells nobody. */
export const silentProgress: Progress = { note: () => {}, task: () => silentTask };
