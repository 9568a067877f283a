import type { EventActivities } from '../workflows/event-activities.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';

export function createEventActivities(deps: ActivityDeps): EventActivities {
  return {
    async reportEvent(request) {
      refuseForeign(deps, request);
      deps.log.warn({ object: request.ref, reason: request.event.reason }, request.event.message);
      await deps.events.record(request.ref, request.event);
    },
    async fixTime() {},
    async putOnRecord() {},
  };
}
