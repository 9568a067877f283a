import type { MachineObject } from '../../api/machine.openshift.io/machine.ts';
import { markedAtOf } from '../../model/autoscaler-mark.ts';
import { CAUSE_ANNOTATION } from '../../model/cause.ts';
import { CLAIM_ANNOTATION } from '../../model/claim.ts';
import { OUT_OF_TURN_ANNOTATION } from '../../model/control-plane.ts';
import { ASKED_OF_OTHERS_ANNOTATION, REMEDIATED_BY_ANNOTATION } from '../../model/health-claim.ts';
import { MACHINE_FIELD_MANAGER, SET_FIELD_MANAGER } from '../../model/field-managers.ts';
import {
  CLUSTER_LABEL,
  CONTROL_PLANE_ROLES,
  DELETE_MACHINE_ANNOTATION,
  EXCLUDE_DRAIN_ANNOTATION,
  FORCE_DELETION_LABEL,
  FINALIZER,
  INSTANCE_STATE_ANNOTATION,
  INSTANCE_TYPE_LABEL,
  INTERRUPTIBLE_LABEL,
  MACHINE_ANNOTATION,
  MACHINE_ROLE_LABEL,
  OLD_DELETE_MACHINE_ANNOTATION,
  OTHER_REMEDIATE_ANNOTATION,
  REGION_LABEL,
  REMEDIATE_ANNOTATION,
  ZONE_LABEL,
} from './labels.ts';
import { writesSpecField } from '../../object-meta.ts';
import { controllerOf } from '../../model/owner-reference.ts';
import { PAUSED_ANNOTATION } from '../../model/paused-annotation.ts';
import type { LifecycleHook, MachineSpec } from '../../model/machine.ts';
import type { Placement } from '../../model/reading.ts';
import { readRebootWish, REBOOT_ANNOTATION } from '../../model/reboot.ts';
import { SETTINGS_ANNOTATION } from '../../model/template-settings.ts';
import { MACHINES } from './resources.ts';
import { metaOf, refOf } from '../kind.ts';
import { machineKind, type StoredMachine } from '../machine-kind.ts';
import { createWellFormedCheck, type Problems } from '../well-formed.ts';
import { readConditions } from './conditions.ts';
import { definitionOf, policyOf } from '../definition.ts';
import { problemOfDrain, readDrainOptions } from './drain-options.ts';
import { healthWishesOf } from './health-wishes.ts';
import { EMPTIED_STATUS, statusOf, statusObjectOf } from './machine-status.ts';
import { nodeMarksOf } from './node-marks.ts';
import { openGatesOf, rolloutMarkOf, writeSettings } from './machine-settings.ts';
import { given, unlessEmpty } from '../../../providers/given.ts';

const definition = definitionOf(MACHINES);
const shapeProblemsOf = createWellFormedCheck(definition);

