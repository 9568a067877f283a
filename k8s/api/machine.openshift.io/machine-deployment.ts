// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A MachineDeployment keeps a number of Machines made from one template, and replaces them step by step when the template changes. It does so by MachineSets, one for each template it had. The annotation cluster.x-k8s.io/paused, with any value, stops all that it does; its MachineSets go on, but take no machine for its rollout.
 */
export interface MachineDeploymentObject {
  apiVersion: 'machine.openshift.io/v1beta1';
  kind: 'MachineDeployment';
  metadata: ObjectMeta;
  spec: MachineDeploymentObjectSpec;
  status?: MachineDeploymentObjectStatus;
}
/**
 * What is wanted.
 */
export interface MachineDeploymentObjectSpec {
  /**
   * How many Machines there should be. Default 1.
   */
  replicas: number;
  /**
   * Seconds a Node must have been Ready without a break before its Machine counts as available. Default 0.
   */
  minReadySeconds: number;
  /**
   * True: a change of the template makes and takes no Machines, and one that is being rolled out stops where it is, until it is false again. Scaling works, and Machines that go are replaced by others of their own MachineSet. Default false.
   */
  paused: boolean;
  /**
   * How many MachineSets without Machines are kept of earlier templates, to go back to. Default 10.
   */
  revisionHistoryLimit: number;
  /**
   * Seconds from the launch of its instance within which a new Machine has to be available; one that takes longer counts as failed, as rollingUpdate.onFailure says. Time spent waiting for capacity does not count, nor does time in which the deployment is paused. Has to be more than minReadySeconds. Default 1200.
   */
  progressDeadlineSeconds: number;
  strategy: MachineDeploymentObjectSpecStrategy;
  selector: MachineDeploymentObjectSpecSelector;
  template: MachineDeploymentObjectSpecTemplate;
}
/**
 * How Machines of an earlier template are replaced.
 */
export interface MachineDeploymentObjectSpecStrategy {
  /**
   * RollingUpdate: new Machines first, or old ones, as rollingUpdate says, a few at a time. Recreate: all old ones go, and when they are gone the new ones come; there are never more than replicas. OnDelete: no Machine is taken; one that somebody deletes is replaced by one of the template, with at most one more than replicas at a time. InPlaceUpdate: refused, nothing acts on it yet. Default RollingUpdate.
   */
  type: 'RollingUpdate' | 'Recreate' | 'OnDelete' | 'InPlaceUpdate';
  /**
   * Whether a change of the template may replace Machines. Allowed. Never: what cannot reach the Machines that are there in place changes nothing; the condition Progressing says so (ReplaceNotAllowed), and Machines that go are replaced by their own kind. Default Allowed.
   */
  replace?: 'Allowed' | 'Never';
  rollingUpdate?: MachineDeploymentObjectSpecStrategyRollingUpdate;
}
/**
 * How many Machines at a time.
 */
export interface MachineDeploymentObjectSpecStrategyRollingUpdate {
  /**
   * What becomes of a rollout when new Machines fail, or are not available within progressDeadlineSeconds. Pause: it sets spec.paused to true before it takes more old Machines, and says which Machine failed and why; setting it to false goes on in spite of those. Rollback: it writes the last template of which all Machines were available (status.completeTemplateHash) into spec.template, and goes back to it by the same rules; where there is none, or its Machines fail too, or this template was rolled back from before, it pauses. Continue: it goes on, within the bounds. That there is no capacity is no failure. Default Pause.
   */
  onFailure: 'Pause' | 'Rollback' | 'Continue';
  /**
   * How many new Machines have to fail for that. Where fewer have, and nothing else can come up or fail for progressDeadlineSeconds, that is enough. Default 1.
   */
  failureThreshold: number;
  /**
   * What a change of the template goes by, one after the other, as long as there are Machines of an earlier one; when the last is passed, the rest is rolled. Each template begins anew with the first, but for one that goes back to the last that was rolled out whole. status.step says where it stands. Default: none. At most 32.
   */
  steps?: MachineDeploymentObjectSpecStrategyRollingUpdateStepsItem[];
  /**
   * How many Machines there may be beyond replicas, those included that are being deleted: a number, or a share of replicas in percent, rounded up. Default 1.
   */
  maxSurge: number | string;
  /**
   * An available Machine is taken only where at least replicas less this many stay available: a number, or a share of replicas in percent, rounded down; 1 where that and maxSurge both come to 0. Default 0.
   */
  maxUnavailable: number | string;
}
/**
 * One step, by exactly one of its fields.
 */
