import { Context } from '@temporalio/activity';

/**
 * How often an activity's heartbeats reach Temporal at most, whatever its time-out. The answer tells whether its workflow is
 * still there; the SDK's own limit, 0.8 of the time-out, leaves it at work for that long after a termination.
 */
export const HEARTBEAT_INTERVAL = '1s';

/**
 * Runs a call to the outside while telling Temporal that its worker lives, which a local activity need not; aborts it when
 * the activity is cancelled.
 */
export async function whileHeartbeating<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { heartbeat, cancellationSignal, info } = Context.current();
  if (info.isLocal) return call(cancellationSignal);
  const everyMs = (info.heartbeatTimeoutMs ?? 5000) / 3;
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    return await call(cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