export const machine = machineKind({
  role: 'machine',
  resource: MACHINES,
  definition,
  policies: [
    policyOf('machine-cluster-label', {
      object: { spec: { providerSpec: { value: { kind: 'Probe' } } } },
      refusal: 'the label is missing',
    }),
    policyOf('machine-provider-id'),
    policyOf('machine-deletion-policy'),
  ],
  askedVerbs: {
    verbs: ['set-provider-id'],
    why: 'Asked by admission where spec.providerID is set: nobody else needs it but who has instances adopted.',
  },
  own: {
    labels: new Set([REGION_LABEL, ZONE_LABEL, INSTANCE_TYPE_LABEL, INTERRUPTIBLE_LABEL]),
    annotations: new Set([
      INSTANCE_STATE_ANNOTATION,
      CLAIM_ANNOTATION,
      CAUSE_ANNOTATION,
      REMEDIATED_BY_ANNOTATION,
      ASKED_OF_OTHERS_ANNOTATION,
      SETTINGS_ANNOTATION,
    ]),
  },
  finalizer: FINALIZER,
  deleteMark: DELETE_MACHINE_ANNOTATION,
  launchField: 'status.providerStatus.launch',
  specField: 'providerSpec.value',
  classField: 'providerSpec.valueFrom.machineClass',
  providerIDField: 'spec.providerID',
  clusterField: `metadata.labels[${CLUSTER_LABEL}]`,
  nodeAnnotation: MACHINE_ANNOTATION,

  read(object) {
    const whole = object as MachineObject;
    const problems = problemsOf(whole);
    const stored = readablePartsOf(whole, problems);
    const meta = metaOf(object);
    const [message] = Object.values(problems);
    const malformed = message === undefined ? undefined : { message, isStatusReadable: !('status' in problems) };
    const machine = { ...machineOf(stored), ...given({ malformed }) };
    return {
      machine,
      spec: specOf(stored),
      meta,
      clusterName: machine.clusterName,
      wanted: [
        machine.openGates,
        problems.spec === undefined ? withoutProviderID(whole.spec) : whole.spec,
        ...(problems.status === undefined ? [] : [whole.status]),
      ],
      markedForDeletion:
        machine.delete === true ||
        [DELETE_MACHINE_ANNOTATION, OLD_DELETE_MACHINE_ANNOTATION].some((it) => it in meta.annotations),
      ...markTimeOf(meta.annotations[DELETE_MACHINE_ANNOTATION]),
      isProviderIDOurs: isProviderIDOurs(whole.metadata),
      placement: placementOf(meta.labels),
      health: healthWishesOf(whole.metadata),
      otherConditions: readConditions('machine', stored.status?.conditions).others,
    };
  },

  writeStatus: statusObjectOf,

  writeInstance({ region, zone, instanceType, interruptible, state, providerID }) {
    return {
      // What its cloud does not have gets no label.
      labels: given({
        [REGION_LABEL]: region || undefined,
        [ZONE_LABEL]: zone || undefined,
        [INSTANCE_TYPE_LABEL]: instanceType || undefined,
        [INTERRUPTIBLE_LABEL]: interruptible === true ? '' : undefined,
      }),
      annotations: { [INSTANCE_STATE_ANNOTATION]: state },
      spec: { providerID },
    };
  },

  writeWish({ delete: isToGo, deletionPolicy, maintenance, outOfTurn, cause, drain, remediate }) {
    const annotations = given({
      [OUT_OF_TURN_ANNOTATION]: outOfTurn,
      [CAUSE_ANNOTATION]: cause,
      [REMEDIATE_ANNOTATION]: remediate,
      // Whoever takes the wish back takes it back under all its names.
      [OTHER_REMEDIATE_ANNOTATION]: remediate === null ? null : undefined,
    });
    const written =
      drain === null
        ? { timeout: null, onTimeout: null }
        : drain && { timeout: `${drain.timeoutMs / 1000}s`, onTimeout: drain.onTimeout };
    const spec = given({ delete: isToGo, deletionPolicy, maintenance, drain: written });
    return { ...given({ metadata: unlessEmpty(annotations) && { annotations } }), spec };
  },
  writeSettings,
  withoutProviderID: { spec: { providerID: null } },
  emptiedStatus: EMPTIED_STATUS,
  withoutDeletion({ status }: MachineObject) {
    return status?.deletion && { deletion: null };
  },
});

function markTimeOf(mark: string | undefined): { readonly markedAt?: number } {
  return given({ markedAt: markedAtOf(mark) });
}

function problemsOf(object: MachineObject): Problems {
  const shape = shapeProblemsOf(object);
  const spec = shape.spec ?? problemOfDrain(object.spec?.drain);
  return given({ spec, status: shape.status });
}

/** The object without what is malformed, but for the one field that names an instance. */
function readablePartsOf(object: MachineObject, problems: Problems): MachineObject {
  if (problems.spec === undefined && problems.status === undefined) return object;
  const { spec, status, ...identity } = object;
  const { providerID } = (spec ?? {}) as { providerID?: unknown };
  const named = typeof providerID === 'string' ? { providerID, providerSpec: {} } : { providerSpec: {} };
  return {
    ...identity,
    spec: problems.spec === undefined ? spec : named,
    ...given({ status: problems.status === undefined ? status : undefined }),
  };
}

