// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A MachineSet keeps a number of Machines made from one template. cluster-autoscaler scales it between the annotations machine.openshift.io/cluster-api-autoscaler-node-group-min-size and -max-size. The annotation cluster.x-k8s.io/paused, with any value, stops all actions on the set; its Machines go on.
 */
export interface MachineSetObject {
  apiVersion: 'machine.openshift.io/v1beta1';
  kind: 'MachineSet';
  metadata: ObjectMeta;
  spec: MachineSetObjectSpec;
  status?: MachineSetObjectStatus;
}
/**
 * What is wanted.
 */
export interface MachineSetObjectSpec {
  /**
   * How many Machines there should be. Default 1.
   */
  replicas: number;
  /**
   * Seconds a Node must have been Ready without a break before its Machine counts as available. Default 0.
   */
  minReadySeconds: number;
  /**
   * Which Machines go first when there are too many, after those annotated machine.openshift.io/delete-machine and those that are not well. Random: any. Newest: the youngest. Oldest: the oldest. Default Random.
   */
  deletePolicy: 'Random' | 'Newest' | 'Oldest';
  /**
   * Until when a Machine that is being deleted fills its place, so that no other is made for it. Deleted: until its drain begins or, without one, its instance was asked to end. Drained: until its pods and volumes have left, or its instance was asked to end. Gone: until its instance has ended: there are never more instances than replicas, and what leaves the Node may find no room. Default Deleted.
   */
  replaceAfter: 'Deleted' | 'Drained' | 'Gone';
  /**
   * The most Machines of the set that there may be, those included that are being deleted: none is made beyond it. Where it is there, replaceAfter does not count. The MachineDeployment of the set writes it, so that its sets together keep to replicas and maxSurge. Default: no limit.
   */
  maxMachines?: number;
  selector: MachineSetObjectSpecSelector;
  template: MachineSetObjectSpecTemplate;
}
/**
 * Which Machines of the namespace are the set's, by their labels. One without an owner that matches is adopted, one of the set's own that no longer matches is released. Must not be empty, must match the template's labels, and must not overlap with another set's.
 */
export interface MachineSetObjectSpecSelector {
  /**
   * Labels a Machine must have, with these values. At most 32.
   */
  matchLabels?: {
    [k: string]: string;
  };
  /**
   * Further demands on a Machine's labels, all of which it must meet. At most 16.
   */
  matchExpressions?: MachineSetObjectSpecSelectorMatchExpressionsItem[];
}
/**
 * One demand on one label.
 */
export interface MachineSetObjectSpecSelectorMatchExpressionsItem {
  /**
   * Key of the label.
   */
  key: string;
  /**
   * How the label's value relates to values: In, NotIn, Exists or DoesNotExist.
   */
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /**
   * Values for In and NotIn; none for Exists and DoesNotExist. At most 32.
   */
  values?: string[];
}
/**
 * The Machine to make. A change of it leaves the Machines there are as they are; in a set of a MachineDeployment they follow its settings, such as labels of Nodes and the drain.
 */
export interface MachineSetObjectSpecTemplate {
  metadata?: MachineSetObjectSpecTemplateMetadata;
  spec: MachineSetObjectSpecTemplateSpec;
}
/**
 * Labels and annotations for the Machines.
 */
export interface MachineSetObjectSpecTemplateMetadata {
  /**
   * Labels of the Machines. Must match the selector and hold machine.openshift.io/cluster-api-cluster. At most 64.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * Annotations of the Machines.
   */
  annotations?: {
    [k: string]: string;
  };
}
/**
 * What is wanted. A change of providerSpec after the launch has no effect on the instance.
 */
export interface MachineSetObjectSpecTemplateSpec {
  metadata?: MachineSetObjectSpecTemplateSpecMetadata;
  /**
   * Taints to put on the Node, and to take off it again with what names them here, where nobody else has changed them. Those with the effect NoExecute are put there when the Node joins, and not on one that is in use. The Node's others are left alone. At most 64.
   */
  taints?: MachineSetObjectSpecTemplateSpecTaintsItem[];
  /**
   * Taints that the Node gets when it joins, and not again: whoever they wait for takes them off. Until then the Machine is not available. Kubelets of the same taints (registerWithTaints) keep pods off from the first moment on. At most 64.
   */
  startupTaints?: MachineSetObjectSpecTemplateSpecStartupTaintsItem[];
  /**
   * Conditions of the Machine that have to be True beside a Node that is Ready, for the Machine to count as available. Other programs write them into status.conditions. At most 32.
   */
  readinessGates?: MachineSetObjectSpecTemplateSpecReadinessGatesItem[];
  providerSpec: MachineSetObjectSpecTemplateSpecProviderSpec;
  /**
   * Seconds from the launch within which the Node has to join. After that the Machine is Failed with JoinClusterTimeoutError, and its instance is kept. Time spent waiting for capacity does not count. Default: the worker's, which is 1200 (20 minutes) unless it is configured.
   */
  creationTimeoutSeconds?: number;
  /**
   * How the machine goes. graceful: hooks, drain, volumes, and then the instance ends. unsafe: without drain and without waiting for volumes; hooks are waited for. forced: as unsafe, also without hooks, and where the cloud fails for 5 minutes on end the Machine goes without it; its Node then stays, cordoned, until the cloud shows that the instance is gone. While a deletion is under way it can only go from graceful to unsafe to forced. Default: graceful.
   */
  deletionPolicy?: 'graceful' | 'unsafe' | 'forced';
  /**
   * Refused. It is for one Machine, not for a template.
   */
  delete?: boolean;
  /**
   * Refused. It is for one Machine, not for a template.
   */
  maintenance?: boolean;
  drain?: MachineSetObjectSpecTemplateSpecDrain;
  lifecycleHooks?: MachineSetObjectSpecTemplateSpecLifecycleHooks;
}
/**
 * Labels and annotations for the Node. They are added, updated and, where nobody else has changed them, taken off with what names them here; the Node's others are left alone.
 */
