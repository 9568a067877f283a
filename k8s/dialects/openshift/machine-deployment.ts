import type { MachineDeploymentObject } from '../../api/machine.openshift.io/machine-deployment.ts';
import {
  ROLLOUT_TYPES,
  type MachineDeployment,
  type MachineDeploymentStatus,
  type RolledBack,
  type RolloutStep,
  type StepWord,
} from '../../model/machine-deployment.ts';
import { controllerReference } from '../../model/owner-reference.ts';
import { parseDuration } from '../../model/duration.ts';
import { PAUSED_ANNOTATION, PAUSED_BY_TAKE_OVER } from '../../model/paused-annotation.ts';
import { metaOf, refOf, type MachineDeploymentKind } from '../kind.ts';
import { createWellFormedCheck } from '../well-formed.ts';
import { autoscaledFrom } from './autoscaler-sizes.ts';
import { readConditions } from './conditions.ts';
import { definitionOf, policyOf } from '../definition.ts';
import { CLUSTER_LABEL, DEPLOYMENT_NAME_LABEL, REVISION_ANNOTATION, TEMPLATE_HASH_LABEL } from './labels.ts';
import { templateHashOf, templateOf } from './machine-template.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS } from './resources.ts';
import { given } from '../../../providers/given.ts';

/** In a template: when somebody asked for new machines of the same template. */
const RESTARTED_ANNOTATION = 'millwright.dev/restarted-at';
/** That it was rolled back by itself: the hash of the template that failed, its revision, and why. */
const ROLLED_BACK_ANNOTATION = 'millwright.dev/rolled-back-from';

/** The step that somebody approved, and the pause among the steps that somebody ended: which, and who. */
const STEP_WORD_ANNOTATIONS = {
  approve: 'millwright.dev/approved-step',
  resume: 'millwright.dev/resumed-step',
} as const;

const definition = definitionOf(MACHINE_DEPLOYMENTS);
const problemsOf = createWellFormedCheck(definition);

export const machineDeployment: MachineDeploymentKind = {
  role: 'machineDeployment',
  resource: MACHINE_DEPLOYMENTS,
  definition,
  policies: [policyOf('machineset-cluster-label'), policyOf('machineset-autoscaler-sizes'), policyOf('rollout-plan')],
  own: { labels: new Set(), annotations: new Set([ROLLED_BACK_ANNOTATION]) },

  read(object) {
    const problems = problemsOf(object);
    const { metadata, spec, status } = object as MachineDeploymentObject;
    const malformed = Object.values(problems)[0] ?? (spec === undefined ? 'spec is missing' : undefined);
    const {
      replicas,
      minReadySeconds,
      paused,
      revisionHistoryLimit,
      progressDeadlineSeconds,
      strategy,
      selector,
      ...more
    } = malformed === undefined ? spec : { selector: {}, replicas: 0 };
    const template = templateOf('template' in more ? more.template : undefined);
    const { type, rollingUpdate } = strategy ?? {};
    return {
      meta: metaOf(object),
      wanted: [spec, ...(problems.status === undefined ? [] : [status])],
      status: statusOf(problems.status === undefined ? status : undefined),
      clusterName: template.labels[CLUSTER_LABEL] ?? metadata.labels?.[CLUSTER_LABEL] ?? '',
      machineDeployment: {
        ...given({ malformed }),
        ref: refOf(object),
        generation: metadata.generation,
        ...given({ deletedAt: metadata.deletionTimestamp }),
        paused: metadata.annotations?.[PAUSED_ANNOTATION] !== undefined,
        ...given({ pausedByTakeOver: metadata.annotations?.[PAUSED_ANNOTATION] === PAUSED_BY_TAKE_OVER || undefined }),
        isRolloutPaused: paused === true,
        replicas: replicas ?? 1,
        ...given({ autoscaledFrom: autoscaledFrom(metadata.annotations) }),
        minReadySeconds: minReadySeconds ?? 0,
        revisionHistoryLimit: revisionHistoryLimit ?? 10,
        progressDeadlineSeconds: progressDeadlineSeconds ?? 1200,
        strategy: {
          type: ROLLOUT_TYPES.find((known) => known === type) ?? 'RollingUpdate',
          maxSurge: rollingUpdate?.maxSurge ?? 1,
          maxUnavailable: rollingUpdate?.maxUnavailable ?? 0,
          ...failureThresholdOf(strategy),
          rollsBack: rollingUpdate?.onFailure === 'Rollback',
          mayReplace: strategy?.replace !== 'Never',
          steps: type === undefined || type === 'RollingUpdate' ? (rollingUpdate?.steps ?? []).map(stepOf) : [],
        },
        selector,
        template,
        ...given({
          approvedStep: stepWordOf(metadata.annotations?.[STEP_WORD_ANNOTATIONS.approve]),
          resumedStep: stepWordOf(metadata.annotations?.[STEP_WORD_ANNOTATIONS.resume]),
          stepAnnotations: STEP_WORD_ANNOTATIONS,
        }),
        ...given({ rolledBack: rolledBackOf(metadata.annotations?.[ROLLED_BACK_ANNOTATION]) }),
        templateHash: templateHashOf(template),
      },
    };
  },

  writeStatus: (status) => status,

  setNameOf,

  newMachineSet(deployment, { name, revision }) {
    const { ref, template, templateHash, selector, minReadySeconds } = deployment;
    const labels = { ...template.labels, [TEMPLATE_HASH_LABEL]: templateHash };
    return {
      apiVersion: MACHINE_SETS.apiVersion,
      kind: MACHINE_SETS.kind,
      metadata: {
        name,
        namespace: ref.namespace,
        labels: { ...labels, [DEPLOYMENT_NAME_LABEL]: ref.name },
        annotations: { [REVISION_ANNOTATION]: String(revision) },
        ownerReferences: [controllerReference(ref)],
      },
      spec: {
        replicas: 0,
        maxMachines: 0,
        minReadySeconds,
        selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH_LABEL]: templateHash } },
        template: { metadata: { labels, annotations: template.annotations }, spec: template.spec },
      },
    };
  },

  writePause: (paused) => ({ spec: { paused } }),

  writeRestart: (at) => ({ spec: { template: { metadata: { annotations: { [RESTARTED_ANNOTATION]: at } } } } }),

  replaceTemplate({ labels, annotations, spec }, resumes) {
    const { [TEMPLATE_HASH_LABEL]: _hash, ...own } = labels;
    const value = { metadata: { labels: own, annotations }, spec };
    return [
      { op: 'replace', path: '/spec/template', value },
      ...(resumes ? [{ op: 'add', path: '/spec/paused', value: false }] : []),
    ];
  },

  writeStepWord: (what, { token, by }) => ({
    metadata: { annotations: { [STEP_WORD_ANNOTATIONS[what]]: by === undefined ? token : `${token} ${by}` } },
  }),

  writeRolledBack({ from, revision, why }, { annotations }) {
    const value = { ...annotations, [ROLLED_BACK_ANNOTATION]: `${from} ${revision} ${why}` };
    return [{ op: 'add', path: '/metadata/annotations', value }];
  },
};

