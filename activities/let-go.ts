import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import type { NodeTarget } from '../workflows/machine/node-activities.ts';
import { ABORT_TOO_LATE } from '../workflows/machine/deletion-conditions.ts';
import type { StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineDeps } from './deps.ts';
import { refuseForeign, unlessPassing } from './failures.ts';
import { ACT_MS } from './machine-reader.ts';

interface Steps {
  /** Deletes the Machine's Node, if it has one. */
  readonly deleteNode: (target: NodeTarget) => Promise<void>;
  /** Cordons and marks it instead. */
  readonly keepNode: (target: NodeTarget, mark: string) => Promise<void>;
  /** Lets the Machine object go. Answers with what was stored of it then, where that is known. */
  readonly removeFinalizer: (target: MachineTarget) => Promise<StoredObject | undefined>;
}

/** The end of a deletion in one activity. Safe to repeat, also after it worked. */
export function createLetGo(deps: MachineDeps, steps: Steps): Pick<MachineActivities, 'letGo'> {
  const { reader } = deps;
  return {
    async letGo(request) {
      refuseForeign(deps, request);
      const { events, nodeMark, isWished, ...target } = request;
      const { ref } = target;
      let last: StoredObject | undefined;
      const failed = await unlessPassing(async () => {
        // Who dies after the finalizer is off tells nobody any more.
        if (nodeMark !== undefined) for (const event of events) await deps.events.insist(ref, event);
        if ((reader.recent(ref, ACT_MS) ?? (await reader.read(ref))) !== undefined) {
          if (nodeMark === undefined) await steps.deleteNode(target);
          else await steps.keepNode(target, nodeMark);
          last = await steps.removeFinalizer(target);
        }
      });
      if (failed !== undefined) return failed;
      if (nodeMark === undefined) for (const event of events) await deps.events.record(ref, event);
      // The look with which the pass began may be older than that wish, and no condition is left to tell of it.
      if (
        isWished === true &&
        last !== undefined &&
        deps.apis.kindOf('machine', ref).read(last).machine.delete !== true
      )
        await deps.events.record(ref, ABORT_TOO_LATE);
      return { outcome: 'done' };
    },
  };
}
