// Generated from k8s/crds by `npm run generate`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';

/**
 * A Machine is one instance of a cloud and the Node that runs on it. Millwright launches the instance at most once, links the Node that registers from it, and terminates the instance when the Machine is deleted. The label machine.openshift.io/cluster-api-cluster is required. The annotation cluster.x-k8s.io/paused, with any value, stops all actions on the Machine.
 */
export interface MachineObject {
  apiVersion: 'machine.openshift.io/v1beta1';
  kind: 'Machine';
  metadata: ObjectMeta;
  spec: MachineObjectSpec;
  status?: MachineObjectStatus;
}
/**
 * What is wanted. A change of providerSpec after the launch has no effect on the instance.
 */
export interface MachineObjectSpec {
  metadata?: MachineObjectSpecMetadata;
  /**
   * Taints to put on the Node, and to take off it again with what names them here, where nobody else has changed them. Those with the effect NoExecute are put there when the Node joins, and not on one that is in use. The Node's others are left alone. At most 64.
   */
  taints?: MachineObjectSpecTaintsItem[];
  /**
   * Taints that the Node gets when it joins, and not again: whoever they wait for takes them off. Until then the Machine is not available. Kubelets of the same taints (registerWithTaints) keep pods off from the first moment on. At most 64.
   */
  startupTaints?: MachineObjectSpecStartupTaintsItem[];
  /**
   * Conditions of the Machine that have to be True beside a Node that is Ready, for the Machine to count as available. Other programs write them into status.conditions. At most 32.
   */
  readinessGates?: MachineObjectSpecReadinessGatesItem[];
  providerSpec: MachineObjectSpecProviderSpec;
  /**
   * The cloud's id of the instance, exactly as its Node carries it in spec.providerID, e.g. aws:///eu-central-1a/i-0abc. Written by Millwright when the instance is launched. A Machine that is created with one launches nothing: it adopts that instance, where the operator allowed its cluster for the namespace. To set it takes the permission for the verb set-provider-id; it cannot be changed.
   */
  providerID?: string;
  /**
   * Seconds from the launch within which the Node has to join. After that the Machine is Failed with JoinClusterTimeoutError, and its instance is kept. Time spent waiting for capacity does not count. Default: the worker's, which is 1200 (20 minutes) unless it is configured.
   */
  creationTimeoutSeconds?: number;
  /**
   * How the machine goes. graceful: hooks, drain, volumes, and then the instance ends. unsafe: without drain and without waiting for volumes; hooks are waited for. forced: as unsafe, also without hooks, and where the cloud fails for 5 minutes on end the Machine goes without it; its Node then stays, cordoned, until the cloud shows that the instance is gone. While a deletion is under way it can only go from graceful to unsafe to forced. Default: graceful.
   */
  deletionPolicy?: 'graceful' | 'unsafe' | 'forced';
  /**
   * true: the machine is prepared for its end while the Machine exists (hooks, drain, volumes), and then Millwright deletes the Machine. A machine that was never launched is not launched any more. false takes that back, as long as the Machine has no deletionTimestamp: evictions stop, and the Node is uncordoned where nobody else had cordoned it; pods that left do not come back by that. status.prepareDeletionPhase tells how far it is. Default: nothing is to be deleted.
   */
  delete?: boolean;
  /**
   * true: the Node is cordoned and drained, and stays so until this is false or removed; the instance runs on. Then the Node is uncordoned, where nobody else had cordoned it. status.maintenance tells when nothing is left to drain. Default false.
   */
  maintenance?: boolean;
  drain?: MachineObjectSpecDrain;
  lifecycleHooks?: MachineObjectSpecLifecycleHooks;
}
/**
 * Labels and annotations for the Node. They are added, updated and, where nobody else has changed them, taken off with what names them here; the Node's others are left alone.
 */
