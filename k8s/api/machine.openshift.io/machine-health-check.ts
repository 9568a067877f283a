// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A MachineHealthCheck sees to it that the Machines it selects are healthy: one that failed, got no Node in time, lost its Node, or whose Node has been in a bad condition for too long is remediated, few at a time. The annotation cluster.x-k8s.io/paused, with any value, stops all actions of the check.
 */
export interface MachineHealthCheckObject {
  apiVersion: 'machine.openshift.io/v1beta1';
  kind: 'MachineHealthCheck';
  metadata: ObjectMeta;
  spec: MachineHealthCheckObjectSpec;
  status?: MachineHealthCheckObjectStatus;
}
/**
 * What is wanted.
 */
export interface MachineHealthCheckObjectSpec {
  selector: MachineHealthCheckObjectSpecSelector;
  /**
   * Conditions of a Node that make its machine unhealthy; any one of them does. Default: the rules of the cluster, which are the items of the ConfigMap node-unhealthy-conditions in the namespace openshift-machine-api, and without it Ready being 'False' or Unknown for 5 minutes. At most 32.
   */
  unhealthyConditions?: MachineHealthCheckObjectSpecUnhealthyConditionsItem[];
  /**
   * Conditions of a Machine that make it unhealthy, besides those of its Node; any one of them does. Default: none. At most 32.
   */
  unhealthyMachineConditions?: MachineHealthCheckObjectSpecUnhealthyMachineConditionsItem[];
  /**
   * While more of the machines than this are unhealthy, none of them is remediated: a number, or a share of all that match in percent, rounded down. Those without a Node, being deleted or left to another program count as well. Default 100%, so that it never stops anything.
   */
  maxUnhealthy: number | string;
  /**
   * Machines are remediated only while from so many to so many of them are unhealthy, both included, e.g. "[3-5]". Where it is there, maxUnhealthy does not count.
   */
  unhealthyInRange?: string;
  /**
   * How long a machine may take from the launch of its instance until it has a Node, e.g. 10m; then it is unhealthy. 0: it may take any time. Default 10m.
   */
  nodeStartupTimeout: string;
  remediationTemplate?: MachineHealthCheckObjectSpecRemediationTemplate;
  remediation?: MachineHealthCheckObjectSpecRemediation;
}
/**
 * Which Machines of the namespace have to be healthy, by their labels, whatever set they are of. Must not be empty.
 */
export interface MachineHealthCheckObjectSpecSelector {
  /**
   * Labels a Machine must have, with these values. At most 32.
   */
  matchLabels?: {
    [k: string]: string;
  };
  /**
   * Further demands on a Machine's labels, all of which it must meet. At most 16.
   */
  matchExpressions?: MachineHealthCheckObjectSpecSelectorMatchExpressionsItem[];
}
/**
 * One demand on one label.
 */
