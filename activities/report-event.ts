import type { EventActivities } from '../workflows/event-activities.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';

export function createEventActivities(deps: ActivityDeps): EventActivities {
  return {
    async reportEvent(request) {
      refuseForeign(deps, request);
      const { ref, event, which } = request;
      deps.log[event.type === 'Warning' ? 'warn' : 'info']({ object: ref, reason: event.reason }, event.message);
      await deps.events.record(ref, event, which);
    },
    async fixTime() {},
    async putOnRecord() {},
  };
}