export interface MachineObjectSpecMetadata {
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
export interface MachineObjectSpecTaintsItem {
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
export interface MachineObjectSpecStartupTaintsItem {
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
export interface MachineObjectSpecReadinessGatesItem {
  /**
   * Its type, in CamelCase, with a prefix where several parties might choose the same, e.g. example.com/DisksTested.
   */
  conditionType: string;
}
/**
 * What to launch. Either value or valueFrom.
 */
export interface MachineObjectSpecProviderSpec {
  value?: MachineObjectSpecProviderSpecValue;
  valueFrom?: MachineObjectSpecProviderSpecValueFrom;
}
/**
 * The instance to launch, in the words of its cloud. The kind chooses the provider, which checks the rest against its own schema; what is wrong with it is told by a condition that names the field.
 */
export interface MachineObjectSpecProviderSpecValue {
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
export interface MachineObjectSpecProviderSpecValueFrom {
  machineClass: MachineObjectSpecProviderSpecValueFromMachineClass;
}
/**
 * A MachineClass of the same namespace that describes it. Until the class is there, the machine waits and says so. A change of the class reaches machines that have no instance yet, and no others.
 */
export interface MachineObjectSpecProviderSpecValueFromMachineClass {
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
export interface MachineObjectSpecDrain {
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
export interface MachineObjectSpecLifecycleHooks {
  /**
   * Holds the deletion before its Node is drained, and all that follows, also where the drain is skipped. A Machine that never had a Node is not held. At most 32.
   */
  preDrain?: MachineObjectSpecLifecycleHooksPreDrainItem[];
  /**
   * Holds the deletion when the Node is drained and its volumes are detached, before the instance is taken from its load balancers and terminated. There is no second drain after that. At most 32.
   */
  preTerminate?: MachineObjectSpecLifecycleHooksPreTerminateItem[];
}
/**
 * One reason to wait.
 */
export interface MachineObjectSpecLifecycleHooksPreDrainItem {
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
export interface MachineObjectSpecLifecycleHooksPreTerminateItem {
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
export interface MachineObjectStatus {
  /**
   * Where the machine is in its life. Provisioning: no instance yet. Provisioned: the cloud gave one. Running: its Node joined. Deleting: on its way out. Failed: only a deletion acts on it; see errorReason. One that is Failed for InsufficientResources, where cluster-autoscaler sizes its group, is still tried, and leaves Failed when it has an instance.
   */
  phase?: 'Provisioning' | 'Provisioned' | 'Running' | 'Deleting' | 'Failed';
  waiting?: MachineObjectStatusWaiting;
  /**
   * What became of spec.delete. true: the deletion is being prepared. false: it was aborted, and no pod is evicted any more. Absent: it was never asked for.
   */
  delete?: boolean;
  /**
   * How far a deletion by spec.delete is. started: hooks, drain, volumes. completed: the Machine is deleted next, or was. aborting: evictions have stopped, what was sent may still take effect, and the Node is being uncordoned. failed: the Kubernetes API refuses a step, which is tried again; status.waiting has its words. Absent: nothing is under way.
   */
  prepareDeletionPhase?: 'started' | 'completed' | 'aborting' | 'failed';
  /**
   * true: spec.maintenance is reached, and nothing that has to leave is on the Node. false: it is being drained, or a maintenance is over.
   */
  maintenance?: boolean;
  /**
   * When the drain of the Node for spec.maintenance began, the last one where it was drained more than once. Absent: none has begun.
   */
  maintenanceDrainStartTime?: string;
  deletion?: MachineObjectStatusDeletion;
  nodeRef?: MachineObjectStatusNodeRef;
  /**
   * Addresses of the instance, as the cloud reported them.
   */
  addresses?: MachineObjectStatusAddressesItem[];
  /**
   * When phase, nodeRef or error last changed. Health checks count from it.
   */
  lastUpdated?: string;
  lastOperation?: MachineObjectStatusLastOperation;
  /**
   * Why the Machine is Failed, as one word: InvalidConfiguration, UnsupportedChange, InsufficientResources, CreateError, UpdateError, DeleteError, JoinClusterTimeoutError or IPAddressInvalid. It stays when the Machine is deleted. Absent: it is not Failed, nor was then.
   */
  errorReason?: string;
  /**
   * Why the Machine is Failed, as a sentence. Absent as errorReason is.
   */
  errorMessage?: string;
  /**
   * The same as errorReason, under the name that Cluster API gives it, while the phase is Failed.
   */
  failureReason?: string;
  /**
   * The same as errorMessage, under the name that Cluster API gives it. cluster-autoscaler takes a Machine that has one for failed: it is there exactly while the phase is Failed.
   */
  failureMessage?: string;
  /**
   * What is known of the machine, one entry for each type. Every writer keeps its own types by server-side apply; those of others survive.
   */
  conditions?: MachineObjectStatusConditionsItem[];
  /**
   * metadata.generation of the spec this status answers to.
   */
  observedGeneration?: number;
  providerStatus?: MachineObjectStatusProviderStatus;
}
/**
 * What the machine waits for: the answer to "why is it not done yet". Absent when it waits for nothing but a change.
 */
export interface MachineObjectStatusWaiting {
  /**
   * Step of its life that waits, e.g. Launch or JoinCluster.
   */
  step: string;
  /**
   * Since when it is in this step for this reason.
   */
  since: string;
  /**
   * Why, as one word in CamelCase, for programs, e.g. SecretMissing; after a failure of the cloud, the cloud's own code.
   */
  reason: string;
  /**
   * After a failure of the cloud, its class, which says what a code means that is the cloud's own. exhausted: no room, by capacity or quota. denied: credentials or permissions. throttled: called too often. invalid: something in the spec, or that it names. soon: anything that may pass by itself.
   */
  retryClass?: 'exhausted' | 'denied' | 'throttled' | 'invalid' | 'soon';
  /**
   * What it waits for and what came back last, as a sentence, for people.
   */
  message: string;
  /**
   * When it tries or looks again. Absent when only a change of something else takes it further.
   */
  nextTry?: string;
}
/**
 * How far the deletion has come. Absent while none of these points was reached.
 */
export interface MachineObjectStatusDeletion {
  /**
   * Since when it waits, or when it began to wait, for preDrain hooks.
   */
  preDrainHookStartTime?: string;
  /**
   * When the drain of the Node began. From then on the Machine fills no place of its MachineSet, unless spec.replaceAfter of that says otherwise.
   */
  drainStartTime?: string;
  /**
   * When the wait for volumes to be detached began.
   */
  volumeDetachStartTime?: string;
  /**
   * When drain and volumes were done with. There is no second drain after that.
   */
  preTerminateHookStartTime?: string;
}
/**
 * The Node that runs on the instance. Absent until it joined.
 */
export interface MachineObjectStatusNodeRef {
  /**
   * Always v1.
   */
  apiVersion?: string;
  /**
   * Always Node.
   */
  kind?: string;
  /**
   * Name of the Node.
   */
  name?: string;
  /**
   * uid of the Node; one that is registered anew under the same name has another.
   */
  uid?: string;
  /**
   * Always empty; a Node has none.
   */
  namespace?: string;
  /**
   * Not written; accepted as in any object reference.
   */
  resourceVersion?: string;
  /**
   * Not written; accepted as in any object reference.
   */
  fieldPath?: string;
}
/**
 * One address.
 */
export interface MachineObjectStatusAddressesItem {
  /**
   * InternalIP, ExternalIP, InternalDNS, ExternalDNS or Hostname.
   */
  type: string;
  /**
   * The IP address or DNS name.
   */
  address: string;
}
/**
 * The last thing that was done to the instance.
 */
export interface MachineObjectStatusLastOperation {
  /**
   * Create, Update or Delete.
   */
  type?: string;
  /**
   * Processing, Successful or Failed.
   */
  state?: string;
  /**
   * What was done and what came of it, as a sentence.
   */
  description?: string;
  /**
   * When the state was reached.
   */
  lastUpdated?: string;
}
/**
 * One thing that is known.
 */
export interface MachineObjectStatusConditionsItem {
  /**
   * What it is about, in CamelCase, e.g. InstanceExists.
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
/**
 * What is known of the instance; beside these, whatever else its provider has to tell.
 */
export interface MachineObjectStatusProviderStatus {
  /**
   * The cloud's id of the instance, e.g. i-0abc.
   */
  instanceId?: string;
  /**
   * The instance's state as the cloud reported it last, e.g. pending, running or terminated.
   */
  instanceState?: string;
  /**
   * True where no instance can belong to the Machine that this status does not tell of: nobody had acted on the Machine before Millwright did, or its cloud was asked. A status with a phase and without it is another controller's. Do not edit it.
   */
  pastKnown?: boolean;
  /**
   * The cloud's account that the instance is in, where the cloud tells. What is looked for with credentials of another account counts as not looked for. Do not edit it.
   */
  account?: string;
  /**
   * True where the machine is one of a control plane, by its label machine.openshift.io/cluster-api-machine-role or by its Node's role, when its Node was last seen. Such machines are drained and terminated one at a time, while enough of the others are Ready. Do not edit it.
   */
  controlPlane?: boolean;
  reboot?: MachineObjectStatusProviderStatusReboot;
  /**
   * What is known of the instance, one entry for each type. Every writer keeps its own types by server-side apply; those of others survive.
   */
  conditions?: MachineObjectStatusProviderStatusConditionsItem[];
  cloud?: MachineObjectStatusProviderStatusCloud;
  launch?: MachineObjectStatusProviderStatusLaunch;
  [k: string]: unknown;
}
/**
 * The newest reboot that a health check asked for: written before the cloud is called, so that nothing is rebooted twice for one wish. Do not edit it.
 */
export interface MachineObjectStatusProviderStatusReboot {
  /**
   * Which wish it is about, as in the annotation millwright.dev/reboot.
   */
  id: string;
  /**
   * Preparing: the cloud is not called yet. Sent: it was called, or may have been; it is not called again for this wish. Refused: it refused. Unsupported: it cannot reboot. Spent: the instance was rebooted as often as it may be.
   */
  state: 'Preparing' | 'Sent' | 'Refused' | 'Unsupported' | 'Spent';
  /**
   * The boot that the Node told of before; absent where there was no Node.
   */
  bootID?: string;
  /**
   * When the cloud was called.
   */
  sentAt?: string;
  /**
   * Why it is not rebooted, as a sentence.
   */
  message?: string;
  /**
   * When the cloud was called for reboots within the last 24 hours, the oldest first.
   */
  times?: string[];
}
/**
 * One thing that is known.
 */
export interface MachineObjectStatusProviderStatusConditionsItem {
  /**
   * What it is about, in CamelCase, e.g. MachineCreation.
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
  lastTransitionTime?: string;
  /**
   * metadata.generation of the object this was said of.
   */
  observedGeneration?: number;
}
/**
 * Where the instance is and whose credentials reach it, for one that came without a launch of Millwright's: what the spec said when it was first found there. Do not edit it.
 */
export interface MachineObjectStatusProviderStatusCloud {
  /**
   * Name of the provider, e.g. aws.
   */
  provider: string;
  credentials: MachineObjectStatusProviderStatusCloudCredentials;
}
/**
 * Names of the Secret and of the region or endpoint. Holds no secret.
 */
export interface MachineObjectStatusProviderStatusCloudCredentials {
  /**
   * Namespace of the Secret. The Machine's own counts, whatever stands here.
   */
  namespace: string;
  /**
   * Name of the Secret; absent where the worker's own credentials are used.
   */
  secretName?: string;
  /**
   * Region or endpoint that the calls go to; absent for the provider's default.
   */
  region?: string;
}
/**
 * The newest attempt to launch, written before the cloud is first called for it and repeated from here by whoever takes over, so that one attempt can never become two instances. Do not edit it.
 */
export interface MachineObjectStatusProviderStatusLaunch {
  /**
   * Number of the attempt, from 1. The next one needs proof that this one made no instance.
   */
  attempt: number;
  /**
   * Idempotency token the cloud is given, made from the Machine's uid and the attempt.
   */
  token: string;
  /**
   * When the parameters were resolved and frozen.
   */
  preparedAt: string;
  /**
   * What kept launches unique when the attempt was prepared. token: the cloud honours the token, and a call may be repeated under it. lookup: every call is a new one to the cloud, and the attempt is called once.
   */
  idempotency: 'token' | 'lookup';
  /**
   * The cloud's account that the credentials led to, where the cloud tells. A look with credentials that lead to another one proves nothing.
   */
  account?: string;
  /**
   * How many calls of the attempt nobody waits for any more. A worker sends a call only while this is what it was when the call was asked for. Absent: 0.
   */
  callsGivenUp?: number;
  /**
   * Hash of the providerSpec the parameters were resolved from; tells whether it changed since.
   */
  specHash: string;
  /**
   * Everything that is sent to the cloud, resolved to ids; repeated as it is. Holds no secret.
   */
  parameters: {
    [k: string]: unknown;
  };
  userData?: MachineObjectStatusProviderStatusLaunchUserData;
}
/**
 * Which version of the user-data Secret the attempt goes with. Its content is not stored. Absent where there is none.
 */
export interface MachineObjectStatusProviderStatusLaunchUserData {
  /**
   * Name of the Secret, in the Machine's namespace.
   */
  name: string;
  /**
   * uid of the Secret.
   */
  uid: string;
  /**
   * resourceVersion of the Secret when the attempt was prepared.
   */
  resourceVersion: string;
}
