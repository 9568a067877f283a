import type { MachineHealthCheckObject } from '../../api/machine.openshift.io/machine-health-check.ts';
import {
  MOST_UNHEALTHY_TOLD,
  PROCEED_ANNOTATION,
  type MachineHealthCheckStatus,
} from '../../model/machine-health-check.ts';
import type { RulesPlace } from '../../model/cluster-rules.ts';
import { PAUSED_ANNOTATION } from '../../model/paused-annotation.ts';
import type { Resource } from '../../resources.ts';
import { metaOf, refOf, type MachineHealthCheckKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import {
  CLONED_FROM_KIND_ANNOTATION,
  CLONED_FROM_NAME_ANNOTATION,
  EXTERNAL_BAREMETAL,
  REMEDIATION_STRATEGY_ANNOTATION,
} from './labels.ts';
import { readConditions } from './conditions.ts';
import { definitionOf } from '../definition.ts';
import { forBareMetal, HELD_SPEC, readHealthSpec, type WrittenHealthSpec } from './health-spec.ts';
import { given } from '../../../providers/given.ts';

/** Where the Machine API has the rules of its checks. */
export const CLUSTER_RULES: RulesPlace = {
  namespace: 'openshift-machine-api',
  name: 'node-unhealthy-conditions',
  key: 'conditions',
};

/**
 * A kind of health checks. Those of all APIs have one status.
 *
 * @param take the part of a stored spec that its API knows
 */
export function createHealthCheckKind(
  resource: Resource,
  take: (spec: WrittenHealthSpec) => WrittenHealthSpec,
): MachineHealthCheckKind {
  const definition = definitionOf(resource);
  const problemsOf = createWellFormedCheck(definition);
  return {
    role: 'machineHealthCheck',
    resource,
    definition,
    policies: [],
    own: { labels: new Set(), annotations: new Set() },
    clusterRules: CLUSTER_RULES,

    read(object) {
      const { metadata, spec, status } = object as Stored;
      // A status that cannot be read is written anew; what the check wants is known without it.
      const { spec: misshapen, status: unreadable } = problemsOf(object);
      const malformed = misshapen ?? (spec === undefined ? 'spec is missing' : undefined);
      const told = malformed === undefined && spec !== undefined ? readHealthSpec(take(spec)) : { problem: malformed };
      const strategy = metadata.annotations?.[REMEDIATION_STRATEGY_ANNOTATION];
      const wanted = 'spec' in told ? told.spec : HELD_SPEC;
      return {
        meta: metaOf(object),
        clusterName: '',
        wanted: [spec, ...(unreadable === undefined ? [] : [status])],
        status: statusOf(unreadable === undefined ? status : undefined),
        machineHealthCheck: {
          ...given({ malformed: told.problem }),
          ref: refOf(object),
          generation: metadata.generation,
          ...given({ deletedAt: metadata.deletionTimestamp }),
          paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
          ...(strategy === EXTERNAL_BAREMETAL ? forBareMetal(wanted) : wanted),
          ...given({ proceedAt: metadata.annotations?.[PROCEED_ANNOTATION] }),
        },
      };
    },

    writeStatus: (status) => ({
      ...status,
      unhealthyMachines: status.unhealthyMachines.slice(0, MOST_UNHEALTHY_TOLD),
    }),

    requestAnnotations({ apiVersion, kind, name }) {
      const [group = ''] = apiVersion.split('/');
      return { [CLONED_FROM_NAME_ANNOTATION]: name, [CLONED_FROM_KIND_ANNOTATION]: `${kind}.${group}` };
    },
  };
}

interface Stored extends Pick<MachineHealthCheckObject, 'metadata' | 'status'> {
  readonly spec?: WrittenHealthSpec;
}

function statusOf(stored: MachineHealthCheckObject['status'] = {}): Partial<MachineHealthCheckStatus> {
  const { expectedMachines, currentHealthy, remediationsAllowed } = stored;
  const { remediationsInFlight, remediationsInFlightLimit } = stored;
  const { observedGeneration, conditions, unhealthyMachines } = stored;
  return {
    ...given({ expectedMachines, currentHealthy, remediationsAllowed }),
    ...given({ remediationsInFlight, remediationsInFlightLimit }),
    ...given({ observedGeneration, unhealthyMachines }),
    ...given({ conditions: conditions && readConditions('machineHealthCheck', conditions).own }),
  };
}
