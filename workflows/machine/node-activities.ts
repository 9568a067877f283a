import type { NodeRef } from '../../k8s/model/machine.ts';
import type { Unusable } from '../../k8s/model/usable-node.ts';
import type { InstanceAddress } from '../../providers/provider.ts';
import type { MachineTarget } from './machine-activities.ts';

/** A Machine whose Node something is done to. */
export interface NodeTarget extends MachineTarget {
  /**
   * The instance that was proved to be the Machine's, by the answer of its launch or by a look: others may write what its status names.
   * @default none was: only a Node with the Machine's mark is its own
   */
  readonly ownInstance?: string;
}

/** What a machine asks of its Node, but for its drain. */
export interface NodeActivities {
  /** Finds the Node of the instance on record, where that was proved to be the Machine's, and marks it as the Machine's. */
  joinNode(request: JoinNode): Promise<JoinAnswer>;
  /** Deletes the Node that `letGo` left, marked with the instance, whatever it was registered as. Done, too, where there is none any more. */
  deleteMarkedNode(request: DeleteMarkedNode): Promise<void>;
}

export interface NodeSighting extends NodeRef {
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Since when, RFC 3339. */
  readonly readySince: string;
  readonly readyMessage: string;
  /** Carries the Machine's labels, taints and annotation. */
  readonly inSync: boolean;
  /** Why pods cannot be put on it yet, whether it is Ready or not; absent: nothing keeps them from it but what always does. */
  readonly unusable?: Unusable;
  /** Its providerID, where that is not the Machine's; empty: it has none. */
  readonly otherProviderID?: string;
  /** New pods are not put on it. */
  readonly isCordoned?: true;
  /** It is one of a control plane. */
  readonly isControlPlane?: true;
  /** It says that we cordoned it. */
  readonly isHeld?: true;
  /** It says that we cordoned it for the deletion of a Machine. */
  readonly isHeldForDeletion?: true;
  /** The boot that it tells of, where the Machine is to be rebooted. */
  readonly bootID?: string;
  /** It says that we told Kubernetes that nothing on it runs. */
  readonly isOutOfService?: true;
}

export interface JoinNode extends NodeTarget {
  /** As the cloud told them: others may write those in the status. */
  readonly addresses: readonly InstanceAddress[];
  /** Earliest creation of a Node that is matched by address only, RFC 3339. */
  readonly notBefore?: string;
}

export type JoinAnswer =
  | { readonly outcome: 'joined'; readonly node: NodeSighting }
  | { readonly outcome: 'none' }
  /** Several Nodes match, or another live Machine claims it. */
  | { readonly outcome: 'ambiguous'; readonly message: string };

export interface DeleteMarkedNode extends MachineTarget {
  /** As its mark says. */
  readonly instance: string;
}