type StoredStep = NonNullable<NonNullable<MachineDeploymentObject['spec']['strategy']>['rollingUpdate']>['steps'];

/** One that says nothing, which the definition refuses, waits for somebody's approval. */
function stepOf({ machines, pause }: NonNullable<StoredStep>[number]): RolloutStep {
  if (machines !== undefined) return { kind: 'machines', machines };
  if (pause === undefined) return { kind: 'approval' };
  return { kind: 'pause', ...given({ forMs: pause.for === undefined ? undefined : parseDuration(pause.for) }) };
}

function stepWordOf(annotation: string | undefined): StepWord | undefined {
  const [token, ...by] = (annotation ?? '').split(' ');
  return token ? { token, ...given({ by: by.length === 0 ? undefined : by.join(' ') }) } : undefined;
}

function rolledBackOf(annotation: string | undefined): RolledBack | undefined {
  const [, from, revision, why] = /^(\w+) (\d+) (.*)$/s.exec(annotation ?? '') ?? [];
  if (from === undefined || revision === undefined || why === undefined) return undefined;
  return { from, revision: Number(revision), why };
}

/** Only a rolling update has machines to stop before. */
function failureThresholdOf(strategy: MachineDeploymentObject['spec']['strategy'] | undefined): {
  readonly failureThreshold?: number;
} {
  const { type = 'RollingUpdate', rollingUpdate } = strategy ?? {};
  const { onFailure = 'Pause', failureThreshold = 1 } = rollingUpdate ?? {};
  return type === 'RollingUpdate' && onFailure !== 'Continue' ? { failureThreshold } : {};
}

function setNameOf({ ref, templateHash }: MachineDeployment): string {
  return `${ref.name}-${templateHash}`;
}

function statusOf(stored: MachineDeploymentObject['status'] = {}): Partial<MachineDeploymentStatus> {
  const { conditions, replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas } = stored;
  const { revision, completeTemplateHash, preflight, step, observedGeneration, labelSelector } = stored;
  return {
    ...given({ replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas }),
    ...given({ revision, completeTemplateHash, preflight, step, observedGeneration, labelSelector }),
    ...given({ conditions: conditions && readConditions('machineDeployment', conditions).own }),
  };
}
