// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A MachineHealthCheck as early versions of the Machine API had it: it names its Machines and nothing else. Every other rule is the default of MachineHealthCheck of machine.openshift.io/v1beta1, which is the one to use where more is to be said. The annotation cluster.x-k8s.io/paused, with any value, stops all actions of the check.
 */
export interface MachineHealthCheckObject {
  apiVersion: 'healthchecking.openshift.io/v1alpha1';
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
