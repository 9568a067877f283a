import { EVENTS } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';

/** What the controller manager does where an owner is gone: some time later. */
export function collectGarbage(api: ApiServer, agenda: Agenda, random: Random): void {
  let isPlanned = false;
  api.store.onChange(({ type, resource }) => {
    if (type !== 'DELETED' || isPlanned || resource === EVENTS) return;
    isPlanned = true;
    agenda.after(random.around(500), () => {
      isPlanned = false;
      api.collectGarbage();
    });
  });
}
