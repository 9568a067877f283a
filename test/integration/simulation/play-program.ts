import { changedSignal } from '../../../workflows/signals.ts';
import { MACHINE_PHASE } from '../../../workflows/search-attributes.ts';
import type { Deed, Program, ScriptInput } from './program.ts';
import { describeEvent } from './seen-history.ts';
import { TASK_QUEUE, type RealEvents, type Side } from './sides.ts';

/** An alarm that takes longer does not ring while anybody looks, in milliseconds. */
const FAR_OFF_MS = 60_000;
/** Longer than a worker leaves a workflow task unanswered, and shorter than twice that. */
const LATE_MS = 9000;
/** How long it may take to come to rest, in milliseconds. */
const REST_LIMIT_MS = 40_000;
const LOCAL_GATE = 'local';

/** Plays a program to a Temporal; answers what a client saw, a line each. */
export async function playProgram(side: Side, program: Program, workflowId: string): Promise<readonly string[]> {
  const player = new Player(side, program, workflowId);
  for (const deed of program.deeds) await player.carryOut(deed);
  return player.finish();
}

class Player {
  readonly #side: Side;
  readonly #program: Program;
  readonly #workflowId: string;
  readonly #lines: string[] = [];
  /** Those that a client started. */
  readonly #runIds = new Set<string>();
  #signals = 0;

  constructor(side: Side, program: Program, workflowId: string) {
    this.#side = side;
    this.#program = program;
    this.#workflowId = workflowId;
  }

  async carryOut(deed: Deed): Promise<void> {
    await this.#rest();
    let outcome: string;
    try {
      outcome = await this.#do(deed);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      outcome = `${error.name}: ${error.message}`;
    }
    this.#lines.push(`${deed}: ${outcome}`);
  }

  /** Lets it come to its end; answers what there is to see. */
  async finish(): Promise<readonly string[]> {
    for (let steps = 0; (await this.#rest()) === 'open'; steps += 1) {
      if (steps > 40) throw new Error(`it comes to no end:\n${this.#lines.join('\n')}`);
      await this.carryOut(this.#gate === undefined ? 'signal' : 'open');
    }
    const runIds: string[] = [];
    for (const runId of this.#runIds) {
      for (let next: string | undefined = runId; next !== undefined && !runIds.includes(next);) {
        runIds.push(next);
        next = await this.#tellRun(next);
      }
    }
    await this.carryOut('describe');
    return this.#lines.map((line) => namely(line, [...runIds, this.#workflowId]));
  }

  get #gate() {
    return this.#side.activities.gateOf(this.#workflowId);
  }

  async #tellRun(runId: string): Promise<string | undefined> {
    const events = (await this.#side.history(this.#workflowId, runId)) ?? [];
    this.#lines.push(`${runId}:`, ...events.map((event) => `  ${describeEvent(event)}`));
    return events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }

  async #do(deed: Deed): Promise<string> {
    const { client } = this.#side;
    const handle = client.workflow.getHandle(this.#workflowId);
    const args: [ScriptInput] = [{ program: this.#workflowId, steps: this.#program.steps }];
    const start = {
      workflowId: this.#workflowId,
      taskQueue: TASK_QUEUE,
      args,
      typedSearchAttributes: [{ key: MACHINE_PHASE, value: 'Provisioning' }],
    };
    switch (deed) {
      case 'start': {
        const options = { ...start, workflowIdConflictPolicy: 'USE_EXISTING' } as const;
        return this.#began((await client.workflow.start('script', options)).firstExecutionRunId);
      }
      case 'signalWithStart': {
        const options = { ...start, signal: changedSignal, signalArgs: [] as [] };
        return this.#began((await client.workflow.signalWithStart('script', options)).signaledRunId);
      }
      case 'signal':
        await handle.signal(changedSignal);
        return 'taken';
      case 'otherSignal':
        this.#signals += 1;
        await handle.signal('other', `number ${this.#signals}`);
        return 'taken';
      case 'describe': {
        const { status, type, taskQueue, runId, historyLength } = await handle.describe();
        return [status.name, type, taskQueue, runId, historyLength].join(' ');
      }
      case 'terminate':
        await this.#side.terminate(this.#workflowId);
        // Nobody waits for what it held.
        this.#gate?.open();
        return 'taken';
      case 'open':
      case 'openLate': {
        const gate = this.#gate;
        if (gate === undefined) return 'nothing is held';
        await this.#side.pause(deed === 'open' ? gate.holdMs : LATE_MS);
        gate.open();
        return `a ${gate.isLocal ? LOCAL_GATE : 'recorded'} activity goes on`;
      }
    }
  }

  #began(runId: string): string {
    this.#runIds.add(runId);
    return runId;
  }

  /** Until nothing happens by itself any more. */
  async #rest(): Promise<'none' | 'open' | 'closed'> {
    const { lookMs } = this.#side;
    for (let waitedMs = 0; waitedMs < REST_LIMIT_MS; waitedMs += lookMs) {
      const events = await this.#side.history(this.#workflowId);
      if (events === undefined) return 'none';
      if (isClosed(events)) return 'closed';
      // The next run may be there meanwhile.
      const isContinued = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes != null;
      if (!isContinued && this.#isResting(events)) return 'open';
      await this.#side.pause(lookMs);
    }
    throw new Error(`it does not come to rest:\n${this.#lines.join('\n')}`);
  }

  #isResting(events: RealEvents): boolean {
    const { hasTask, activities, timers } = underWay(events);
    const gate = this.#gate;
    if (hasTask) return gate?.isLocal === true;
    return gate === undefined ? activities === 0 && timers.every((ms) => ms > FAR_OFF_MS) : !gate.isLocal;
  }
}

/** Each run goes by the order in which it was found. */
function namely(line: string, [...ids]: readonly string[]): string {
  return ids.reduce(
    (text, id, index) => text.replaceAll(id, index === ids.length - 1 ? 'ID' : `run ${index + 1}`),
    line,
  );
}

function isClosed(events: RealEvents): boolean {
  const last = events.at(-1);
  return Boolean(
    last?.workflowExecutionCompletedEventAttributes ??
    last?.workflowExecutionFailedEventAttributes ??
    last?.workflowExecutionTerminatedEventAttributes,
  );
}

/** What goes on by itself. */
function underWay(events: RealEvents) {
  // A run that was continued very soon waits before it begins.
  let hasTask = true;
  let activities = 0;
  const timers = new Map<string, number>();
  for (const event of events) {
    const { timerStartedEventAttributes: timer } = event;
    const timerOver = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
    const activityOver =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes;
    if (event.workflowTaskScheduledEventAttributes) hasTask = true;
    if (event.workflowTaskCompletedEventAttributes) hasTask = false;
    if (event.activityTaskScheduledEventAttributes) activities += 1;
    if (activityOver) activities -= 1;
    if (timer) timers.set(timer.timerId ?? '', Number(timer.startToFireTimeout?.seconds ?? 0) * 1000);
    if (timerOver) timers.delete(timerOver.timerId ?? '');
  }
  return { hasTask, activities, timers: [...timers.values()] };
}
