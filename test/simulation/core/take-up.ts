import type { Payload } from '../temporal/history-event.ts';
import type { Run } from '../temporal/run.ts';
import { CachedRun, type CachedRunServices } from './cached-run.ts';

type Taken = Pick<Run, 'identity' | 'history'>;
type Services = Pick<CachedRunServices, 'agenda' | 'runtime' | 'onBroken'>;

/** A worker that knows nothing of a run takes up its history as far as it was answered, and nothing comes of it. */
export async function takeUp(run: Taken, services: Services): Promise<void> {
  const taken = onlooker(services);
  await takeUpTo(taken, run, services);
  taken.evict();
}

/** A worker that answers queries, and nothing else. It keeps the run in memory that it was asked of last. */
export class QueryWorker {
  readonly #services: Services;
  #known: { readonly runId: string; readonly run: CachedRun } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
  }

  /** From what the workflow knew after its last task that was answered. */
  query(run: Taken, queryType: string): Promise<Payload> {
    const answer = this.#turn.then(() => this.#query(run, queryType));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  end(): void {
    this.#known?.run.evict();
    this.#known = undefined;
  }

  async #query(run: Taken, queryType: string): Promise<Payload> {
    const { runId } = run.identity;
    if (this.#known?.runId !== runId || !this.#known.run.isUpTo(run.history)) this.end();
    this.#known ??= { runId, run: onlooker(this.#services) };
    const { run: known } = this.#known;
    await takeUpTo(known, run, this.#services);
    return known.query(queryType);
  }
}

function onlooker(services: Services): CachedRun {
  const { agenda } = services;
  return new CachedRun({
    ...services,
    clock: { timeOfDay: () => agenda.now, after: (ms, act) => agenda.after(ms, act) },
    runLocal: () => new Promise(() => {}),
    answer: () => {},
  });
}

function takeUpTo(taken: CachedRun, { identity, history }: Taken, { agenda }: Services): Promise<void> {
  return taken.replay({ ...identity, token: 0, history, startedAt: agenda.now, suggestsContinueAsNew: false });
}
