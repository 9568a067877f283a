import type { MachineKind } from '../k8s/dialects/kind.ts';
import type { Node } from '../k8s/model/node.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';

/** How a Node says which Machine's it is: by an annotation of the Machine's API. */
export interface NodeClaim {
  readonly annotation: string;
  /** `<namespace>/<name>` of the Machine. */
  readonly value: string;
}

export function claimOf({ nodeAnnotation }: MachineKind, { namespace, name }: ObjectRef): NodeClaim {
  return { annotation: nodeAnnotation, value: `${namespace}/${name}` };
}

/** True where the Node says so. */
export function hasClaim({ metadata }: Node, { annotation, value }: NodeClaim): boolean {
  return metadata.annotations?.[annotation] === value;
}
