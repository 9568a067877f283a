import type { MachineObject } from '../../api/machine.openshift.io/machine.ts';
import { conditionOf } from '../../model/condition.ts';
import type { MachineStatus } from '../../model/machine.ts';
import {
  ADDRESS_TYPES,
  isInstanceState,
  type InstanceAddress,
  type InstanceState,
} from '../../../providers/provider.ts';
import type { StoredMachineStatus } from '../machine-kind.ts';
import { readConditions } from './conditions.ts';
import { given, unlessEmpty } from '../../../providers/given.ts';

type Stored = MachineObject['status'];

/** Everything that Millwright writes there, but for a phase. */
export const EMPTIED_STATUS = {
  phase: 'Provisioning',
  addresses: null,
  conditions: null,
  delete: null,
  deletion: null,
  errorMessage: null,
  errorReason: null,
  failureMessage: null,
  failureReason: null,
  lastUpdated: null,
  maintenance: null,
  maintenanceDrainStartTime: null,
  nodeRef: null,
  observedGeneration: null,
  prepareDeletionPhase: null,
  providerStatus: null,
  waiting: null,
} as const;

export function statusOf(stored: Stored): StoredMachineStatus {
  if (stored === undefined) return { addresses: [], conditions: [] };
  const { phase, nodeRef, errorReason, errorMessage, addresses, conditions, providerStatus } = stored;
  const { waiting, lastUpdated, observedGeneration, deletion, maintenance, maintenanceDrainStartTime } = stored;
  const { instanceId, instanceState, account, cloud, controlPlane, pastKnown, reboot } = providerStatus ?? {};
  return {
    ...given({
      phase,
      nodeRef: nodeRef?.name === undefined ? undefined : { name: nodeRef.name, uid: nodeRef.uid ?? '' },
      error: errorReason === undefined ? undefined : { reason: errorReason, message: errorMessage ?? '' },
    }),
    addresses: readAddresses(addresses),
    conditions: readConditions('machine', conditions).own.sort((a, b) => (a.type < b.type ? -1 : 1)),
    ...given({
      instance: instanceId === undefined ? undefined : { id: instanceId, state: readState(instanceState) },
      account,
      launch: providerStatus?.launch,
      isControlPlane: controlPlane === true || undefined,
      cloud,
      waiting,
      updatedAt: lastUpdated,
      observedGeneration,
      deletion,
      maintenance,
      maintenanceDrainStartTime,
      reboot: reboot && { ...reboot, times: reboot.times ?? [] },
      preparation: stored.prepareDeletionPhase ?? (stored.delete === false ? 'aborted' : undefined),
      pastKnown: pastKnown === true || undefined,
    }),
  };
}

/** Another controller may have written a word of its own: what it means is told by the next look at the instance. */
function readState(stored: string | undefined): InstanceState {
  return isInstanceState(stored) ? stored : 'pending';
}

/** Without those of a type that Kubernetes does not know: the next look at the instance brings them all. */
function readAddresses(stored: NonNullable<Stored>['addresses'] = []): InstanceAddress[] {
  return stored.flatMap(({ type: word, address }) => {
    const type = ADDRESS_TYPES.find((known) => known === word);
    return type === undefined ? [] : [{ type, address }];
  });
}

export function statusObjectOf(status: MachineStatus): object {
  const { phase, nodeRef, error, addresses, conditions, instance, launch, cloud, waiting, updatedAt } = status;
  const { account, isControlPlane, observedGeneration, pastKnown, deletion } = status;
  const { maintenance, maintenanceDrainStartTime, reboot } = status;
  const generation = given({ observedGeneration });
  const creation = conditionOf(conditions, 'MachineCreation');
  const providerStatus = given({
    // The Machine API's provider says of the creation here what it says nowhere else.
    conditions: creation && [{ ...creation, ...generation }],
    instanceId: instance?.id,
    instanceState: instance?.state,
    account,
    controlPlane: isControlPlane,
    launch,
    cloud,
    pastKnown,
    reboot,
  });
  return {
    ...given({
      phase,
      nodeRef: nodeRef && { apiVersion: 'v1', kind: 'Node', ...nodeRef },
      errorReason: error?.reason,
      errorMessage: error?.message,
    }),
    // cluster-autoscaler knows a failed machine by them; of one that is being deleted it is told by its deletionTimestamp.
    ...(phase === 'Failed' ? given({ failureReason: error?.reason, failureMessage: error?.message }) : {}),
    addresses,
    conditions: conditions.map((c) => ({ ...c, ...generation })),
    ...given({
      // The API server refuses an empty map in place of one that we wrote all of.
      providerStatus: unlessEmpty(providerStatus),
      waiting,
      deletion,
      observedGeneration,
      lastUpdated: updatedAt,
      maintenance,
      maintenanceDrainStartTime,
    }),
    ...preparationOf(status),
  };
}

function preparationOf({ preparation }: MachineStatus): object {
  if (preparation === undefined) return {};
  return preparation === 'aborted' ? { delete: false } : { delete: true, prepareDeletionPhase: preparation };
}
