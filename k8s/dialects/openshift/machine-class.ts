import type { MachineClassObject } from '../../api/machine.openshift.io/machine-class.ts';
import type { MachineClassStatus } from '../../model/machine-class.ts';
import type { NodeTemplate } from '../../model/node-template.ts';
import { MACHINE_CLASS_FINALIZER } from './labels.ts';
import { MACHINE_CLASSES } from './resources.ts';
import { metaOf, refOf, type MachineClassKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import { readConditions } from './conditions.ts';
import { definitionOf, policyOf } from '../definition.ts';
import { given } from '../../../providers/given.ts';

const definition = definitionOf(MACHINE_CLASSES);
const problemsOf = createWellFormedCheck(definition, [
  'provider',
  'providerSpec',
  'secretRef',
  'credentialsSecretRef',
  'nodeTemplate',
  'status',
]);

/** MachineClass, after Gardener's. */
export const machineClass: MachineClassKind = {
  role: 'machineClass',
  resource: MACHINE_CLASSES,
  definition,
  policies: [
    policyOf('machineclass-secret-namespace', {
      object: { provider: 'probe', providerSpec: {}, secretRef: { name: 'probe', namespace: 'kube-system' } },
      refusal: "secretRef.namespace is 'kube-system'",
    }),
  ],
  own: { labels: new Set(), annotations: new Set() },
  finalizer: MACHINE_CLASS_FINALIZER,

  read(object) {
    const { apiVersion: _api, kind: _kind, metadata, ...written } = object as MachineClassObject;
    const problems = problemsOf(object);
    const [malformed] = Object.values(problems);
    const readable = Object.fromEntries(Object.entries(written).filter(([part]) => !(part in problems)));
    const { provider, providerSpec, secretRef, credentialsSecretRef, nodeTemplate, status } = readable as Partial<
      typeof written
    >;
    return {
      meta: metaOf(object),
      clusterName: '',
      wanted: [metadata.generation, ...(problems.status === undefined ? [] : [written.status])],
      status: statusOf(status),
      machineClass: {
        ...given({ malformed }),
        ref: refOf(object),
        generation: metadata.generation,
        ...given({ deletedAt: metadata.deletionTimestamp }),
        hasFinalizer: metadata.finalizers?.includes(MACHINE_CLASS_FINALIZER) ?? false,
        // Stored under somebody else's definition it may lack them; what is missing is said where a machine needs it.
        provider: provider ?? '',
        providerSpec: providerSpec ?? {},
        ...given({ userDataSecret: secretRef, credentialsSecret: credentialsSecretRef }),
        ...given({ nodeTemplate: nodeTemplate && nodeTemplateOf(nodeTemplate) }),
      },
    };
  },

  writeStatus: (status) => status,
};

/** What no hardware stands for is there for pods like the rest. */
function nodeTemplateOf(stored: NonNullable<MachineClassObject['nodeTemplate']>): NodeTemplate {
  const { capacity, virtualCapacity, instanceType, region, zone, architecture } = stored;
  const all = Object.entries({ ...capacity, ...virtualCapacity });
  return {
    capacity: Object.fromEntries(all.map(([resource, quantity]) => [resource, String(quantity)])),
    ...given({ instanceType, region, zone, architecture }),
  };
}

function statusOf(stored: MachineClassObject['status'] = {}): Partial<MachineClassStatus> {
  const { machines, machineSets, observedGeneration, conditions } = stored;
  return {
    ...given({ machines, machineSets, observedGeneration }),
    ...given({ conditions: conditions && readConditions('machineClass', conditions).own }),
  };
}
