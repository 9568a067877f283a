import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DRAIN_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import {
  DRAINED_FOR_ANNOTATION,
  DRAINING,
  EXCLUDED_ANNOTATION,
  EXCLUDED_LABEL,
  isOurCondition,
  type Node,
} from '../../../k8s/model/node.ts';
import { hasTaint } from '../../../k8s/model/taint.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Universe } from '../universe.ts';
import { isToGo, maintenanceIn, preparationIn } from './wishes.ts';

export interface CordonJudgeOptions {
  readonly api: Pick<ApiServer, 'store'>;
  /** Whether somebody cordoned the Node with this uid by hand, and nobody has uncordoned it by hand since. */
  readonly isCordonedByHand: (uid: string) => boolean;
  readonly accuse: (message: string) => void;
}

/** A Node that somebody cordoned stays so until somebody uncordons it. */
export function judgeCordons({ api, isCordonedByHand, accuse }: CordonJudgeOptions): void {
  api.store.onChange(({ resource, type, object, previous }) => {
    if (resource.plural !== NODES.plural || type !== 'MODIFIED' || previous === undefined) return;
    const { name, uid } = object.metadata;
    if (!isCordoned(previous) || isCordoned(object) || !isCordonedByHand(uid)) return;
    accuse(`${name} is uncordoned, and somebody had cordoned it by hand`);
  });
}

/** What of deletions that were aborted, and of maintenances, is not as it has to be in the end: each with its judge. */
export function notAsWished({ api }: Pick<Universe, 'api'>): readonly (readonly [judge: string, message: string])[] {
  const nodes = new Map(api.all(NODES).map((node) => [node.metadata.name, node]));
  // What goes has to be gone: another judge's.
  const staying = api.all<MachineObject>(MACHINES).filter((machine) => !isToGo(machine));
  return staying.flatMap((machine) => {
    const { metadata, spec, status = {} } = machine;
    const node = nodes.get(status.nodeRef?.name ?? '');
    const isToBeEmpty = spec.maintenance === true;
    const left = [
      ...preparationIn(status),
      ...(isToBeEmpty ? [] : [...maintenanceIn(status), ...(node === undefined ? [] : oursOn(node))]),
    ];
    const missing = isToBeEmpty ? ofMaintenance(machine, node) : [];
    return [
      ...left.map(
        (what) => ['an abort takes back', `Machine ${metadata.name} is to stay, and ${what} is left`] as const,
      ),
      ...missing.map((what) => ['maintenance', `Machine ${metadata.name} is in maintenance, and ${what}`] as const),
    ];
  });
}

function ofMaintenance({ status = {} }: MachineObject, node: KubeObject | undefined): readonly string[] {
  // One that failed stays as it is.
  if (status.phase !== 'Running') return [];
  if (status.maintenance !== true) return [`that is not reached: ${JSON.stringify(status.conditions)}`];
  return node === undefined || isCordoned(node) ? [] : [`${node.metadata.name} is not cordoned`];
}

/** What a drain of ours left on a Node. */
function oursOn(node: KubeObject): readonly string[] {
  const { metadata } = node;
  const { annotations = {}, labels = {}, managedFields = [], name } = metadata;
  const ours = ((node as unknown as Node).status?.conditions ?? []).filter(isOurCondition);
  const own = managedFields.filter(({ manager }) => manager === DRAIN_FIELD_MANAGER);
  const isOurs = own.some(({ fieldsV1 }) => 'f:unschedulable' in ((fieldsV1 as NodeFields)['f:spec'] ?? {}));
  return [
    ...(isOurs ? [`the cordon of ${name}`] : []),
    ...(hasTaint((node as unknown as Node).spec?.taints, DRAINING) ? [`the taint of ${name}`] : []),
    ...(DRAINED_FOR_ANNOTATION in annotations ? [`the annotation of ${name}`] : []),
    ...(EXCLUDED_ANNOTATION in annotations || EXCLUDED_LABEL in labels ? [`the label of ${name}`] : []),
    ...ours.map(({ type }) => `the condition ${type} of ${name}`),
  ];
}

interface NodeFields {
  readonly 'f:spec'?: object;
}

function isCordoned(node: KubeObject): boolean {
  return (node as unknown as Node).spec?.unschedulable === true;
}