export interface MachineDeploymentObjectSpecStrategyRollingUpdateStepsItem {
  /**
   * So many Machines of the new template there may be, those of earlier steps included: a number, or a share of replicas in percent, rounded up, and no more than replicas. Passed when as many are available, and the old ones whose places they have are gone. Fewer than in an earlier step: passed at once.
   */
  machines?: number | string;
  pause?: MachineDeploymentObjectSpecStrategyRollingUpdateStepsItemPause;
  /**
   * The same until `millwright rollout approve`, which counts for this step of this revision and no other.
   */
  approval?: {};
}
/**
 * No Machine is made or taken for another template for a time, or until `millwright rollout resume`.
 */
export interface MachineDeploymentObjectSpecStrategyRollingUpdateStepsItemPause {
  /**
   * How long, from when the step before it was passed, e.g. 30m or 1h30m; then it goes on when all new Machines are available. Default: until it is resumed.
   */
  for?: string;
}
/**
 * Which MachineSets of the namespace are the deployment's, by the labels of their templates: one without a controller whose template matches is adopted. Must not be empty, must match the template's labels, and must not overlap with that of another deployment. Cannot be changed.
 */
export interface MachineDeploymentObjectSpecSelector {
  /**
   * Labels that they must have, with these values. At most 31.
   */
  matchLabels?: {
    [k: string]: string;
  };
  /**
   * Further demands on these labels, all of which it must meet. At most 16.
   */
  matchExpressions?: MachineDeploymentObjectSpecSelectorMatchExpressionsItem[];
}
/**
 * One demand on one label.
 */
