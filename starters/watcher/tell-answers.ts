import type { KubeClient } from '../../k8s/client.ts';
import { isNotSent } from '../../k8s/kube-error.ts';
import type { Clock } from '../../providers/clock.ts';
import type { ApiOutages } from './api-outages.ts';
import type { ObjectWatch } from './object-source.ts';

type Told = Pick<ApiOutages, 'answered' | 'failed'>;

/** Gateways answer so where the API server behind them does not, and an API server that has lost its store. */
const AWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** A read of one object that takes longer counts as one that gets no answer, in milliseconds: the API server may be silent, and fail nothing. */
const LATE_MS = 2000;
/** After this process stood still, answers that have come are read within so long, in milliseconds. */
const CATCH_UP_MS = 100;

/** The same client, which tells of each read whether it was answered. A watcher reads its Lease every few seconds. */
export function tellingReads(kube: KubeClient, told: Told, clock: Clock): KubeClient {
  const telling = async <T>(read: () => Promise<T>): Promise<T> => {
    const beganAt = clock.now();
    try {
      const answer = await read();
      told.answered();
      return answer;
    } catch (error) {
      if (isAnswer(error)) told.answered();
      else if (!isNotSent(error)) told.failed(beganAt);
      throw error;
    }
  };
  /** Of a small read it is known how soon an answer should come. */
  const watching = async <T>(read: () => Promise<T>): Promise<T> => {
    const beganAt = clock.now();
    let callOff = clock.after(LATE_MS, () => {
      callOff = clock.after(CATCH_UP_MS, () => told.failed(beganAt));
    });
    return read().finally(() => callOff());
  };
  return {
    ...kube,
    get: (...args) => telling(() => watching(() => kube.get(...args))),
    list: (...args) => telling(() => kube.list(...args)),
  };
}

/** The same watch, which tells of each event, and of an end for want of an answer. */
export function tellingWatch(watch: ObjectWatch, told: Told, clock: Clock): ObjectWatch {
  return {
    async watch(path, query, onEvent, done) {
      const beganAt = clock.now();
      let isOpen = false;
      let isOver = false;
      const answered = (): void => {
        isOpen = true;
        told.answered();
      };
      const opened = await watch.watch(
        path,
        query,
        (...event) => {
          answered();
          onEvent(...event);
        },
        (error: unknown) => {
          isOver = true;
          if (isAnswer(error)) told.answered();
          else if (isFailure(error, isOpen)) told.failed(isOpen ? clock.now() : beganAt);
          done(error);
        },
      );
      if (!isOver) answered();
      return opened;
    },
  };
}

/** A watch that has nothing to tell is ended by the client itself after a while, and opened again. */
function isFailure(error: unknown, isOpen: boolean): boolean {
  if (error === null || error === undefined) return false;
  const { name } = error as { readonly name?: unknown };
  // Nobody wants it any more.
  if (name === 'AbortError') return false;
  return !isOpen || name !== 'TimeoutError';
}

function isAnswer(error: unknown): boolean {
  const { statusCode, status } = (error ?? {}) as { readonly statusCode?: number; readonly status?: number };
  const answer = statusCode ?? status ?? 0;
  return answer > 0 && !AWAY_STATUSES.has(answer);
}