export interface MachineSetObjectSpecTemplateSpecMetadata {
  /**
   * Labels to put on the Node, e.g. its role. At most 64.
   */
  labels?: {
    [k: string]: string;
  };
  /**
   * Annotations to put on the Node.
   */
  annotations?: {
    [k: string]: string;
  };
}
/**
 * A taint, as in a Node's spec.
 */
export interface MachineSetObjectSpecTemplateSpecTaintsItem {
  /**
   * Key of the taint; written as a label's key.
   */
  key: string;
  /**
   * Value of the taint. Default none.
   */
  value?: string;
  /**
   * What becomes of pods that do not tolerate the taint. NoSchedule: no new ones. PreferNoSchedule: new ones only where no other Node has room. NoExecute: no new ones, and running ones are evicted.
   */
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  /**
   * Accepted in a taint that was copied from a Node; has no effect.
   */
  timeAdded?: string;
}
/**
 * A taint, as in a Node's spec.
 */
export interface MachineSetObjectSpecTemplateSpecStartupTaintsItem {
  /**
   * Key of the taint; written as a label's key.
   */
  key: string;
  /**
   * Value of the taint. Default none.
   */
  value?: string;
  /**
   * What becomes of pods that do not tolerate the taint, as of taints.
   */
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  /**
   * Accepted in a taint that was copied from a Node; has no effect.
   */
  timeAdded?: string;
}
/**
 * One condition.
 */
export interface MachineSetObjectSpecTemplateSpecReadinessGatesItem {
  /**
   * Its type, in CamelCase, with a prefix where several parties might choose the same, e.g. example.com/DisksTested.
   */
  conditionType: string;
}
/**
 * What to launch. Either value or valueFrom.
 */
export interface MachineSetObjectSpecTemplateSpecProviderSpec {
  value?: MachineSetObjectSpecTemplateSpecProviderSpecValue;
  valueFrom?: MachineSetObjectSpecTemplateSpecProviderSpecValueFrom;
}
/**
 * The instance to launch, in the words of its cloud. The kind chooses the provider, which checks the rest against its own schema; what is wrong with it is told by a condition that names the field.
 */
export interface MachineSetObjectSpecTemplateSpecProviderSpecValue {
  /**
   * API group and version of the kind, e.g. machine.millwright.dev/v1alpha1.
   */
  apiVersion?: string;
  /**
   * Chooses the provider, e.g. SimulatedMachineProviderConfig or AWSMachineProviderConfig.
   */
  kind: string;
  [k: string]: unknown;
}
/**
 * Where the instance to launch is described, in place of value.
 */
export interface MachineSetObjectSpecTemplateSpecProviderSpecValueFrom {
  machineClass: MachineSetObjectSpecTemplateSpecProviderSpecValueFromMachineClass;
}
/**
 * A MachineClass of the same namespace that describes it. Until the class is there, the machine waits and says so. A change of the class reaches machines that have no instance yet, and no others.
 */
export interface MachineSetObjectSpecTemplateSpecProviderSpecValueFromMachineClass {
  /**
   * Name of the MachineClass, in the same namespace.
   */
  name: string;
  /**
   * Name of the provider that the class is meant to be of, e.g. aws; where the class is of another one, nothing is launched. Default: whichever the class is of.
   */
  provider?: string;
}
/**
 * How the Node is emptied, before the instance ends when the Machine is deleted and for a maintenance. May be changed while that is under way.
 */
