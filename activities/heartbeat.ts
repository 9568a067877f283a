import { Context } from '@temporalio/activity';
import type { Clock } from '../providers/clock.ts';

/**
 * How often an activity's heartbeats reach Temporal at most, whatever its time-out. The answer tells whether its workflow is
 * still there; the SDK's own limit, 0.8 of the time-out, leaves it at work for that long after a termination.
 */
export const HEARTBEAT_INTERVAL = '1s';

/**
 * Runs a call to the outside while telling Temporal that its worker lives, which a local activity need not; aborts it when
 * the activity is cancelled.
 */
export async function whileHeartbeating<T>(clock: Clock, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { heartbeat, cancellationSignal, info } = Context.current();
  if (info.isLocal) return call(cancellationSignal);
  const everyMs = (info.heartbeatTimeoutMs ?? 5000) / 3;
  const beat = () => {
    heartbeat();
    callOff = clock.after(everyMs, beat);
  };
  let callOff = clock.after(everyMs, beat);
  try {
    return await call(cancellationSignal);
  } finally {
    callOff();
  }
}

/**
 * Fails where Temporal does not wait for this try of the activity any more: a worker may have stood still right before it began, or in its
 * midst, for so long that another try has ended by now. A heartbeat alone tells that later, when the harm may be done.
 */
export async function failUnlessAwaited(): Promise<void> {
  const context = Context.current();
  if (!context.info.isLocal) await context.client.activity.heartbeat(context.info.taskToken);
}
