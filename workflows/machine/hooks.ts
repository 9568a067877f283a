import type { LifecycleHook } from '../../k8s/model/machine.ts';
import type { Life, Next } from './life.ts';

/** Name of the step in what a machine says it waits for. */
const HOOKS_STEP = 'LifecycleHooks';

/** The Machine API's conditions, by the point that a hook holds. */
const CONDITIONS = { preDrain: 'Drainable', preTerminate: 'Terminable' } as const;

/** A Machine that lives waits for no hook, whatever the controller before us said of that. */
export function clearHookConditions(life: Life): void {
  for (const type of Object.values(CONDITIONS)) life.clearCondition(type);
}

/**
 * Holds a deletion before its first step that changes anything, while anybody has a hook on the Machine. There is no drain
 * between the two points yet, so a hook of either holds everything. Where no instance is known, nothing has to wait; and
 * what was asked to end is not held any more.
 */
export function waitForHooks(life: Life): Next | undefined {
  const { hooks = [] } = life.seen.machine;
  const holding = life.instanceId === undefined || life.memory.termination !== undefined ? [] : hooks;
  for (const point of ['preDrain', 'preTerminate'] as const) {
    const ofPoint = holding.filter((hook) => hook.point === point);
    if (ofPoint.length === 0) life.clearCondition(CONDITIONS[point]);
    else {
      const message = `waits for ${ofPoint.map(describeHook).join('; ')}`;
      life.setCondition({ type: CONDITIONS[point], status: 'False', reason: 'HookPresent', message });
    }
  }
  if (holding.length === 0) {
    if (life.status.waiting?.step === HOOKS_STEP) life.proceed();
    return undefined;
  }
  const message = `the deletion waits until its hooks are removed: ${holding.map(describeHook).join('; ')}`;
  life.wait(HOOKS_STEP, 'HookPresent', message);
  return { why: message };
}

function describeHook({ point, name, owner }: LifecycleHook): string {
  return `${point} hook ${name} of ${owner}`;
}
