// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A Cluster holds what is common to the Machines of its namespace whose label machine.openshift.io/cluster-api-cluster is its name, and allows them to adopt instances that are tagged as that cluster's. It is optional: Machines that are launched need none. The annotation cluster.x-k8s.io/paused, with any value, is the same as spec.paused.
 */
export interface ClusterObject {
  apiVersion: 'machine.openshift.io/v1beta1';
  kind: 'Cluster';
  metadata: ObjectMeta;
  spec?: ClusterObjectSpec;
  status?: ClusterObjectStatus;
}
/**
 * What is wanted.
 */
export interface ClusterObjectSpec {
  /**
   * True: nothing is done to its Machines and its MachineSets, as if each of them were paused. A MachineSet is a Cluster's by the label that its Machines get. Default false.
   */
  paused?: boolean;
  controlPlane?: ClusterObjectSpecControlPlane;
  defaults?: ClusterObjectSpecDefaults;
}
/**
 * What is known of its control plane.
 */
export interface ClusterObjectSpecControlPlane {
  /**
   * How many machines the control plane has while none is replaced. One of them is emptied or ended only while so many other Nodes of it are Ready as this number less one, and two at least. Default: the greatest number of its Nodes that was seen together, an even one less one.
   */
  size?: number;
}
/**
 * What its Machines get where neither they nor their MachineClass say it. A change reaches Machines that have no instance yet, and no others.
 */
export interface ClusterObjectSpecDefaults {
  /**
   * Region to launch in, in the words of the cloud.
   */
  region?: string;
  credentialsSecret?: ClusterObjectSpecDefaultsCredentialsSecret;
  /**
   * Tags for the instances, besides their own; of two with one name, the Machine's own counts. At most 32.
   */
  tags?: ClusterObjectSpecDefaultsTagsItem[];
}
/**
 * Secret with the credentials for the cloud, in the Cluster's namespace.
 */
export interface ClusterObjectSpecDefaultsCredentialsSecret {
  /**
   * Name of the Secret.
   */
  name: string;
}
/**
 * One tag.
 */
export interface ClusterObjectSpecDefaultsTagsItem {
  /**
   * Name of the tag, unique in the list.
   */
  name: string;
  /**
   * Value of the tag.
   */
  value: string;
}
/**
 * What was seen. Written by Millwright, at most once in 10 seconds.
 */
export interface ClusterObjectStatus {
  /**
   * How many Machines the Cluster has.
   */
  machines?: number;
  /**
   * How many of them have a Node that is Ready, and are not being deleted.
   */
  readyMachines?: number;
  /**
   * metadata.generation of the object this was said of.
   */
  observedGeneration?: number;
  /**
   * What is known of the Cluster, one entry for each type; those of others survive. Paused: nothing is done to its Machines and MachineSets; the message says why.
   */
  conditions?: ClusterObjectStatusConditionsItem[];
}
/**
 * One thing that is known.
 */
export interface ClusterObjectStatusConditionsItem {
  /**
   * What it is about, in CamelCase.
   */
  type: string;
  /**
   * True, False, or Unknown while it cannot be told.
   */
  status: 'True' | 'False' | 'Unknown';
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
