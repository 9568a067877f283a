import { given } from '../providers/given.ts';
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
      const look = await objects.see(kind.resource, ref);
      if (look === undefined) return { found: false };
      const { greeting, status } = kind.read(look.stored);
      const { ref: _known, ...wish } = greeting;
      return { found: true, ...wish, status, ...given({ seen: look.seen }), settings: entitySettingsOf(settings) };
    },

    async writeGreetingStatus(request) {
      refuseForeign(deps, request);
      const { ref, status, seen } = request;
      const written = { status, fieldManager: FIELD_MANAGER, ...given({ seen }) };
      await objects.writeStatus(apis.kindOf('greeting', ref), ref, written);
    },
  };
}
