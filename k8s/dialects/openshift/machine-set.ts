import type { MachineSetObject } from '../../api/machine.openshift.io/machine-set.ts';
import { autoscaledFrom } from './autoscaler-sizes.ts';
import {
  CLUSTER_LABEL,
  DEPLOYMENT_NAME_LABEL,
  FINALIZER,
  MACHINE_SET_LABEL,
  REVISION_ANNOTATION,
  TEMPLATE_HASH_LABEL,
} from './labels.ts';
import { PAUSED_ANNOTATION } from '../../model/paused-annotation.ts';
import type { ObjectRef } from '../../model/object-ref.ts';
import type { MachineSet, MachineSetStatus, MachineTemplate } from '../../model/machine-set.ts';
import { readRolloutMark, ROLLOUT_ANNOTATION } from '../../model/rollout-mark.ts';
import {
  REVISION_SETTINGS_ANNOTATION,
  SETTINGS_ANNOTATION,
  settingsOfText,
  textOfSettings,
} from '../../model/template-settings.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from './resources.ts';
import { metaOf, refOf, type MachineSetKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import { readConditions } from './conditions.ts';
import { definitionOf, policyOf } from '../definition.ts';
import { templateHashOf, templateOf } from './machine-template.ts';
import { patchSettings, withSettings } from './template-settings.ts';
import { given } from '../../../providers/given.ts';
import { controllerReference } from '../../model/owner-reference.ts';

const definition = definitionOf(MACHINE_SETS);
const problemsOf = createWellFormedCheck(definition);
const PROBE = { probe: 'probe' };

export const machineSet: MachineSetKind = {
  role: 'machineSet',
  resource: MACHINE_SETS,
  definition,
  policies: [
    policyOf('machineset-cluster-label', {
      object: { spec: probeSpec(PROBE) },
      refusal: 'the template has no cluster label',
    }),
    policyOf('machineset-autoscaler-sizes', {
      annotations: { 'machine.openshift.io/cluster-api-autoscaler-node-group-min-size': 'probe' },
      object: { spec: probeSpec({ ...PROBE, [CLUSTER_LABEL]: 'probe' }) },
      refusal: "min-size is 'probe'",
    }),
  ],
  own: { labels: new Set(), annotations: new Set() },

  read(object) {
    const problems = problemsOf(object);
    const { metadata, spec, status } = object as MachineSetObject;
    const malformed = Object.values(problems)[0] ?? (spec === undefined ? 'spec is missing' : undefined);
    const { replicas, minReadySeconds, deletePolicy, replaceAfter, maxMachines, selector, ...more } =
      malformed === undefined ? spec : { selector: {}, replicas: 0 };
    const template = templateOf('template' in more ? more.template : undefined);
    const meta = metaOf(object);
    const deployment = isOfDeployment(meta.controller) ? meta.controller : undefined;
    const hashNow = templateHashOf(template);
    const templateHash = (deployment && meta.labels[TEMPLATE_HASH_LABEL]) ?? hashNow;
    return {
      meta,
      wanted: [spec, ...(problems.status === undefined ? [] : [status])],
      status: statusOf(problems.status === undefined ? status : undefined),
      clusterName: template.labels[CLUSTER_LABEL] ?? metadata.labels?.[CLUSTER_LABEL] ?? '',
      machineSet: {
        ...given({ malformed }),
        ref: refOf(object),
        generation: metadata.generation,
        ...given({ deletedAt: metadata.deletionTimestamp }),
        paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
        replicas: replicas ?? 1,
        ...given({ autoscaledFrom: autoscaledFrom(metadata.annotations) }),
        minReadySeconds: minReadySeconds ?? 0,
        deletePolicy: deletePolicy ?? 'Random',
        replaceAfter: replaceAfter ?? 'Deleted',
        ...given({ maxMachines: deployment && maxMachines, deployment }),
        ...given({ rollout: deployment && readRolloutMark(meta.annotations[ROLLOUT_ANNOTATION]) }),
        templateHash,
        ...given({ templateHashNow: hashNow === templateHash ? undefined : hashNow }),
        revision: revisionOf(meta.annotations[REVISION_ANNOTATION]),
        ...given({ deploymentName: meta.labels[DEPLOYMENT_NAME_LABEL] }),
        selector,
        template,
        ...given({
          revisionTemplate: deployment && asInRevision(template, meta.annotations[REVISION_SETTINGS_ANNOTATION]),
        }),
      },
    };
  },

  writeStatus(status) {
    const { error, ...rest } = status;
    return { ...rest, ...given({ errorReason: error?.reason, errorMessage: error?.message }) };
  },

  labelsToAdopt({ machineSet: { templateHash, template }, meta }) {
    const said = meta.labels[TEMPLATE_HASH_LABEL] ?? templateHash;
    // As those that a deployment makes have them: cluster-autoscaler finds its groups by the labels of their sets.
    const missing = Object.entries(template.labels).filter(
      ([key, value]) => key !== TEMPLATE_HASH_LABEL && meta.labels[key] !== value,
    );
    return {
      ...Object.fromEntries(missing),
      ...given({ [TEMPLATE_HASH_LABEL]: said === templateHash ? undefined : templateHash }),
    };
  },

  newMachine(set, name) {
    const { ref, template } = set;
    // No two Machines are one instance; and it is not for who may write a set to name one.
    const { providerID: _none, ...spec } = template.spec;
    return {
      apiVersion: MACHINES.apiVersion,
      kind: MACHINES.kind,
      metadata: {
        name,
        namespace: ref.namespace,
        labels: { [MACHINE_SET_LABEL]: ref.name, ...template.labels },
        annotations: { ...template.annotations, ...markedBy(set) },
        finalizers: [FINALIZER],
        ownerReferences: [controllerReference(ref)],
      },
      spec,
    };
  },

  writeOrder({ revision, deploymentName, rollout = null, ...spec }, settings) {
    const kept = settings?.kept && (textOfSettings(settings.kept) ?? '{}');
    const annotations = {
      [REVISION_ANNOTATION]: String(revision),
      [ROLLOUT_ANNOTATION]: rollout,
      ...given({ [REVISION_SETTINGS_ANNOTATION]: settings && (kept ?? null) }),
    };
    const metadata = { labels: { [DEPLOYMENT_NAME_LABEL]: deploymentName }, annotations };
    const template = settings && { spec: patchSettings(settings.of.spec, settings.wanted) };
    return { metadata, spec: { ...spec, ...given({ template }) } };
  },
};

/** @param text of the settings that it had; undefined: it has them */
function asInRevision(template: MachineTemplate, text: string | undefined): MachineTemplate | undefined {
  if (text === undefined) return undefined;
  const settings = settingsOfText(text);
  return { ...template, spec: withSettings(template.spec, settings), settings };
}

/** What a Machine of a deployment's set says of what its set told it. */
function markedBy({ deployment, template, rollout }: MachineSet): Readonly<Record<string, string>> {
  if (deployment === undefined) return {};
  return given({ [SETTINGS_ANNOTATION]: textOfSettings(template.settings), [ROLLOUT_ANNOTATION]: rollout });
}

function isOfDeployment(controller: ObjectRef | undefined): boolean {
  const { apiVersion, kind } = MACHINE_DEPLOYMENTS;
  return controller?.apiVersion === apiVersion && controller.kind === kind;
}

/** 0 where there is none, or it is no number. */
function revisionOf(text = ''): number {
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0;
}

function probeSpec(labels: Readonly<Record<string, string>>): object {
  const template = { metadata: { labels }, spec: { providerSpec: { value: { kind: 'Probe' } } } };
  return { selector: { matchLabels: PROBE }, template };
}

function statusOf(stored: MachineSetObject['status'] = {}): Partial<MachineSetStatus> {
  const { errorReason, errorMessage = '', conditions, ...counts } = stored;
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration, labelSelector } =
    counts;
  return {
    ...given({ replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration, labelSelector }),
    ...given({
      conditions: conditions && readConditions('machineSet', conditions).own,
      error: errorReason === undefined ? undefined : { reason: errorReason, message: errorMessage },
    }),
  };
}
