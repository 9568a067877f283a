import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { FOREIGN_CLUSTER } from '../../../workflows/failure-types.ts';
import type { CourseRequest } from './program.ts';

/** After a failure that asks for it, in milliseconds. */
const PACE_MS = 400;

/** What a recorded activity takes at least, in milliseconds. */
const RECORDED_MS = 150;

/** Where an activity waits until the test lets it go on. */
interface Gate {
  readonly isLocal: boolean;
  readonly holdMs: number;
  readonly open: () => void;
}

/** The activities of scripts, with what the test holds in its hand of them. */
export class ScriptActivities {
  /** Activities that wait, by program. */
  readonly #waiting = new Map<string, Gate>();
  /** Of programs: those that were let go once are not held again. */
  readonly #opened = new Set<string>();
  readonly #stumbled = new Set<string>();
  readonly #over = new AbortController();
  readonly #pause: (ms: number) => Promise<void>;

  constructor(pause: (ms: number) => Promise<void>) {
    this.#pause = pause;
  }

  /** The one that waits. */
  gateOf(program: string): Gate | undefined {
    return this.#waiting.get(program);
  }

  readonly functions = {
    follow: (request: CourseRequest) => this.#follow(request),
    /** True the first time. */
    isFirst: async (key: string) => {
      const isFirst = !this.#stumbled.has(key);
      this.#stumbled.add(key);
      return isFirst;
    },
  };

  /** Whatever hangs or is held ends: a worker waits for it before it stops. */
  end(): void {
    this.#over.abort();
  }

  async #follow({ program, failing, by, gate, holdMs = 0 }: CourseRequest): Promise<string> {
    const { info, cancellationSignal } = Context.current();
    const { attempt, isLocal } = info;
    if (gate !== undefined) await this.#pass(program, `${program} ${gate}`, { isLocal, holdMs });
    // What came before has been seen to then.
    if (!isLocal) await this.#pause(RECORDED_MS);
    if (attempt > failing) return `attempt ${attempt}`;
    const message = `attempt ${attempt} of ${failing}`;
    switch (by) {
      case 'final':
        throw ApplicationFailure.nonRetryable(message, 'Final', { attempt });
      case 'listed':
        throw ApplicationFailure.retryable(message, FOREIGN_CLUSTER);
      case 'paced':
        throw ApplicationFailure.create({ message, type: 'Paced', nextRetryDelay: PACE_MS });
      case 'error':
        throw new RangeError(message);
      case 'hanging':
        await aborted(AbortSignal.any([cancellationSignal, this.#over.signal]));
        throw new Error('nobody waits for this');
      case 'failure':
        throw ApplicationFailure.retryable(message, 'Again');
    }
  }

  async #pass(program: string, gate: string, kind: Omit<Gate, 'open'>): Promise<void> {
    if (this.#opened.has(gate)) return;
    await new Promise<void>((resolve) => {
      const open = () => {
        this.#opened.add(gate);
        this.#waiting.delete(program);
        resolve();
      };
      this.#waiting.set(program, { ...kind, open });
      this.#over.signal.addEventListener('abort', open);
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
