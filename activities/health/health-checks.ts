import { HEALTH_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { MachineHealthCheckActivities } from '../../workflows/machine-health-check/health-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { given } from '../../providers/given.ts';
import { refuseForeign } from '../failures.ts';
import type { OutageDeps } from './outages.ts';
import { SeenObjects } from '../seen-objects.ts';
import { createFindKind } from './remediation-requests.ts';
import { fulfilWish, releaseMachine, remediate } from './remediate.ts';
import { surveyHealth } from './survey-health.ts';
import { UnansweredLooks } from './unanswered-looks.ts';

/** Activities on a health check, and on the Machines that it remediates. */
export function createHealthActivities(deps: MachineDeps & OutageDeps): MachineHealthCheckActivities {
  const { kube, apis, events } = deps;
  const objects = new SeenObjects(kube);
  const acting = { ...deps, findKind: createFindKind(kube) };
  const unanswered = new UnansweredLooks(deps.clock);
  return {
    async surveyHealth(request) {
      refuseForeign(deps, request);
      const { seen, outage } = await unanswered.look(request.ref.uid, () => surveyHealth(acting, objects, request));
      return seen.found === true ? { ...seen, ...given({ ownOutage: outage }) } : seen;
    },

    async remediate(request) {
      refuseForeign(deps, request);
      return remediate(acting, request);
    },

    async fulfilWish(request) {
      refuseForeign(deps, request);
      await fulfilWish(deps, request);
    },

    async releaseMachine(request) {
      refuseForeign(deps, request);
      await releaseMachine(acting, request);
    },

    async writeHealthStatus(request) {
      refuseForeign(deps, request);
      const { ref, status, seen } = request;
      const kind = apis.kindOf('machineHealthCheck', ref);
      if (status !== undefined) {
        await objects.writeStatus(kind, ref, { status, fieldManager: HEALTH_FIELD_MANAGER, ...given({ seen }) });
      }
      for (const event of request.events) await events.record(ref, event);
    },
  };
}
