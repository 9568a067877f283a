import { AGAIN, waitFor, type Answer } from './answer.ts';
import { freshLaunch, takenOverLaunch } from './launch-record.ts';
import { noteInvalidSpec, refuseSpec, retryFailed, retryMissing, withField } from './launch-waits.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { notDue } from './step-retry.ts';

/** Freezes the parameters of an attempt. Answers how to wait where it could not. */
export async function prepareLaunch(pass: Pass, attempt: number, replace: boolean): Promise<Answer | undefined> {
  const { memory, seen } = pass;
  const { launched: slot } = memory;
  const { specHash } = seen.machine;
  const wait = notDue(slot.retry, pass.nowMs);
  // A wait is over when what it waited for may have changed: the spec, or the class that it comes from.
  if (wait !== undefined && slot.specHash === specHash) return waitFor(wait);
  slot.specHash = specHash;
  const { invalidSpec } = slot;
  const isDue = (invalidSpec?.retryAt ?? Infinity) <= pass.nowMs;
  if (invalidSpec?.hash === specHash && !isDue) {
    return waitFor(refuseSpec(pass, invalidSpec.message, invalidSpec.retryAt));
  }
  delete slot.invalidSpec;

  pass.wait(undefined);
  pass.setCondition({
    type: 'InstanceExists',
    status: 'False',
    reason: 'InstanceNotCreated',
    message: `attempt ${attempt} to launch is prepared`,
  });
  const answer = await local.prepareLaunch({ ...pass.target, attempt, replace, status: pass.status });
  if (answer.outcome === 'changed') return AGAIN;
  if (answer.outcome === 'invalid') {
    const failures = (slot.retry?.failures ?? 0) + 1;
    const message = withField(answer.field, answer.message);
    const { retryAt } = noteInvalidSpec(pass, specHash, message, answer.outsideSpec, failures);
    const refused = refuseSpec(pass, message, retryAt);
    slot.retry = { ...refused, failures, until: retryAt ?? pass.nowMs };
    return waitFor(refused);
  }
  if (answer.outcome === 'missing') return retryMissing(pass, answer.reason, answer.message);
  if (answer.outcome === 'failed') return retryFailed(pass, answer.failure);
  delete slot.retry;
  memory.attempt = answer.found
    ? takenOverLaunch(answer.launch, pass.nowMs, pass.settings)
    : freshLaunch(answer.launch, memory.attempt);
  pass.set({ launch: answer.launch });
  pass.written(answer.seen);
  return undefined;
}
