// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A MachineClass says what to launch, once, for all the Machines and MachineSets of its namespace that refer to it by spec.providerSpec.valueFrom.machineClass.name. While one of them does, a class that was launched from stays when it is deleted. A change of it reaches Machines that have no instance yet, and no others.
 */
export interface MachineClassObject {
  apiVersion: 'machine.openshift.io/v1beta1';
  kind: 'MachineClass';
  metadata: ObjectMeta;
  /**
   * Name of the cloud's provider, e.g. aws or simulated.
   */
  provider: string;
  /**
   * The instance to launch, in the words of its cloud: what a Machine has in spec.providerSpec.value. Its kind and apiVersion may be left out; they are the provider's then. What is wrong with it is told by a condition of the Machines, which names the field.
   */
  providerSpec: {
    [k: string]: unknown;
  };
  secretRef?: MachineClassObjectSecretRef;
  credentialsSecretRef?: MachineClassObjectCredentialsSecretRef;
  nodeTemplate?: MachineClassObjectNodeTemplate;
  status?: MachineClassObjectStatus;
}
/**
 * Secret whose key userData is handed to the instance, where providerSpec names none.
 */
export interface MachineClassObjectSecretRef {
  /**
   * Name of the Secret.
   */
  name: string;
  /**
   * Namespace of the Secret: that of the class, or nothing is launched. Default: that of the class.
   */
  namespace?: string;
}
/**
 * Secret with the credentials for the cloud, where providerSpec names none. Default: the Cluster's spec.defaults.credentialsSecret, or else the worker's own credentials.
 */
export interface MachineClassObjectCredentialsSecretRef {
  /**
   * Name of the Secret.
   */
  name: string;
  /**
   * Namespace of the Secret: that of the class, or nothing is launched. Default: that of the class.
   */
  namespace?: string;
}
/**
 * What a Node of this class will be like, for whoever has to know before there is one. Nothing is launched by it.
 */
export interface MachineClassObjectNodeTemplate {
  /**
   * Resources of the Node, e.g. cpu, memory and nvidia.com/gpu, as in a Node's status.capacity. At most 64.
   */
  capacity?: {
    [k: string]: number | string;
  };
  /**
   * Resources of the Node that no hardware stands for, e.g. those that a device plugin announces. At most 64.
   */
  virtualCapacity?: {
    [k: string]: number | string;
  };
  /**
   * Type of the instances.
   */
  instanceType?: string;
  /**
   * Region of the instances.
   */
  region?: string;
  /**
   * Zone of the instances.
   */
  zone?: string;
  /**
   * Architecture of the Node's processors, as in the label kubernetes.io/arch, e.g. amd64.
   */
  architecture?: string;
}
/**
 * What was seen. Written by Millwright, at most once in 10 seconds.
 */
export interface MachineClassObjectStatus {
  /**
   * How many Machines refer to the class.
   */
  machines?: number;
  /**
   * How many MachineSets have templates that refer to the class.
   */
  machineSets?: number;
  /**
   * metadata.generation of the object this was said of.
   */
  observedGeneration?: number;
  /**
   * What is known of the class, one entry for each type. Ready: whether machines can be launched from it, as far as it shows before a launch. InUse: it is being deleted and kept, because the objects that the message names refer to it.
   */
  conditions?: MachineClassObjectStatusConditionsItem[];
}
/**
 * One thing that is known.
 */
export interface MachineClassObjectStatusConditionsItem {
  /**
   * What it is about, in CamelCase, e.g. InUse.
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
