import { freshLaunch, takenOverLaunch } from './launch-record.ts';
import { LAUNCH_STEP, noteInvalidSpec, refuseSpec, retryFailed, retryLater, withField } from './launch-waits.ts';
import type { Life, Next } from './life.ts';
import { local } from './ports.ts';

/** Freezes the parameters of an attempt. Answers how to wait where it could not. */
export async function prepareLaunch(life: Life, attempt: number, replace: boolean): Promise<Next | undefined> {
  const { memory, seen } = life;
  const isWaiting = memory.waitUntil !== undefined && memory.waitUntil > life.nowMs;
  // A wait is over when what it waited for may have changed: the spec, or the class that it comes from.
  if (isWaiting && memory.waitSpecHash === seen.machine.specHash) {
    return { at: memory.waitUntil, why: life.status.waiting?.message ?? LAUNCH_STEP };
  }
  memory.waitSpecHash = seen.machine.specHash;
  const { invalidSpec } = memory;
  const isDue = (invalidSpec?.retryAt ?? Infinity) <= life.nowMs;
  if (invalidSpec?.hash === seen.machine.specHash && !isDue) {
    return refuseSpec(life, invalidSpec.message, invalidSpec.retryAt);
  }
  delete memory.invalidSpec;

  life.proceed();
  life.setCondition({
    type: 'InstanceExists',
    status: 'False',
    reason: 'InstanceNotCreated',
    message: `attempt ${attempt} to launch is prepared`,
  });
  const answer = await local.prepareLaunch({ ...life.target, attempt, replace, status: life.status });
  if (answer.outcome === 'changed') return 'again';
  if (answer.outcome === 'invalid') {
    const message = withField(answer.field, answer.message);
    memory.failures += 1;
    const { retryAt } = noteInvalidSpec(life, seen.machine.specHash, message, answer.outsideSpec, memory.failures);
    return refuseSpec(life, message, retryAt);
  }
  if (answer.outcome === 'missing') return retryLater(life, 'missing', answer.reason, answer.message);
  if (answer.outcome === 'failed') return retryFailed(life, answer.failure);
  memory.failures = 0;
  delete memory.waitUntil;
  const failures = memory.launch?.failures ?? 0;
  const lastError = memory.launch?.lastError;
  memory.launch = answer.found
    ? takenOverLaunch(answer.launch, life.nowMs, life.settings)
    : { ...freshLaunch(answer.launch, failures), ...(lastError === undefined ? {} : { lastError }) };
  life.set({ launch: answer.launch });
  life.written();
  return undefined;
}
