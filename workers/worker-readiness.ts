import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Clock } from '../providers/clock.ts';
import type { ReadinessCheck } from '../process/health.ts';
import type { WorkerRole } from './worker-role.ts';

/** Between two looks whether Temporal answers, in milliseconds. */
const LOOK_MS = 5000;
/** How long such a look may take, in milliseconds. */
const LOOK_TIMEOUT_MS = 3000;
/** Temporal counts as there for this long after it answered, in milliseconds: one lost look is no outage. */
const ANSWER_COUNTS_MS = 15_000;

/**
 * What a worker's `/readyz` goes by. That the SDK has its pollers out is not enough: they stay out, and try again, while
 * Temporal is away.
 */
export class WorkerReadiness {
  readonly #role: WorkerRole;
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #answeredAt = -Infinity;
  #callOff: (() => void) | undefined;

  constructor(role: WorkerRole, clock: Clock) {
    this.#role = role;
    this.#clock = clock;
  }

  /** This worker runs now, over this connection. */
  follow(worker: Worker, connection: NativeConnection): void {
    this.#worker = worker;
    // The connection was made, and the worker validated its namespace, a moment ago.
    this.#answeredAt = this.#clock.now();
    this.#lookLater(connection);
  }

  /** No worker runs. */
  unfollow(): void {
    this.#callOff?.();
    this.#worker = undefined;
    this.#answeredAt = -Infinity;
  }

  /** Looked at without a request of its own. */
  checks(): readonly ReadinessCheck[] {
    const status = this.#worker?.getStatus();
    const silence = this.#clock.now() - this.#answeredAt;
    const found = Number.isFinite(silence) ? `answered ${Math.round(silence / 1000)} s ago` : 'not connected';
    return [
      equal('worker', status?.runState ?? 'not created', 'RUNNING'),
      ...(this.#role === 'activities'
        ? []
        : [equal('workflow-pollers', status?.workflowPollerState ?? 'none', 'POLLING')]),
      ...(this.#role === 'workflows'
        ? []
        : [equal('activity-pollers', status?.activityPollerState ?? 'none', 'POLLING')]),
      { name: 'temporal', isOk: silence < ANSWER_COUNTS_MS, found },
    ];
  }

  #lookLater(connection: NativeConnection): void {
    this.#callOff = this.#clock.after(LOOK_MS, () => {
      this.#lookLater(connection);
      void this.#look(connection);
    });
  }

  async #look(connection: NativeConnection): Promise<void> {
    try {
      await connection.withDeadline(this.#clock.timeOfDay() + LOOK_TIMEOUT_MS, () =>
        connection.workflowService.getSystemInfo({}),
      );
      if (this.#worker !== undefined) this.#answeredAt = this.#clock.now();
    } catch {
      // How long it has been silent is what is told.
    }
  }
}

function equal(name: string, found: string, wanted: string): ReadinessCheck {
  return { name, isOk: found === wanted, found };
}