export interface MachineSetObjectSpecTemplateSpecDrain {
  /**
   * How long the drain may take before onTimeout applies, e.g. 30m or 1h30m; time in which Millwright could not work on it does not count. A maintenance and a rollout wait until then for pods that ask not to be disrupted (karpenter.sh/do-not-disrupt, cluster-autoscaler.kubernetes.io/safe-to-evict). Default: no limit.
   */
  timeout?: string;
  /**
   * What becomes of pods that are still there at the timeout. Wait: they are waited for; status.waiting says which and what holds them. Force: from half of the timeout on each is deleted so early that its own grace period ends with the timeout, whatever its PodDisruptionBudget says; then the deletion goes on. Default: Wait.
   */
  onTimeout?: 'Wait' | 'Force';
  /**
   * How long to wait, after the drain, until the volumes of the pods that left are detached, e.g. 2m; then the deletion goes on, and an event says so. 0s: it is not waited for. Default: 2m.
   */
  volumeDetachTimeout?: string;
  /**
   * What becomes of the pods of DaemonSets when the Machine is deleted. Ignore: they run until the instance ends. EvictLast: when all other pods have left and their volumes are detached, those that do not tolerate the taint millwright.dev/draining, which the Node then gets with the effect NoSchedule, are evicted too. Default: Ignore.
   */
  daemonSets?: 'Ignore' | 'EvictLast';
}
/**
 * Points of the deletion at which others may ask Millwright to wait until they remove their hook. status.waiting and the conditions Drainable and Terminable name each hook that holds the deletion, and its owner. What was asked to end is not held any more. Under deletionPolicy forced none holds: an event names those that are passed over.
 */
export interface MachineSetObjectSpecTemplateSpecLifecycleHooks {
  /**
   * Holds the deletion before its Node is drained, and all that follows, also where the drain is skipped. A Machine that never had a Node is not held. At most 32.
   */
  preDrain?: MachineSetObjectSpecTemplateSpecLifecycleHooksPreDrainItem[];
  /**
   * Holds the deletion when the Node is drained and its volumes are detached, before the instance is taken from its load balancers and terminated. There is no second drain after that. At most 32.
   */
  preTerminate?: MachineSetObjectSpecTemplateSpecLifecycleHooksPreTerminateItem[];
}
/**
 * One reason to wait.
 */
export interface MachineSetObjectSpecTemplateSpecLifecycleHooksPreDrainItem {
  /**
   * Name of the hook, unique in its list: one to three words in CamelCase, with a prefix where several parties might choose the same, e.g. example.com/CopyLogs.
   */
  name: string;
  /**
   * Who removes the hook, in words a person can act on, e.g. the name of a controller.
   */
  owner: string;
}
/**
 * One reason to wait.
 */
export interface MachineSetObjectSpecTemplateSpecLifecycleHooksPreTerminateItem {
  /**
   * Name of the hook, unique in its list: one to three words in CamelCase, with a prefix where several parties might choose the same, e.g. example.com/CopyLogs.
   */
  name: string;
  /**
   * Who removes the hook, in words a person can act on, e.g. the name of a controller.
   */
  owner: string;
}
/**
 * What was seen. Written by Millwright.
 */
export interface MachineSetObjectStatus {
  /**
   * Machines of the set that are not being deleted.
   */
  replicas?: number;
  /**
   * Of them, those that have all labels of the template.
   */
  fullyLabeledReplicas?: number;
  /**
   * Of them, those whose Node is Ready.
   */
  readyReplicas?: number;
  /**
   * Of them, those whose Node has been Ready for minReadySeconds and has no taint of its beginning, where the resources that its MachineClass names are there and the readinessGates are open.
   */
  availableReplicas?: number;
  /**
   * metadata.generation of the spec this status answers to.
   */
  observedGeneration?: number;
  /**
   * The selector as text, for the scale subresource.
   */
  labelSelector?: string;
  /**
   * Why the set cannot do what is wanted, as one word. Absent while it can.
   */
  errorReason?: string;
  /**
   * Why the set cannot do what is wanted, as a sentence. Absent while it can.
   */
  errorMessage?: string;
  /**
   * What is known of the set, one entry for each type. MachinesCreated is always there; MachinesDeleted, MachinesUpdated, MachinesAdopted and MachinesReleased while they are False: the API server refuses it for Machines that the message names; SelectorConflict and Paused while they are True. Every writer keeps its own types by server-side apply; those of others survive.
   */
  conditions?: MachineSetObjectStatusConditionsItem[];
}
/**
 * One thing that is known.
 */
export interface MachineSetObjectStatusConditionsItem {
  /**
   * What it is about, in CamelCase, e.g. MachinesCreated.
   */
  type: string;
  /**
   * True, False, or Unknown while it cannot be told.
   */
  status: 'True' | 'False' | 'Unknown';
  /**
   * How bad it is that the status is not as it should be: Error, Warning or Info. Absent where the status is as it should be.
   */
  severity?: string;
  /**
   * Why, as one word in CamelCase, for programs.
   */
  reason?: string;
  /**
   * Why, as a sentence, for people.
   */
  message?: string;
  /**
   * When the status last changed.
   */
  lastTransitionTime: string;
  /**
   * metadata.generation of the object this was said of.
   */
  observedGeneration?: number;
}
