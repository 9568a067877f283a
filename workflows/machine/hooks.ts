import { conditionOf } from '../../k8s/model/condition.ts';
import type { LifecycleHook } from '../../k8s/model/machine.ts';
import { given } from '../../providers/given.ts';
import { DONE, waitFor, type Answer } from './answer.ts';
import { isPastDrain, isDrainSkipped } from './deletion-points.ts';
import type { Pass } from './pass.ts';

/** The Machine API's conditions, by the point that a hook holds. */
const CONDITIONS = { preDrain: 'Drainable', preTerminate: 'Terminable' } as const;

/** What cannot begin before the hooks of a point are removed. */
const HELD = { preDrain: 'the drain', preTerminate: 'the termination' } as const;

/** Holds a deletion at one point, while anybody has a hook there. */
export function waitForHooks(pass: Pass, point: LifecycleHook['point']): Answer {
  const holding = (pass.seen.machine.hooks ?? []).filter((hook) => hook.point === point);
  if (holding.length === 0) return passHooks(pass, point);
  const hooks = holding.map(({ name, owner }) => `${point} hook ${name} of ${owner}`).join('; ');
  if (pass.seen.machine.deletionPolicy === 'forced') return passOver(pass, point, hooks);
  const reason = 'HookPresent';
  const type = CONDITIONS[point];
  pass.setCondition({ type, status: 'False', reason, message: `waits for ${hooks}` });
  // Step and reason are the same at both points.
  const since = conditionOf(pass.status.conditions, type)?.lastTransitionTime;
  const held = point === 'preDrain' && isDrainSkipped(pass) ? 'the deletion' : HELD[point];
  const message = `${held} waits until its hooks are removed: ${hooks}`;
  return waitFor({ step: 'LifecycleHooks', reason, message, ...given({ since }) });
}

/** A forced deletion waits for nobody: it says so, once. */
function passOver(pass: Pass, point: LifecycleHook['point'], hooks: string): Answer {
  const told = (pass.memory.passedOver ??= {});
  if (told[point] !== hooks) {
    const message = `deletionPolicy is forced: ${hooks} is passed over`;
    pass.tellOnce({
      type: 'Warning',
      reason: `${point === 'preDrain' ? 'PreDrain' : 'PreTerminate'}HooksPassedOver`,
      message,
    });
    told[point] = hooks;
  }
  return passHooks(pass, point);
}

/** A forced deletion goes now, wherever it is: it tells of the hooks that it did not come to, and that could have held it. */
export function passOverAll(pass: Pass): void {
  if (!isPastDrain(pass)) waitForHooks(pass, 'preDrain');
  if (pass.memory.isEndAskedFor !== true) waitForHooks(pass, 'preTerminate');
}

/** No hook of this point holds anything now, whatever a condition said of that before. */
export function passHooks(pass: Pass, point: LifecycleHook['point']): Answer {
  pass.clearCondition(CONDITIONS[point]);
  return DONE;
}

/**
 * Whether there is a termination that hooks can hold. Where no instance is known to be the Machine's, nothing has to wait; what was asked
 * to end is not held any more. To be asked when no launch is unknown.
 */
export function hasTermination({ status, memory }: Pick<Pass, 'status' | 'memory'>): boolean {
  return status.instance !== undefined && memory.isEndAskedFor !== true;
}
