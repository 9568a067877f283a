import type { Run } from '../temporal/run.ts';

/** Most workflow tasks of one workflow in a minute: more is a melt-down. */
const MOST_TASKS = 150;
const MINUTE_MS = 60_000;

export interface MeltDownOptions {
  readonly now: () => number;
  readonly accuse: (message: string) => void;
}

/** What was counted of a workflow in a minute. */
interface Count {
  readonly minute: number;
  tasks: number;
  continued: number;
}

/**
 * No workflow has more than 150 tasks within a minute, and none goes on as a new run more often. The first task of a run that goes on
 * for another counts as the latter only: a world that has a workflow do so after eight events adds one of these to each look.
 */
export class MeltDownJudge {
  readonly #options: MeltDownOptions;
  readonly #counts = new Map<string, Count>();

  constructor(options: MeltDownOptions) {
    this.#options = options;
  }

  /** A worker takes a task of the run. */
  seeTask({ identity: { workflowId }, history }: Pick<Run, 'identity' | 'history'>): void {
    const minute = Math.floor(this.#options.now() / MINUTE_MS);
    const known = this.#counts.get(workflowId);
    const count = known?.minute === minute ? known : { minute, tasks: 0, continued: 0 };
    this.#counts.set(workflowId, count);
    const kind = isContinuing(history) ? 'continued' : 'tasks';
    count[kind] += 1;
    if (count[kind] !== MOST_TASKS) return;
    const what = kind === 'tasks' ? 'had 150 workflow tasks' : 'went on as a new run 150 times';
    this.#options.accuse(`${workflowId} ${what} within a minute`);
  }
}

/** It is the first task of a run that goes on for another, taken for the first time. */
function isContinuing([started, ...later]: Run['history']): boolean {
  if (started?.type !== 'started' || started.continuedFrom === undefined) return false;
  return later.filter(({ type }) => type === 'taskStarted').length === 1;
}
