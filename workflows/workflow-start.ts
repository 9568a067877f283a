import type { SearchAttributePair } from '@temporalio/common';
import type { Role } from '../k8s/dialects/kind.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { workflowIdOf } from './ids.ts';
import { asDetails, workflowsLink } from './markdown.ts';
import type { ObjectTarget } from './object-target.ts';
import { MACHINE_CLUSTER, MACHINE_OWNER, MACHINE_PHASE, OBJECT_NAMESPACE } from './search-attributes.ts';
import { ROLE_WORKFLOWS, type RoleWorkflow } from './roles.ts';
import { asSummary } from './summary.ts';

/** An object that has a workflow, as far as it is known when that starts. */
export interface StartedObject {
  readonly ref: ObjectRef;
  readonly role: Role;
  /** Name of the cluster that it belongs to; empty where it says none. */
  readonly clusterName: string;
  /** Of a Machine: name of the MachineSet that controls it. */
  readonly owner?: string;
  /** Of a Machine. */
  readonly phase?: string;
}

/** How the workflow of an object is started: the options that a Temporal client takes, and the workflow's type. */
export interface WorkflowStart {
  readonly type: RoleWorkflow['type'];
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: [ObjectTarget & { readonly v: 1 }];
  readonly typedSearchAttributes: SearchAttributePair[];
  /** One line for the Temporal UI: which object this is. */
  readonly staticSummary: string;
  /** Markdown for the Temporal UI: what the workflow is for, and where to read on. */
  readonly staticDetails: string;
}

/**
 * What is known of the object goes along, so that its workflow can be found before its first pass.
 * @param where `cluster`: uid of kube-system
 */
export function workflowStartOf(
  object: StartedObject,
  where: { readonly clusterUid: string; readonly taskQueue: string },
): WorkflowStart {
  const { ref, role, clusterName, owner, phase = 'Provisioning' } = object;
  const { type, purpose } = ROLE_WORKFLOWS[role];
  const placed = [
    { key: OBJECT_NAMESPACE, value: ref.namespace },
    ...(clusterName === '' ? [] : [{ key: MACHINE_CLUSTER, value: clusterName }]),
  ];
  const ofMachine = [
    { key: MACHINE_PHASE, value: phase },
    ...(owner === undefined ? [] : [{ key: MACHINE_OWNER, value: owner }]),
  ];
  const siblings =
    owner === undefined
      ? undefined
      : workflowsLink(`All machines of MachineSet ${owner}`, `${MACHINE_OWNER.name} = "${owner}"`);
  return {
    type,
    workflowId: workflowIdOf(ref),
    taskQueue: where.taskQueue,
    args: [{ v: 1, ref, clusterUid: where.clusterUid }],
    typedSearchAttributes: role === 'machine' ? [...ofMachine, ...placed] : placed,
    staticSummary: asSummary(
      `${describeRef(ref)}${clusterName === '' || role === 'cluster' ? '' : ` of cluster ${clusterName}`}`,
    ),
    staticDetails: asDetails([`${purpose} ${CURRENT}`, siblings]),
  };
}

const CURRENT = 'Where it stands, and why, is under Current Details.';
