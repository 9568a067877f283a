import { join } from 'node:path';
import { metaOf, refOf, type StoredObject } from '../../../../../k8s/dialects/kind.ts';
import { machineKind, type StoredMachineStatus } from '../../../../../k8s/dialects/machine-kind.ts';
import { createWellFormedCheck } from '../../../../../k8s/dialects/well-formed.ts';
import type { Condition } from '../../../../../k8s/model/condition.ts';
import { PAUSED_ANNOTATION } from '../../../../../k8s/model/paused-annotation.ts';
import { splitConditions } from '../../../../../k8s/model/reasons/conditions.ts';
import type { MachineStatus } from '../../../../../k8s/model/machine.ts';
import { given } from '../../../../../providers/given.ts';

/** A Server as the API server answers it, where it is as its definition says. */
interface Server extends StoredObject {
  readonly spec: { readonly hardware: object; readonly room?: string; readonly hostRef?: string };
  readonly status?: {
    readonly stage?: NonNullable<MachineStatus['phase']>;
    readonly host?: { readonly id: string; readonly power: NonNullable<MachineStatus['instance']>['state'] };
    readonly kubelet?: NonNullable<MachineStatus['nodeRef']>;
    readonly order?: unknown;
    readonly blockedBy?: NonNullable<MachineStatus['waiting']>;
    readonly fault?: NonNullable<MachineStatus['error']>;
    readonly checks?: readonly Condition[];
    readonly ips?: MachineStatus['addresses'];
    readonly changedAt?: string;
    readonly seen?: number;
    readonly pastKnown?: boolean;
  };
}

const FINALIZER = 'rooms.example.com/server';
const ZONE_LABEL = 'rooms.example.com/rack';
const definition = join(import.meta.dirname, '..', '..', 'crds', 'rooms.example.com_servers.yaml');
const problemsOf = createWellFormedCheck(definition);

/** `rooms.example.com/v1alpha1` Server. */
export const server = machineKind({
  role: 'machine',
  resource: { apiVersion: 'rooms.example.com/v1alpha1', kind: 'Server', plural: 'servers', namespaced: true },
  definition,
  policies: [],
  own: { labels: new Set([ZONE_LABEL]), annotations: new Set() },
  finalizer: FINALIZER,
  launchField: 'status.order',
  specField: 'spec.hardware',
  providerIDField: 'spec.hostRef',
  clusterField: 'spec.room',
  nodeAnnotation: 'rooms.example.com/server',

  read(object) {
    const { spec, status = {} } = object as Server;
    const { spec: specProblem, status: statusProblem } = problemsOf(object);
    const { hardware, room = '', hostRef } = specProblem === undefined ? spec : { hardware: undefined };
    const readable = statusProblem === undefined ? status : {};
    const message = specProblem ?? statusProblem;
    const meta = metaOf(object);
    const { [ZONE_LABEL]: zone } = meta.labels;
    return {
      meta,
      clusterName: room,
      wanted: [hardware, room, statusProblem],
      machine: {
        ref: refOf(object),
        generation: object.metadata.generation,
        createdAt: meta.createdAt,
        ...given({ deletedAt: meta.deletedAt }),
        hasFinalizer: meta.finalizers.includes(FINALIZER),
        paused: PAUSED_ANNOTATION in meta.annotations,
        clusterName: room,
        ...given({ providerID: hostRef }),
        status: statusOf(readable),
        ...given({
          malformed: message === undefined ? undefined : { message, isStatusReadable: statusProblem === undefined },
        }),
      },
      spec: { providerSpec: hardware, nodeLabels: {}, nodeAnnotations: {}, nodeTaints: [], startupTaints: [] },
      markedForDeletion: false,
      isProviderIDOurs: true,
      placement: given({ zone }),
      health: {},
      otherConditions: splitConditions('machine', readable.checks ?? []).others,
    };
  },

  writeStatus({
    phase,
    instance,
    nodeRef,
    launch,
    waiting,
    error,
    conditions,
    addresses,
    updatedAt,
    observedGeneration,
    pastKnown,
  }) {
    return {
      ...given({ stage: phase }),
      ...given({ host: instance && { id: instance.id, power: instance.state } }),
      ...given({ kubelet: nodeRef, order: launch, blockedBy: waiting, fault: error }),
      checks: conditions,
      ips: addresses,
      ...given({ changedAt: updatedAt, seen: observedGeneration, pastKnown }),
    };
  },

  writeInstance: ({ zone, providerID }) => ({
    labels: given({ [ZONE_LABEL]: zone }),
    annotations: {},
    spec: { hostRef: providerID },
  }),
  withoutProviderID: { spec: { hostRef: null } },
  emptiedStatus: {
    stage: 'Provisioning',
    pastKnown: null,
    host: null,
    kubelet: null,
    order: null,
    blockedBy: null,
    fault: null,
    checks: null,
    ips: null,
    changedAt: null,
    seen: null,
  },
});

function statusOf(stored: NonNullable<Server['status']>): StoredMachineStatus {
  const { stage, host, kubelet, order, blockedBy, fault, checks = [], ips = [], changedAt, seen, pastKnown } = stored;
  return {
    ...given({ phase: stage }),
    ...given({ instance: host && { id: host.id, state: host.power } }),
    ...given({ nodeRef: kubelet, launch: order, waiting: blockedBy, error: fault }),
    conditions: splitConditions('machine', checks).own,
    addresses: ips,
    ...given({ updatedAt: changedAt, observedGeneration: seen, pastKnown: pastKnown === true || undefined }),
  };
}
