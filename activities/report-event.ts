import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import type { MachineEvent, MachineTarget } from './machine-activities.ts';

export interface EventActivities {
  /** An event beside an object whose status cannot say it. */
  reportEvent(request: MachineTarget & { readonly event: MachineEvent }): Promise<void>;
}

export function createEventActivities(deps: ActivityDeps): EventActivities {
  return {
    async reportEvent(request) {
      refuseForeign(deps, request);
      deps.log.warn({ object: request.ref, reason: request.event.reason }, request.event.message);
      await deps.events.record(request.ref, request.event);
    },
  };
}
