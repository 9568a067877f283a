import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';

/** So long after the look that it follows from a request takes effect, at most, in milliseconds: slow answers and a late request. */
const LOOK_MS = 45_000;

/** Of the judges of rollouts. */
export interface RolloutsOptions {
  readonly api: Pick<ApiServer, 'all' | 'store'>;
  readonly now: () => number;
  /** Whether a set may have made one by what nobody can know any more: its workflow was lost, or a request took effect late. */
  readonly isExcused: (machine: MachineObject) => boolean;
  /** Whether people deleted the Machine with this uid: why its deployment had wanted that, and was refused, may stand on it still. */
  readonly isByHand: (uid: string) => boolean;
  readonly accuse: (judge: string, message: string) => void;
}

/** What was so within the time of a look. */
export function withinLook<T extends { readonly at: number }>(moments: readonly T[], now: number): readonly T[] {
  const since = now - LOOK_MS;
  return moments.filter(({ at }, index) => at >= since || (moments[index + 1]?.at ?? Infinity) > since);
}

/** Whether a change of a Machine is that its deployment has it deleted. @param previous what it was before, if it was there */
export function isTaken(
  object: KubeObject,
  previous: KubeObject | undefined,
  { isByHand }: Pick<RolloutsOptions, 'isByHand'>,
): boolean {
  return (
    previous !== undefined &&
    !isByHand(object.metadata.uid) &&
    previous.metadata.deletionTimestamp === undefined &&
    object.metadata.deletionTimestamp !== undefined &&
    object.metadata.annotations?.[CAUSE_ANNOTATION]?.includes('MachineDeployment') === true
  );
}

/** Somebody wants it to go before others. */
export function isMarked({ metadata }: MachineObject): boolean {
  return metadata.annotations?.[DELETE_MACHINE_ANNOTATION] !== undefined;
}

/** As far as its status tells. */
export function isAvailable({ metadata, status }: MachineObject): boolean {
  const says = (condition: string) => status?.conditions?.find(({ type }) => type === condition)?.status;
  return metadata.deletionTimestamp === undefined && says('NodeReady') === 'True' && says('Usable') !== 'False';
}