export interface MachineHealthCheckObjectSpecSelectorMatchExpressionsItem {
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
 * One condition that is bad where it has this status for too long.
 */
export interface MachineHealthCheckObjectSpecUnhealthyConditionsItem {
  /**
   * Type of the condition. One that is not there is not bad.
   */
  type: string;
  /**
   * The status that is bad: 'True', 'False' or Unknown. In quotes, as YAML reads True as no text.
   */
  status: 'True' | 'False' | 'Unknown';
  /**
   * How long it has to be bad, e.g. 300s or 5m0s. One that comes and goes counts when it was bad for more than half of three times this. 0s: it need not last.
   */
  timeout: string;
}
/**
 * One condition that is bad where it has this status for too long.
 */
export interface MachineHealthCheckObjectSpecUnhealthyMachineConditionsItem {
  /**
   * Type of the condition. One that is not there is not bad.
   */
  type: string;
  /**
   * The status that is bad: 'True', 'False' or Unknown. In quotes, as YAML reads True as no text.
   */
  status: 'True' | 'False' | 'Unknown';
  /**
   * How long it has to be bad, e.g. 300s or 5m0s. One that comes and goes counts when it was bad for more than half of three times this. 0s: it need not last.
   */
  timeout: string;
}
/**
 * An object of the same namespace, of which another program's order to remediate a machine is made: its kind without the word Template, with what its spec.template says, named like the Machine. It is made once for each unhealthy machine, belongs to the Machine, and is deleted when that is healthy again. It stands in place of steps: such a check deletes no machine. The worker needs the permission to get the template, and to get, create and delete what is made of it.
 */
export interface MachineHealthCheckObjectSpecRemediationTemplate {
  /**
   * Group and version of it, e.g. infrastructure.cluster.x-k8s.io/v1beta1.
   */
  apiVersion: string;
  /**
   * Kind of it, which ends with Template, e.g. Metal3RemediationTemplate.
   */
  kind: string;
  /**
   * Name of it.
   */
  name: string;
  /**
   * Not read. It is in the namespace of the check.
   */
  namespace?: string;
  /**
   * uid of it.
   */
  uid?: string;
  /**
   * Version of it.
   */
  resourceVersion?: string;
  /**
   * A part of it.
   */
  fieldPath?: string;
}
/**
 * What is done for an unhealthy machine, and how many at a time.
 */
export interface MachineHealthCheckObjectSpecRemediation {
  /**
   * What is done for it, one after the other, each where the one before it did not help. Default: one step, Replace. At most 8.
   */
  steps?: MachineHealthCheckObjectSpecRemediationStepsItem[];
  /**
   * How many machines may be remediated at the same time: a number, or a share in percent of all that match, without those that go and are replaced already, rounded up, at least 1. A machine counts until its old instance is gone and its MachineSet has what it wants. Never more than 500. Default: 20%.
   */
  maxInFlight?: number | string;
  /**
   * Where more machines than this turn unhealthy by the same cause within stormWindow, and 3 at least, the network or the control plane is the likelier cause, and none of them is remediated until there are fewer: a number, or a share of all that match in percent. Where more than about 1,000 are unhealthy, half of these at the most. What the cloud says is stopped or gone is remediated all the same. 100%: it never applies. Default: 50%.
   */
  stormThreshold?: number | string;
  /**
   * See stormThreshold, e.g. 5m. Default: 5m.
   */
  stormWindow?: string;
}
/**
 * One step.
 */
export interface MachineHealthCheckObjectSpecRemediationStepsItem {
  /**
   * Replace: the Machine is deleted, and its MachineSet makes another one; one that no MachineSet controls is never deleted, only reported. Reboot: its instance is rebooted, once, after its Node was cordoned and drained where that is Ready; it has helped when the Node tells of another boot, is Ready, and has had nothing bad for a minute. Without that within nodeStartupTimeout (10m where that is 0) the next step comes; so it does at once where the cloud cannot reboot. Annotate: the Machine gets an annotation for another program, which is to remedy it.
   */
  action: 'Replace' | 'Reboot' | 'Annotate';
  /**
   * Of Replace: how long the drain of the Node may take before onTimeout applies, e.g. 10m. Of Reboot: how long it may take, with all else that comes before the reboot, until the next step comes in its stead; no pod is deleted for it. Default: 10m.
   */
  drainTimeout?: string;
  /**
   * Of Replace: what becomes of pods that are still there at drainTimeout on a Node whose kubelet answers. Wait: they are waited for. Force: they are deleted, whatever their PodDisruptionBudget says. On a Node whose Ready is Unknown it is always Force. Default: Wait.
   */
  onTimeout?: 'Wait' | 'Force';
  /**
   * Of Reboot: how often one machine is rebooted within 24 hours, for whatever check; after that the next step comes in its stead. Default: 2.
   */
  maxReboots?: number;
  /**
   * Of Annotate: key of the annotation. None that steers machines: not of millwright.dev, machine.openshift.io or cluster.x-k8s.io.
   */
  key?: string;
  /**
   * Of Annotate: value of the annotation. Default: empty.
   */
  value?: string;
  /**
   * Of Annotate: how long the other program has until the next step comes, e.g. 30m. Default: for ever.
   */
  timeout?: string;
}
/**
 * What was seen. Written by Millwright.
 */
export interface MachineHealthCheckObjectStatus {
  /**
   * How many Machines the selector matches.
   */
  expectedMachines?: number;
  /**
   * How many of them have a Node and nothing bad, and are neither being deleted nor left to another program.
   */
  currentHealthy?: number;
  /**
   * How many more may turn unhealthy before none is remediated.
   */
  remediationsAllowed?: number;
  /**
   * How many remediations are under way; also of machines that are gone, until their set is whole again.
   */
  remediationsInFlight?: number;
  /**
   * How many may be under way at a time now: what spec.remediation.maxInFlight says; after a storm fewer, until remediations succeed.
   */
  remediationsInFlightLimit?: number;
  /**
   * metadata.generation of the spec this status answers to.
   */
  observedGeneration?: number;
  /**
   * The Machines that are not healthy, those first that are so the longest. At most 100; currentHealthy tells of how many there are.
   */
  unhealthyMachines?: MachineHealthCheckObjectStatusUnhealthyMachinesItem[];
  /**
   * What is known of the check, one entry for each type; those of others survive. RemediationAllowed is always there; StormSuspected, InFlightLimit, ApiServerAway and Paused while they are True; RulesValid, ExternalRemediationTemplateAvailable and ExternalRemediationRequestAvailable while they are False.
   */
  conditions?: MachineHealthCheckObjectStatusConditionsItem[];
}
/**
 * One Machine that is not healthy.
 */
export interface MachineHealthCheckObjectStatusUnhealthyMachinesItem {
  /**
   * Name of the Machine.
   */
  name: string;
  /**
   * What is wrong with it, as a sentence.
   */
  cause: string;
  /**
   * Since when. Of one with which nothing is wrong, and which only counts, since it was made.
   */
  since: string;
  /**
   * What comes next, and what it waits for, as a sentence.
   */
  next: string;
  /**
   * When it is remediated if it stays as it is and nothing holds that up. Absent where that cannot be told.
   */
  dueAt?: string;
}
/**
 * One thing that is known.
 */
export interface MachineHealthCheckObjectStatusConditionsItem {
  /**
   * What it is about, in CamelCase, e.g. RemediationAllowed.
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