function machineOf(object: MachineObject): StoredMachine {
  const { metadata, spec, status } = object;
  const hooks = hooksOf(spec);
  const owner = controllerOf(metadata.ownerReferences);
  return {
    ref: refOf(object),
    generation: metadata.generation,
    createdAt: metadata.creationTimestamp,
    ...given({ deletedAt: metadata.deletionTimestamp }),
    hasFinalizer: metadata.finalizers?.includes(FINALIZER) ?? false,
    ...given({ otherFinalizers: otherFinalizersOf(metadata) }),
    paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
    clusterName: metadata.labels?.[CLUSTER_LABEL] ?? '',
    ...given({
      owner: owner?.name,
      outOfTurn: metadata.annotations?.[OUT_OF_TURN_ANNOTATION],
      cause: metadata.annotations?.[CAUSE_ANNOTATION],
      isControlPlane: isOfControlPlane(metadata.labels) || undefined,
      madeBySet: isMadeBySet(metadata) || undefined,
      providerID: spec?.providerID || undefined,
      openGates: openGatesOf(object),
      creationTimeoutSeconds: spec?.creationTimeoutSeconds,
      hooks: unlessEmpty(hooks),
      drain: readDrainOptions(spec?.drain),
      deletionPolicy: spec?.deletionPolicy,
      delete: spec?.delete,
      maintenance: spec?.maintenance === true || undefined,
      rebootWish: readRebootWish(metadata.annotations?.[REBOOT_ANNOTATION]),
      hurriesDrain: metadata.labels?.[FORCE_DELETION_LABEL] === 'True' || undefined,
      excludesDrain: metadata.annotations?.[EXCLUDE_DRAIN_ANNOTATION] !== undefined || undefined,
    }),
    status: statusOf(status),
  };
}

function otherFinalizersOf({ deletionTimestamp, finalizers = [] }: MachineObject['metadata']): string[] | undefined {
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  return deletionTimestamp === undefined || others.length === 0 ? undefined : others;
}

function isOfControlPlane(labels: Readonly<Record<string, string>> = {}): boolean {
  return CONTROL_PLANE_ROLES.includes(labels[MACHINE_ROLE_LABEL] ?? '');
}

/**
 * The API server keeps who wrote the spec, and when. One that was restored was written by another; where a backup brought
 * that record along, it tells of a time before the object was created.
 */
function isMadeBySet({ managedFields = [], creationTimestamp }: MachineObject['metadata']): boolean {
  return managedFields.some(
    ({ manager, time = '', fieldsV1 }) =>
      manager === SET_FIELD_MANAGER &&
      Object.hasOwn(Object(fieldsV1), 'f:spec') &&
      Date.parse(time) >= Date.parse(creationTimestamp),
  );
}

/** As the API server keeps it: who wrote the field's value last, or the same value as well. */
function isProviderIDOurs({ managedFields = [] }: MachineObject['metadata']): boolean {
  return managedFields.some(
    (written) => written.manager === MACHINE_FIELD_MANAGER && writesSpecField(written, 'providerID'),
  );
}

/** Our own write of the providerID is no news; that of somebody else is told apart. */
function withoutProviderID(spec: MachineObject['spec'] | undefined): object {
  const { providerID: _ours, ...wanted } = { ...spec };
  return wanted;
}

function placementOf(labels: Readonly<Record<string, string>>): Placement {
  const { [REGION_LABEL]: region, [ZONE_LABEL]: zone, [INSTANCE_TYPE_LABEL]: instanceType } = labels;
  return {
    ...given({ region, zone, instanceType }),
  };
}

function hooksOf(spec: MachineObject['spec'] | undefined): LifecycleHook[] {
  const { preDrain = [], preTerminate = [] } = spec?.lifecycleHooks ?? {};
  return [
    ...preDrain.map(({ name, owner }) => ({ point: 'preDrain' as const, name, owner })),
    ...preTerminate.map(({ name, owner }) => ({ point: 'preTerminate' as const, name, owner })),
  ];
}

function specOf({ metadata, spec }: MachineObject): Omit<MachineSpec, 'fields'> {
  const marks = nodeMarksOf(rolloutMarkOf(metadata));
  const { value, valueFrom } = spec?.providerSpec ?? {};
  return {
    providerSpec: value,
    // Where both stand there, in an object that other definitions let in, the value counts.
    ...given({
      classRef:
        value !== undefined || valueFrom?.machineClass === undefined ? undefined : { ...valueFrom.machineClass },
    }),
    nodeLabels: spec?.metadata?.labels ?? {},
    nodeAnnotations: { ...spec?.metadata?.annotations, ...marks.annotations },
    nodeTaints: [...(spec?.taints ?? []), ...marks.taints],
    startupTaints: spec?.startupTaints ?? [],
  };
}
