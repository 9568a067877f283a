import type { GreetingActivities } from '../workflows/greeting/greeting-activities.ts';
import { entitySettingsOf } from '../workflows/settings.ts';
import type { ActivityDeps } from './deps.ts';
import { refuseForeign } from './failures.ts';
import { SeenObjects } from './seen-objects.ts';

const FIELD_MANAGER = 'millwright-greeting';

/** Activities on a Greeting. */
export function createGreetingActivities(deps: ActivityDeps): GreetingActivities {
  const { kube, apis, settings } = deps;
  const objects = new SeenObjects(kube);
  return {
    async lookAtGreeting(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const kind = apis.kindOf('greeting', ref);
      const stored = await objects.read(kind.resource, ref);
      if (stored === undefined) return { found: false };
      const { greeting, status } = kind.read(stored);
      const { ref: _known, ...seen } = greeting;
      return { found: true, ...seen, status, settings: entitySettingsOf(settings) };
    },

    async writeGreetingStatus(request) {
      refuseForeign(deps, request);
      const { ref, status } = request;
      await objects.writeStatus(apis.kindOf('greeting', ref), ref, { status, fieldManager: FIELD_MANAGER });
    },
  };
}