export interface MachineDeploymentObjectSpecSelectorMatchExpressionsItem {
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
 * The Machine to make. A change of it rolls: new Machines are made of it, and the old ones go, as strategy says. A change of these fields of its spec rolls nothing, and reaches the Machines that are there: metadata, taints but for those with the effect NoExecute, startupTaints, readinessGates, drain, deletionPolicy and creationTimeoutSeconds.
 */
export interface MachineDeploymentObjectSpecTemplate {
  metadata?: MachineDeploymentObjectSpecTemplateMetadata;
  spec: MachineDeploymentObjectSpecTemplateSpec;
}
/**
 * Labels and annotations for the Machines.
 */
export interface MachineDeploymentObjectSpecTemplateMetadata {
  /**
   * Labels of the Machines. Must match the selector and hold machine.openshift.io/cluster-api-cluster. At most 62.
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
 * What is wanted. What a Machine is made with.
 */
export interface MachineDeploymentObjectSpecTemplateSpec {
  metadata?: MachineDeploymentObjectSpecTemplateSpecMetadata;
  /**
   * Taints to put on the Node, and to take off it again with what names them here, where nobody else has changed them. Those with the effect NoExecute are put there when the Node joins, and not on one that is in use. The Node's others are left alone. At most 64.
   */
  taints?: MachineDeploymentObjectSpecTemplateSpecTaintsItem[];
  /**
   * Taints that the Node gets when it joins, and not again: whoever they wait for takes them off. Until then the Machine is not available. Kubelets of the same taints (registerWithTaints) keep pods off from the first moment on. At most 64.
   */
  startupTaints?: MachineDeploymentObjectSpecTemplateSpecStartupTaintsItem[];
  /**
   * Conditions of the Machine that have to be True beside a Node that is Ready, for the Machine to count as available. Other programs write them into status.conditions. At most 32.
   */
  readinessGates?: MachineDeploymentObjectSpecTemplateSpecReadinessGatesItem[];
  providerSpec: MachineDeploymentObjectSpecTemplateSpecProviderSpec;
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
  drain?: MachineDeploymentObjectSpecTemplateSpecDrain;
  lifecycleHooks?: MachineDeploymentObjectSpecTemplateSpecLifecycleHooks;
}
/**
 * Labels and annotations for the Node. They are added, updated and, where nobody else has changed them, taken off with what names them here; the Node's others are left alone.
 */
export interface MachineDeploymentObjectSpecTemplateSpecMetadata {
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
export interface MachineDeploymentObjectSpecTemplateSpecTaintsItem {
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
export interface MachineDeploymentObjectSpecTemplateSpecStartupTaintsItem {
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
export interface MachineDeploymentObjectSpecTemplateSpecReadinessGatesItem {
  /**
   * Its type, in CamelCase, with a prefix where several parties might choose the same, e.g. example.com/DisksTested.
   */
  conditionType: string;
}
/**
 * What to launch. Either value or valueFrom.
 */
export interface MachineDeploymentObjectSpecTemplateSpecProviderSpec {
  value?: MachineDeploymentObjectSpecTemplateSpecProviderSpecValue;
  valueFrom?: MachineDeploymentObjectSpecTemplateSpecProviderSpecValueFrom;
}
/**
 * The instance to launch, in the words of its cloud. The kind chooses the provider, which checks the rest against its own schema; what is wrong with it is told by a condition that names the field.
 */
export interface MachineDeploymentObjectSpecTemplateSpecProviderSpecValue {
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
export interface MachineDeploymentObjectSpecTemplateSpecProviderSpecValueFrom {
  machineClass: MachineDeploymentObjectSpecTemplateSpecProviderSpecValueFromMachineClass;
}
/**
 * A MachineClass of the same namespace that describes it. Until the class is there, the machine waits and says so. A change of the class reaches machines that have no instance yet, and no others.
 */
export interface MachineDeploymentObjectSpecTemplateSpecProviderSpecValueFromMachineClass {
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
export interface MachineDeploymentObjectSpecTemplateSpecDrain {
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
export interface MachineDeploymentObjectSpecTemplateSpecLifecycleHooks {
  /**
   * Holds the deletion before its Node is drained, and all that follows, also where the drain is skipped. A Machine that never had a Node is not held. At most 32.
   */
  preDrain?: MachineDeploymentObjectSpecTemplateSpecLifecycleHooksPreDrainItem[];
  /**
   * Holds the deletion when the Node is drained and its volumes are detached, before the instance is taken from its load balancers and terminated. There is no second drain after that. At most 32.
   */
  preTerminate?: MachineDeploymentObjectSpecTemplateSpecLifecycleHooksPreTerminateItem[];
}
/**
 * One reason to wait.
 */
export interface MachineDeploymentObjectSpecTemplateSpecLifecycleHooksPreDrainItem {
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
export interface MachineDeploymentObjectSpecTemplateSpecLifecycleHooksPreTerminateItem {
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
export interface MachineDeploymentObjectStatus {
  /**
   * Machines of the deployment that are not being deleted.
   */
  replicas?: number;
  /**
   * Of them, those of the template as it is now.
   */
  updatedReplicas?: number;
  /**
   * Of them, those whose Node is Ready.
   */
  readyReplicas?: number;
  /**
   * Of them, those whose Node has been Ready for minReadySeconds and has no taint of its beginning, where the resources that its MachineClass names are there and the readinessGates are open.
   */
  availableReplicas?: number;
  /**
   * How many available ones are missing for replicas.
   */
  unavailableReplicas?: number;
  /**
   * Number of the template as it is now, as its MachineSet has it; counts up with each change. Absent while it has no MachineSet yet, as where a rollout is held before it begins.
   */
  revision?: number;
  /**
   * machine-template-hash of the last template of which there were replicas Machines, all available, and none of another: where rollingUpdate.onFailure Rollback goes back to. Absent: there was none yet.
   */
  completeTemplateHash?: string;
  preflight?: MachineDeploymentObjectStatusPreflight;
  step?: MachineDeploymentObjectStatusStep;
  /**
   * metadata.generation of the spec this status answers to.
   */
  observedGeneration?: number;
  /**
   * The selector as text, for the scale subresource.
   */
  labelSelector?: string;
  /**
   * What is known of the deployment, one entry for each type. Available and Progressing are always there; ReplicaFailure and Paused while they are True. Every writer keeps its own types by server-side apply; those of others survive.
   */
  conditions?: MachineDeploymentObjectStatusConditionsItem[];
}
/**
 * What the cloud said, before anything was made or taken, to a launch of the template as it is now. Absent: nothing is rolled out, or it was not asked yet.
 */
export interface MachineDeploymentObjectStatusPreflight {
  /**
   * machine-template-hash of the template.
   */
  templateHash: string;
  /**
   * Its number.
   */
  revision: number;
  /**
   * metadata.generation when it was asked; with another one it is asked again, where it had not passed.
   */
  generation?: number;
  /**
   * Whether a launch would work, as far as the cloud tells. False: nothing is made or taken, and it is asked again after 5 minutes.
   */
  passed: boolean;
  /**
   * Why it would not; or what may hold the rollout up although it would, as budgets that allow no eviction.
   */
  message?: string;
  /**
   * When it was asked.
   */
  checkedAt: string;
}
/**
 * Where a rollout by rollingUpdate.steps stands. Absent: there are none, or nothing is rolled out by them.
 */
export interface MachineDeploymentObjectStatusStep {
  /**
   * machine-template-hash of the template that is rolled out.
   */
  templateHash: string;
  /**
   * Its number.
   */
  revision: number;
  /**
   * How many of the steps are behind it.
   */
  passed: number;
  /**
   * When the last of these was passed, or the rollout began. pause.for counts from it.
   */
  since: string;
}
/**
 * One thing that is known.
 */
export interface MachineDeploymentObjectStatusConditionsItem {
  /**
   * What it is about, in CamelCase, e.g. Progressing.
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
