import { PAUSED_ANNOTATION } from '../paused-annotation.ts';
import type { ReasonRow } from './reason-row.ts';

/** What machines wait for, but for the codes of a cloud's failures. */
export const WAITS = {
  Paused: {
    waitsFor: 'the pause to be taken off',
    toDo: `Take off the pause (the annotation \`${PAUSED_ANNOTATION}\`, or that of whoever is named) when it may go on.`,
    isTrouble: false,
    conditions: ['Paused'],
  },
  MalformedObject: {
    waitsFor: 'the Machine object to be mended',
    toDo: 'Mend the field that is named; it goes on at once.',
    isTrouble: true,
    conditions: ['Paused'],
  },
  KubernetesRefused: {
    waitsFor: 'a permission in Kubernetes',
    toDo: 'Allow what was refused (permissions, admission webhook, quota); it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachineCreation'],
  },
  KubernetesUnavailable: {
    waitsFor: 'the API server to answer',
    toDo: 'Nothing at first: it is tried again by itself. If it lasts, check that the worker reaches the API server.',
    isTrouble: true,
    conditions: ['Drained', 'Maintenance'],
  },
  SecretMissing: {
    waitsFor: 'a missing Secret',
    toDo: 'Create the Secret, or correct its name in the spec; it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachineCreation'],
  },
  MachineClassMissing: {
    waitsFor: 'a missing MachineClass',
    toDo: 'Create the MachineClass, or correct its name in the spec; it goes on at once.',
    isTrouble: true,
    conditions: ['MachineCreation'],
  },
  MachineClassInvalid: {
    waitsFor: 'a corrected MachineClass',
    toDo: 'Correct the MachineClass; it goes on at once.',
    isTrouble: true,
    conditions: ['MachineCreation', 'Ready'],
  },
  MachineClassDeleting: {
    waitsFor: 'a MachineClass that is not being deleted',
    toDo: 'Name another MachineClass in the spec. Or delete what refers to this one, so that it goes, and create it anew.',
    isTrouble: true,
    conditions: ['MachineCreation', 'Ready'],
  },
  InvalidConfiguration: {
    waitsFor: 'a corrected configuration',
    toDo: 'Correct the field that is named; it goes on at once.',
    isTrouble: true,
    conditions: ['MachineCreation'],
    isFailure: true,
  },
  AwaitingTurn: {
    waitsFor: 'its turn to call the cloud, under the limits of the account',
    toDo: 'Nothing: its call is made when the limits of the cloud have room for it, oldest first. Where that takes too long, have the cloud raise them, and tell the worker (`--cloud-rates`).',
    isTrouble: false,
  },
  Settling: {
    waitsFor: 'the outcome of a launch that the cloud never answered',
    toDo: 'Nothing: it goes on when it is proved that the last call made no instance.',
    isTrouble: false,
  },
  LaunchOutcomeUnknown: {
    waitsFor: 'the outcome of a launch that the cloud never answered',
    toDo: 'Nothing: it goes on when the instance is found, or proved never to have been.',
    isTrouble: false,
  },
  AttachmentOutcomeUnknown: {
    waitsFor: 'the time after which a call to a load balancer that was never answered can take effect no more',
    toDo: 'Nothing: its instance is taken from behind its load balancers again then, and ends.',
    isTrouble: false,
  },
  CloudNotAnswering: {
    waitsFor: 'the cloud, which does not answer',
    toDo: 'Nothing at first: it is tried again by itself, at the time that is told. If it lasts, check the health of the cloud in this region, and that the worker reaches it.',
    isTrouble: true,
    conditions: ['InstanceExists', 'MachineCreation'],
  },
  AccountChanged: {
    waitsFor: "credentials of the account that the machine's instance is in",
    toDo: 'Put credentials of the account that is named into the Secret again, or tell whoever changed them: the instance is in that account.',
    isTrouble: true,
    conditions: ['InstanceExists', 'MachineCreation'],
  },
  NodeNotJoined: {
    waitsFor: 'its Node to join the cluster',
    toDo: "Nothing, while the instance boots. If that takes long, read the instance's console output and its kubelet's log.",
    isTrouble: false,
    givesUp: true,
    conditions: ['Maintenance'],
  },
  NodeAmbiguous: {
    waitsFor: 'its Node to be told from others',
    toDo: 'Delete the Nodes that are not of this machine, or give each Node its own providerID.',
    isTrouble: true,
    givesUp: true,
    conditions: ['Maintenance'],
  },
  NodeMissing: {
    waitsFor: 'its Node to register again',
    toDo: 'Restart the kubelet, which registers the Node again; or delete the Machine to replace it.',
    isTrouble: true,
    conditions: ['NodeReady'],
  },
  InstanceMissing: {
    waitsFor: 'proof that its instance is gone',
    toDo: 'Nothing: the next looks tell whether it is gone.',
    isTrouble: true,
    conditions: ['InstanceExists', 'NodeReady'],
  },
  InstanceOfAnother: {
    waitsFor: 'somebody to say whose its instance is',
    toDo: 'Decide whose instance it is: correct spec.providerID, or delete the Machine that should not have it.',
    isTrouble: true,
    conditions: ['InstanceExists'],
  },
  ManyInstancesMissing: {
    waitsFor: 'the cloud to show its instances again, more than half of which it does not',
    toDo: 'Check the account, the region and the permissions of the credentials. Nobody acts until the instances are seen again, or somebody says that they are gone by deleting the Machines.',
    isTrouble: true,
    conditions: ['InstanceExists'],
  },
  ErrorCheckingProvider: {
    waitsFor: 'the cloud to tell of its instance',
    retryClass: 'soon',
    isTrouble: true,
    conditions: ['InstanceExists'],
  },
  HookPresent: {
    waitsFor: 'others to remove their hooks',
    toDo: 'Nothing, while those who are named do their part: they remove their hooks from spec.lifecycleHooks. Remove one by hand only where its owner is gone for good: it may guard data.',
    isTrouble: false,
    conditions: ['Drainable', 'Terminable'],
  },
  ControlPlaneInTheWay: {
    waitsFor: 'its turn in the control plane',
    toDo: 'Nothing, where another one goes first or the Nodes that are named become Ready: it goes on by itself. A control plane that was made smaller is counted anew when its Lease is deleted. `millwright machine delete --force` does not wait, which may cost the quorum.',
    isTrouble: false,
    conditions: ['Maintenance'],
  },
  Draining: {
    waitsFor: 'the pods on its Node to leave',
    toDo: 'Nothing: they were asked to end, and do so within their grace periods.',
    isTrouble: false,
    conditions: ['Drained', 'Maintenance'],
  },
  PodsBlocked: {
    waitsFor: 'PodDisruptionBudgets to allow that its pods leave',
    toDo: 'Nothing, where other pods of the workload become Ready elsewhere: it goes on by itself. If the budget never allows a disruption, give the workload another replica, or relax the budget; have a Deployment rolled (annotation `millwright.dev/drain: surge`); or set `spec.drain.timeout` with `onTimeout: Force`.',
    isTrouble: false,
    conditions: ['Drained', 'Maintenance'],
  },
  MisconfiguredBudget: {
    waitsFor: 'its PodDisruptionBudgets to be mended, several of which select the same pod',
    toDo: 'Have only one of the budgets that are named select the pod: the Eviction API copes with no more.',
    isTrouble: true,
    conditions: ['Drained', 'Maintenance'],
  },
  EvictionRefused: {
    waitsFor: 'a rule, a webhook or a permission to allow that its pods leave',
    toDo: 'Allow what is refused (`pods/eviction`: permissions, admission webhook, policy); it goes on at the next try.',
    isTrouble: true,
    conditions: ['Drained', 'Maintenance'],
  },
  PodsNotEnding: {
    waitsFor: 'pods to end whose time for that is over',
    toDo: "Look at the pods that are named: a finalizer that nobody removes, a process that cannot be ended, a kubelet that hangs. Delete them by force only where you know that they don't run.",
    isTrouble: true,
    conditions: ['Drained', 'Maintenance'],
  },
  EvictionsSettling: {
    waitsFor: 'evictions that were sent before the drain was stopped to take effect no more',
    toDo: 'Nothing: it takes seconds.',
    isTrouble: false,
  },
  VolumesAttached: {
    waitsFor: 'volumes to be detached from its Node',
    toDo: 'Nothing: it goes on when they are detached, or at the time that is told (`spec.drain.volumeDetachTimeout`).',
    isTrouble: false,
  },
  InstanceTerminating: {
    waitsFor: 'its instance to be terminated',
    toDo: 'Nothing: the cloud is ending the instance.',
    isTrouble: false,
  },
} as const satisfies Readonly<Record<string, ReasonRow>>;
