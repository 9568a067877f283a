import type { LifecycleHook } from '../../../k8s/model/machine.ts';
import { DONE, waitFor, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

/** The Machine API's conditions, by the point that a hook holds. */
const CONDITIONS = { preDrain: 'Drainable', preTerminate: 'Terminable' } as const;

/**
 * Holds a deletion before its first step that changes anything, while anybody has a hook on the Machine. There is no drain
 * between the two points yet, so a hook of either holds everything. Where no instance is known, nothing has to wait; what was
 * asked to end is not held any more; and a Machine that lives waits for no hook, whatever the controller before us said of that.
 */
export function unhooked(pass: Pass): Answer {
  const { hooks = [], deletedAt } = pass.seen.machine;
  const isHeld = deletedAt !== undefined && pass.instanceId !== undefined && pass.memory.isEndAskedFor !== true;
  const holding = isHeld ? hooks : [];
  for (const point of ['preDrain', 'preTerminate'] as const) {
    const ofPoint = holding.filter((hook) => hook.point === point);
    if (ofPoint.length === 0) pass.clearCondition(CONDITIONS[point]);
    else {
      const message = `waits for ${ofPoint.map(describeHook).join('; ')}`;
      pass.setCondition({ type: CONDITIONS[point], status: 'False', reason: 'HookPresent', message });
    }
  }
  if (holding.length === 0) return DONE;
  const message = `the deletion waits until its hooks are removed: ${holding.map(describeHook).join('; ')}`;
  return waitFor({ step: 'LifecycleHooks', reason: 'HookPresent', message });
}

function describeHook({ point, name, owner }: LifecycleHook): string {
  return `${point} hook ${name} of ${owner}`;
}
