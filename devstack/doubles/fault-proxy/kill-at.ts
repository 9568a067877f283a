/** Kills a process at a point of its conversation with the outside, once. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { PointHook } from './fault-proxy.ts';
import type { RequestPhase } from './recorded-request.ts';
import { pointFits } from './request-point.ts';
import type { PointSelector, RequestPoint } from './request-point.ts';

export interface KillAtOptions {
  /** Asked when the point is reached; undefined: nothing runs, and it stays armed. */
  readonly pid: () => number | undefined;
  /** The first request that fits. */
  readonly point: PointSelector;
  readonly phase: RequestPhase;
  /** How long after the phase is reached, in ms: lets the process begin to use an answer. @default 0 */
  readonly delayMs?: number;
  /** Longest wait until the killed process is gone, in ms. @default 5000 */
  readonly goneWithinMs?: number;
}

export interface ArmedKill {
  /** To be given to {@link FaultProxy.onPoint}, of several proxies where need be. */
  readonly onPoint: PointHook;
  /** The point at which the process was killed; undefined: not yet. */
  readonly hit: RequestPoint | undefined;
  /** Resolves when the process is killed and gone; stays open where that never happens. */
  readonly whenHit: Promise<RequestPoint>;
}

/**
 * Arms one SIGKILL. Up to `after-effect` the client's connection is cut once the process is gone, so that it gets no
 * answer; at `before` the request is not sent upstream.
 */
export function armKill(options: KillAtOptions): ArmedKill {
  const { pid, delayMs = 0, goneWithinMs = 5_000 } = options;
  let isSpent = false;
  let hit: RequestPoint | undefined;
  const { promise: whenHit, resolve } = Promise.withResolvers<RequestPoint>();
  return {
    get hit() {
      return hit;
    },
    whenHit,
    onPoint: async (point, phase) => {
      if (isSpent || phase !== options.phase || !pointFits(options.point, point)) return undefined;
      isSpent = true;
      if (delayMs > 0) await sleep(delayMs);
      const victim = pid();
      if (victim === undefined || !sendSignal(victim, 'SIGKILL')) {
        isSpent = false;
        return undefined;
      }
      hit = point;
      await waitUntilGone(victim, goneWithinMs);
      resolve(point);
      return { drop: true };
    },
  };
}

/** False: there is no such process. Signal 0 only asks. */
function sendSignal(pid: number, signal: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** A killed process runs no more code; it is gone when its parent has taken note, which is when its sockets are closed. */
async function waitUntilGone(pid: number, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (sendSignal(pid, 0)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} is still there ${withinMs} ms after SIGKILL`);
    await sleep(5);
  }
}
