import type { ReasonRow } from './reason-row.ts';

/** There is no trouble. */
export const NOTHING = 'Nothing.';

/** What conditions, failures, events and `millwright tree` tell that nothing waits for. */
export const FINDINGS = {
  InstanceNotCreated: {
    means: 'There is no instance yet.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['InstanceExists'],
  },
  InstanceExists: {
    means: 'The cloud shows the instance.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['InstanceExists'],
  },
  InstanceTakenBack: {
    means:
      'The cloud took the instance back: a spot instance, or one that it had no room for after it had accepted the launch.',
    toDo: 'Delete the Machine: its MachineSet, if it has one, makes another.',
    isTrouble: true,
    conditions: ['InstanceExists', 'NodeReady'],
  },
  MachineCreationSucceeded: {
    means: 'The launch made an instance, or one was found.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['MachineCreation'],
  },
  NodeReady: { means: 'The Node is Ready.', toDo: NOTHING, isTrouble: false, conditions: ['NodeReady'] },
  NodeNotReady: {
    means: "The Node is not Ready; its kubelet's words are told.",
    toDo: "Look at the Node (`kubectl describe node`) and its kubelet's log; or delete the Machine to replace it.",
    isTrouble: true,
    conditions: ['NodeReady'],
  },
  OutOfTurn: {
    means: 'A machine of a control plane goes although it may not be its turn, as somebody asked for.',
    toDo: 'Nothing. See that enough of the other control-plane Nodes are Ready.',
    isTrouble: true,
    conditions: [],
    isEvent: true,
  },
  MultipleInstances: {
    means: 'The cloud shows more than one living instance of the machine.',
    toDo: 'Nothing for instances that are ended. Find out whose one is that is left alone: end it by hand, or take its tag `millwright/machine-uid` off.',
    isTrouble: true,
    conditions: ['InstancesUnique'],
    isEvent: true,
  },
  Attached: {
    means: 'The instance is behind its load balancers.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['LoadBalancersAttached'],
  },
  UnsupportedChange: {
    means: 'What the machine was launched from changed after the launch; a running instance is left as it is.',
    toDo: 'Nothing has to be done. To get the new spec, delete the Machine and make another.',
    isTrouble: true,
    conditions: ['UpToDate'],
    isFailure: true,
    isEvent: true,
  },
  MachinesCreated: {
    means: 'No Machine was refused.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['MachinesCreated'],
  },
  FailedCreate: {
    means: 'What was to be created was refused: a Machine to its set, an instance to a Machine.',
    toDo: 'Allow what was refused (quota, policy, webhook; of an instance see what the Machine waits for); it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachinesCreated', 'ReplicaFailure'],
    isEvent: true,
  },
  FailedDelete: {
    means: 'What was to be deleted was refused: a Machine to its set, an instance to a Machine.',
    toDo: 'Allow what was refused (permission, webhook; of an instance see what the Machine waits for); it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachinesDeleted', 'ReplicaFailure'],
    isEvent: true,
  },
  FailedAdopt: {
    means: 'Machines that the selector matches could not be adopted.',
    toDo: 'Allow what was refused (permission, webhook); it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachinesAdopted'],
    isEvent: true,
  },
  FailedSettings: {
    means: 'Settings of the template could not be written to Machines that are there.',
    toDo: 'Allow what was refused (permission, webhook); it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachinesUpdated', 'ReplicaFailure'],
    isEvent: true,
  },
  FailedRelease: {
    means: 'Machines that the selector no longer matches could not be let go of.',
    toDo: 'Allow what was refused (permission, webhook); it goes on at the next try.',
    isTrouble: true,
    conditions: ['MachinesReleased'],
    isEvent: true,
  },
  SelectorOverlap: {
    means: 'The selector matches a Machine that another controller has.',
    toDo: 'Correct one of the selectors.',
    isTrouble: true,
    conditions: ['SelectorConflict'],
    isEvent: true,
  },
  Usable: {
    means: 'Machines can be launched from the MachineClass, as far as it shows before a launch.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Ready'],
  },
  Referenced: {
    means: 'A MachineClass that is being deleted stays, because something refers to it.',
    toDo: 'Delete what is named, or have it name another MachineClass; then the class goes.',
    isTrouble: false,
    conditions: ['InUse'],
  },

  MinimumReplicasAvailable: {
    means: 'As many machines are available as have to be.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Available'],
  },
  MinimumReplicasUnavailable: {
    means:
      'Fewer machines are available than `replicas` less `maxUnavailable`: the rollout takes none that is available.',
    toDo: 'Nothing where machines come up or are being replaced. Else look at those that are not Ready: `millwright tree` shows each with its reason.',
    isTrouble: true,
    conditions: ['Available'],
  },
  ReplicaSetUpdated: {
    means:
      'Machines of an earlier template are being replaced, or some are still to come. The word is that of Kubernetes; the set is a MachineSet.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Progressing'],
  },
  NewReplicaSetAvailable: {
    means: 'All machines are of the template as it is now. The word is that of Kubernetes; the set is a MachineSet.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Progressing'],
  },
  WaitingForCapacity: {
    means: 'The cloud has no room for a new machine, or no time; the rollout goes on when it has. That is no failure.',
    toDo: 'Nothing at first. If it lasts, see what the machine waits for: raise the quota, or have the template ask for another zone or type.',
    isTrouble: true,
    conditions: ['Progressing'],
  },
  ProgressDeadlineExceeded: {
    means:
      'A new machine is not available within `progressDeadlineSeconds` of its launch. The rollout is paused, goes back or goes on, as `onFailure` says.',
    toDo: 'Look at the machine that is named: its user-data, its network, its kubelet. Then `millwright rollout undo`, mend the template, or `millwright rollout resume` to go on in spite of it.',
    isTrouble: true,
    conditions: ['Progressing'],
    isEvent: true,
  },
  NewMachinesFailed: {
    means: 'New machines failed for good. The rollout is paused, goes back or goes on, as `onFailure` says.',
    toDo: 'Look at the machine that is named. Then `millwright rollout undo`, mend the template, or `millwright rollout resume` to go on in spite of it.',
    isTrouble: true,
    conditions: ['Progressing'],
    isEvent: true,
  },
  RolloutStopped: troubleEvent(
    'A rollout was paused before it took more old machines, as new ones failed or were too late; or before it replaces machines of a MachineSet that it adopts.',
    'See the event, and the condition Progressing of the MachineDeployment.',
  ),
  RolledBack: troubleEvent(
    'A rollout goes back to the last template of which all machines were available, as new ones failed or were too late.',
    'See the condition Progressing of the MachineDeployment, which says which machine and why; mend the template and apply it again.',
  ),
  DeploymentPaused: {
    means: '`spec.paused` of the MachineDeployment is true: no machine is made or taken for another template.',
    toDo: 'Set `spec.paused` to false when it may go on. Where a MachineSet with another template was adopted, that is how you say that its machines may be replaced.',
    isTrouble: false,
    conditions: ['Progressing', 'Paused'],
  },
  PausedToAdopt: {
    means:
      'A MachineDeployment has paused its rollout before it adopted a MachineSet, whose machines it would replace: they have another template, or another set has the same one.',
    toDo: 'Set `spec.paused` to false to say that these machines may be replaced. `millwright rollout plan` says which.',
    isTrouble: false,
    conditions: ['Paused'],
  },
  ReplaceNotAllowed: {
    means:
      'The template changed in what machines have to be replaced for, and `strategy.replace` is Never: nothing is made or taken for it.',
    toDo: 'Change the template back, or set `strategy.replace` to Allowed. `millwright rollout plan` says which machines it would replace.',
    isTrouble: true,
    conditions: ['Progressing'],
  },
  PreflightPending: {
    means:
      'The cloud is asked, before anything is made or taken, whether it would launch a machine of the new template.',
    toDo: 'Nothing: it is asked until it answers.',
    isTrouble: false,
    conditions: ['Progressing'],
  },
  PreflightFailed: {
    means:
      'The cloud would not launch a machine of the new template. No machine was made or taken; it is asked again after 5 minutes, and when the spec changes.',
    toDo: 'Mend what is named: in the template, in the MachineClass, or in the cloud.',
    isTrouble: true,
    conditions: ['Progressing'],
    isEvent: true,
  },
  BudgetsBlockDrains: troubleEvent(
    'PodDisruptionBudgets allow no eviction now from Nodes that a rollout is about to drain.',
    'Have the named workloads run with one replica more than their budgets need, or relax the budgets; the drains wait for them.',
  ),
  StepPaused: {
    means: 'A rollout stands still for a pause that is one of its `rollingUpdate.steps`.',
    toDo: 'Nothing where it has an end; else `millwright rollout resume` when the new machines are as they should be.',
    isTrouble: false,
    conditions: ['Progressing'],
  },
  WaitingForApproval: {
    means: 'A rollout stands still until somebody approves a step of its `rollingUpdate.steps`.',
    toDo: 'Look at the new machines, and `millwright rollout approve` the step; or `millwright rollout undo`.',
    isTrouble: false,
    conditions: ['Progressing'],
  },
  RolloutStep: event('A rollout by `rollingUpdate.steps` began, or passed a step.'),
  ScalingMachineSet: event('A MachineDeployment wants another number of machines of one of its MachineSets.'),
  ReplicasChanged: event(
    'Somebody wants another number of machines of a MachineDeployment, or of a MachineSet that has none.',
  ),

  RemediationAllowed: {
    means: 'No more machines are unhealthy than the check allows.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['RemediationAllowed'],
  },
  TooManyUnhealthy: {
    means:
      'More machines are unhealthy than `maxUnhealthy` or `unhealthyInRange` of the check allows: none is remediated.',
    toDo: 'Look for what they have in common: a network, a zone, an image, the control plane. Mend that, or raise the limit.',
    isTrouble: true,
    conditions: ['RemediationAllowed'],
  },
  TooFewUnhealthy: {
    means: 'Fewer machines are unhealthy than `unhealthyInRange` of the check begins with: none is remediated.',
    toDo: 'Nothing: the check is to act from there on.',
    isTrouble: false,
    conditions: ['RemediationAllowed'],
  },
  ManyAtOnce: {
    means:
      'More machines than `stormThreshold` turned unhealthy by the same cause within `stormWindow`: the network or the control plane (of machines that have failed the cloud, or what they are made of) is the likelier cause, and none of them is remediated.',
    toDo: 'See whether the Nodes can reach the API server; of machines that have failed, what their errors say. It goes on when fewer are unhealthy, and those that are left had time to come back; or tell it to with `millwright healthcheck proceed NAME`, where the machines are broken indeed.',
    isTrouble: true,
    conditions: ['StormSuspected'],
  },
  ZoneLost: {
    means:
      'All Nodes of a zone turned unhealthy by the same cause: the zone is lost, or its network, and none of its machines is remediated.',
    toDo: 'See what the cloud tells of the zone. It goes on when the zone is back, and what is left had time to come back; or tell it to with `millwright healthcheck proceed NAME`, where the machines are broken indeed.',
    isTrouble: true,
    conditions: ['StormSuspected'],
  },
  AtLimit: {
    means: 'As many machines are remediated as `spec.remediation.maxInFlight` allows at once; more wait for that.',
    toDo: 'Nothing: the next one comes when one is done. If none gets done, look at the machines that are named, and mend what their replacements are made of, or pause or scale down that set; `millwright healthcheck explain NAME` has what each one waits for.',
    isTrouble: false,
    conditions: ['InFlightLimit'],
  },
  RecentOutage: {
    means:
      'The API server was away a moment ago, or nobody watched whether it was: Nodes that are well may look bad until their kubelets have reported again.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['ApiServerAway'],
  },
  BrokenRules: {
    means:
      'The ConfigMap with the rules of checks that have none of their own cannot be read; the last good rules apply, or the built-in one where there were none.',
    toDo: 'Mend what the message names; that counts at once.',
    isTrouble: true,
    conditions: ['RulesValid'],
    isEvent: true,
  },

  JoinClusterTimeoutError: {
    means: 'No Node joined in time.',
    toDo: "Read the instance's console output: its user-data, its network and its kubelet keep it from joining. Then delete the Machine, which ends the instance.",
    isTrouble: true,
    isFailure: true,
  },
  UpdateError: {
    means: 'The instance is gone.',
    toDo: 'Delete the Machine: its MachineSet, if it has one, makes another.',
    isTrouble: true,
    isFailure: true,
  },
  CreateError: {
    means: 'What was to be created was refused.',
    toDo: 'Of a MachineSet: allow what was refused; it goes on. Of a Machine: delete it when it is understood.',
    isTrouble: true,
    isFailure: true,
  },
  InsufficientResources: {
    means:
      'There was no room for the instance in the cloud. Where cluster-autoscaler sizes the set it is told so by the failure, and may turn to another set; the machine is launched when there is room. Or the cloud took the instance back before its Node joined.',
    toDo: 'Where the message says that an instance is gone: delete the Machine, as none is launched for it any more. Else nothing, where cluster-autoscaler has another set to turn to; or change the template: another zone, another instance type. Of another controller: delete the Machine when it is understood.',
    isTrouble: true,
    isFailure: true,
  },
  DeleteError: foreignFailure('The instance could not be deleted.'),
  IPAddressInvalid: foreignFailure('An IP address of the instance is not valid.'),

  ProviderIDsDiffer: {
    means:
      'The Node of the machine has another `spec.providerID` than the machine, or none. The machine is well; but cluster-autoscaler compares the two, and deletes a machine whose Node it does not see after 15 minutes.',
    toDo: "Have the kubelet, or the cloud controller, give the Node its providerID (the kubelet's `--provider-id`); a Node that has a wrong one has to register again.",
    isTrouble: true,
    conditions: ['ProviderIDsEqual'],
    isEvent: true,
  },
  StaleMarkDropped: {
    means:
      'cluster-autoscaler had marked the machine for deletion and given that up. Its mark is off, so that the next decrease does not take this machine before others.',
    toDo: NOTHING,
    isTrouble: false,
    isEvent: true,
  },
  CapacityUnknown: {
    means:
      'Nobody tells how many cores and how much memory a Node of the group will have: cluster-autoscaler makes none of it while there is none.',
    toDo: 'Do what is said: allow the worker what the cloud refused, or write the annotations or the nodeTemplate that are named.',
    isTrouble: true,
    isEvent: true,
  },
  DrainSucceeded: {
    means: 'The Node was drained.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Drained', 'Maintenance', 'Rebooted'],
    isEvent: true,
  },
  DrainSkipped: {
    means:
      'The Node was not drained, or not to the end: it was asked for, the instance had ended, or another Machine claims the Node.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Drained', 'Maintenance', 'Rebooted'],
    isEvent: true,
  },
  InstanceStopped: {
    means:
      'The kubelet of the Node of a machine that is being deleted is not heard of, and its instance is stopped: it was not drained. Kubernetes was told that nothing on it runs (taint `node.kubernetes.io/out-of-service`), takes away its pods, and detaches their volumes.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Drained'],
    isEvent: true,
  },
  DrainTimedOut: {
    means: 'The time for the drain is over.',
    toDo: 'Nothing where a deletion has `onTimeout: Force`: it goes on, and the pods that are named were left. In a maintenance the Node is not empty: look at the pods that are named, which are waited for. Else see what the machine waits for.',
    isTrouble: true,
    conditions: ['Drained', 'Maintenance', 'Rebooted'],
    isEvent: true,
  },
  BootedAnew: {
    means: 'A health check had the instance rebooted: its Node tells of another boot, and is Ready.',
    toDo: 'Nothing: its health check sees whether that helped.',
    isTrouble: false,
    conditions: ['Rebooted'],
    isEvent: true,
  },
  RebootRefused: {
    means:
      'A health check wanted the instance rebooted, and the cloud refuses that for good, as where it does not run.',
    toDo: 'Nothing: the next step of the check comes.',
    isTrouble: true,
    conditions: ['Rebooted'],
    isEvent: true,
  },
  RebootUnsupported: {
    means: 'A health check wanted the instance rebooted, which its cloud cannot, or its provider does not know how to.',
    toDo: 'Nothing: the next step of the check comes. Take the step Reboot out of checks of such machines.',
    isTrouble: false,
    conditions: ['Rebooted'],
    isEvent: true,
  },
  RebootsSpent: {
    means:
      'The instance was rebooted as often within 24 hours as the step Reboot of its health check allows (`maxReboots`).',
    toDo: 'Nothing: the next step of the check comes. A machine that has to be rebooted again and again is likely to be broken.',
    isTrouble: true,
    conditions: ['Rebooted'],
    isEvent: true,
  },
  MachineFailed: {
    means: 'The machine has failed: nothing but its deletion is done to it.',
    toDo: 'Delete the Machine, for which its Node is drained.',
    isTrouble: true,
    conditions: ['Maintenance'],
  },
  PreparingDeletion: {
    means:
      '`spec.delete` is true: the machine is prepared for its end. False aborts that, as long as the Machine has no deletionTimestamp.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Deleting'],
  },
  DeletionUnderWay: {
    means: 'The Machine has a deletionTimestamp: nobody can take that back.',
    toDo: NOTHING,
    isTrouble: false,
    conditions: ['Deleting'],
  },
  AbortTooLate: {
    means: '`spec.delete` was set to false after the Machine had got its deletionTimestamp: it goes all the same.',
    toDo: 'Nothing helps; its MachineSet makes another one.',
    isTrouble: true,
    conditions: ['Deleting'],
    isEvent: true,
  },
  DeletionAborted: event('`spec.delete` is not true any more: the drain has stopped, and our cordon is off the Node.'),
  RebootWanted: event('A health check wants the instance of an unhealthy machine rebooted.'),
  RebootNotWanted: troubleEvent(
    'A health check could not say on a Machine that it is to be rebooted.',
    'Allow what was refused (permission, webhook); it goes on at the next try.',
  ),
  Rebooting: event('A health check wants the instance rebooted: the cloud is called for that, once.'),
  RebootEnded: event('A reboot is over, or not wanted any more: our cordon is off the Node.'),
  MaintenanceEnded: event('`spec.maintenance` is not true any more: our cordon is off the Node.'),
  PreDrainHooksPassedOver: troubleEvent(
    'A forced deletion did not wait for `preDrain` hooks, which are named.',
    NOTHING,
  ),
  PreTerminateHooksPassedOver: troubleEvent(
    'A forced deletion did not wait for `preTerminate` hooks, which are named.',
    NOTHING,
  ),
  InstanceAbandoned: troubleEvent(
    'A forced deletion let the Machine go although its cloud fails: the instance that is named may still run. The workflow asks for its end as soon as the cloud answers; its Node stays, cordoned, until the cloud shows that the instance is gone.',
    'Mend what keeps the cloud from answering (credentials, network); or end the instance by hand.',
  ),
  InstanceStartedAgain: event(
    'The instance was stopped, and was started again before its end was asked for: our taint is off the Node, which is drained.',
  ),
  DrainProceeds: event('The drain of the Node begins, and nothing holds it up yet.'),
  DrainBlocked: event('A `preDrain` hook holds the drain.'),
  DrainRequeued: troubleEvent('Something holds up the drain; it is tried again.', 'See what the machine waits for.'),
  PodsDeletedByForce: troubleEvent(
    'Pods that did not leave when they were asked to were deleted, whatever their budgets say: the time of the drain is nearly over, and `spec.drain.onTimeout` is Force, or somebody set the label `force-deletion`.',
    'Nothing, where that was wanted. Else give `spec.drain.timeout` more time, or take Force or the label off.',
  ),
  DeploymentRolled: event(
    'A Deployment that asks for it is rolled, so that a new pod is Ready elsewhere before one leaves that its budget keeps.',
  ),
  RollPutBack: troubleEvent(
    'Somebody put the template of a Deployment back that was rolled for a drain. It is not rolled again.',
    'Find out who or what overwrites the annotations of its template, as a tool that replaces the object does. Then restart the Deployment by hand (`kubectl rollout restart`), or move its pod.',
  ),
  VolumesStillAttached: troubleEvent(
    'Volumes were not detached in time, or could not be looked at; the deletion goes on without waiting.',
    "Look at the volumes that are named: their driver's controller detaches them.",
  ),
  Create: event('The instance was created, or found.'),
  Delete: event('The machine is being deleted; or what its deletion leaves alone.'),
  SuccessfulSetNodeRef: event("A Node is the machine's."),
  InUse: event('A MachineClass that is being deleted stays, because something refers to it.'),
  Failed: troubleEvent('The machine failed.', 'See why in `status.errorReason`.'),
  FailedUpdate: troubleEvent('A load balancer refused the instance.', 'See the condition LoadBalancersAttached.'),
  FailedValidate: troubleEvent(
    'The object is not what its schema allows, and is held.',
    'Mend the field that is named.',
  ),
  FailedHold: troubleEvent(
    'A MachineClass is used and could not be held: when it is deleted, it goes at once.',
    'Allow what was refused; it goes on at the next try.',
  ),
  FailedLetGo: troubleEvent(
    'A MachineClass that is being deleted could not be let go.',
    'Allow what was refused; it goes on at the next try.',
  ),
  FailedStatusWrite: troubleEvent(
    'The status of an object could not be written, and is behind.',
    'Allow what was refused; it goes on at the next try.',
  ),
  ProviderIDReplaced: troubleEvent(
    'The providerID named another instance than the launch made: that one is not touched.',
    "Find out whose instance it is, and end it where it is nobody's.",
  ),
  RecordRestored: troubleEvent(
    'Somebody removed what the Machine keeps of its instance; it was put back.',
    'Find out who or what writes to Machines: an older backup, an overwriting client.',
  ),
  CopiedStatus: troubleEvent('The status was copied from another Machine, and is dropped.', NOTHING),
  SuspectedOrphan: troubleEvent(
    "The Machine vanished without its finalizer's step: its instance may still run.",
    'Look whether the instance that is named still runs, and end it by hand.',
  ),
  RemediationRestricted: troubleEvent(
    'Unhealthy machines are not remediated now: too many are unhealthy, or so many at once that something else is the likelier cause.',
    "See the MachineHealthCheck's conditions, which say why and with which numbers.",
  ),
  DetectedUnhealthy: troubleEvent(
    'A machine is unhealthy, for the cause that is named.',
    'Nothing: its MachineHealthCheck remediates it; `status.unhealthyMachines` says when.',
  ),
  SkippedNoController: troubleEvent(
    'An unhealthy Machine is not deleted, as no MachineSet controls it: nobody would make another.',
    'Mend the machine, or delete the Machine and make another by hand.',
  ),
  MachineDeleted: event('A MachineHealthCheck deleted an unhealthy Machine; its MachineSet makes another.'),
  MachineDeletionFailed: troubleEvent(
    'A MachineHealthCheck could not delete an unhealthy Machine.',
    'Allow what was refused (permission, webhook); it goes on at the next try.',
  ),
  ExternalAnnotationAdded: event('An unhealthy Machine was annotated for another program, which is to remedy it.'),
  ExternalAnnotationFailed: troubleEvent(
    'An unhealthy Machine could not be annotated for another program.',
    'Allow what was refused (permission, webhook); it goes on at the next try.',
  ),
  ExternalRemediationTemplateNotFound: {
    means:
      'The template in `spec.remediationTemplate` of a MachineHealthCheck is not there, or may not be read. The word is that of the Machine API.',
    toDo: 'Create what is named, in the namespace of the check, or allow the worker to read it; it is looked for again every minute.',
    isTrouble: true,
    conditions: ['ExternalRemediationTemplateAvailable'],
  },
  ExternalRemediationRequestCreated: event(
    'Another program was asked to remediate a Machine, by an object of its kind.',
  ),
  ExternalRemediationRequestCreationFailed: {
    ...troubleEvent(
      'The object by which another program is asked to remediate a Machine could not be made.',
      'Allow what was refused (permission, webhook, an object of that name); it goes on at the next try.',
    ),
    conditions: ['ExternalRemediationRequestAvailable'],
  },
  RemediationSucceeded: event(
    'The remediation of a machine is over: it is healthy again, or its MachineSet has another that is.',
  ),
  NotAllReady: inTree(
    'Machines, MachineSets or MachineDeployments of the cluster are not ready.',
    'Look at those below it: each has its own reason.',
  ),
  MachinesNotReady: inTree(
    'A MachineSet or a MachineDeployment has as many Machines as it asks for, and some are not ready.',
    'Look at those below it: each has its own reason.',
  ),
  TooFew: inTree(
    'A MachineSet has fewer Machines than it asks for.',
    'Nothing at first: it makes them. If it lasts, its condition MachinesCreated tells what is refused.',
  ),
  TooMany: inTree(
    'A MachineSet has more Machines than it asks for.',
    'Nothing at first: it deletes them. If it lasts, its condition MachinesDeleted tells what is refused.',
  ),
} as const satisfies Readonly<Record<string, ReasonRow>>;

function event(means: string) {
  return { means, toDo: NOTHING, isTrouble: false, isEvent: true } as const;
}

function troubleEvent(means: string, toDo: string) {
  return { means, toDo, isTrouble: true, isEvent: true } as const;
}

/** It passes, or one of the objects below says what is wrong. */
function inTree(means: string, toDo: string) {
  return { means, toDo, isTrouble: false, inTree: true } as const;
}

/** Known to the Machine API, and written by other controllers. */
function foreignFailure(means: string) {
  return { means, toDo: 'Delete the Machine when it is understood.', isTrouble: true, isFailure: true } as const;
}
