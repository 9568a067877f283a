/** Labels, annotations and the finalizer of the Machine API, as its users and cluster-autoscaler know them. */
export const CLUSTER_LABEL = 'machine.openshift.io/cluster-api-cluster';
export const MACHINE_SET_LABEL = 'machine.openshift.io/cluster-api-machineset';
/** On a MachineDeployment's set, in its selector, and on its Machines: of which template they are. */
export const TEMPLATE_HASH_LABEL = 'machine-template-hash';
/** On a MachineSet: name of its MachineDeployment. Hard-coded in cluster-autoscaler, so not of our group. */
export const DEPLOYMENT_NAME_LABEL = 'cluster.x-k8s.io/deployment-name';
/** On a MachineSet: which of its MachineDeployment's templates it has, counted from 1. Likewise. */
export const REVISION_ANNOTATION = 'machinedeployment.clusters.x-k8s.io/revision';
export const REGION_LABEL = 'machine.openshift.io/region';
export const ZONE_LABEL = 'machine.openshift.io/zone';
export const INSTANCE_TYPE_LABEL = 'machine.openshift.io/instance-type';
export const INTERRUPTIBLE_LABEL = 'machine.openshift.io/interruptible-instance';

/** What a machine is for; these values make it one of a control plane. */
export const MACHINE_ROLE_LABEL = 'machine.openshift.io/cluster-api-machine-role';
export const CONTROL_PLANE_ROLES: readonly string[] = ['master', 'control-plane'];

export const FINALIZER = 'machine.machine.openshift.io';
/** On a MachineClass that a machine was launched from: it stays while anything refers to it. */
export const MACHINE_CLASS_FINALIZER = 'machineclass.machine.openshift.io';

export const INSTANCE_STATE_ANNOTATION = 'machine.openshift.io/instance-state';
/** On a MachineSet or a MachineDeployment: cluster-autoscaler scales it between both. Whole numbers; one without the second, or with 0 there, it leaves alone. */
export const AUTOSCALER_MIN_SIZE_ANNOTATION = 'machine.openshift.io/cluster-api-autoscaler-node-group-min-size';
export const AUTOSCALER_MAX_SIZE_ANNOTATION = 'machine.openshift.io/cluster-api-autoscaler-node-group-max-size';
/** Any value: a MachineSet deletes this machine first. */
export const DELETE_MACHINE_ANNOTATION = 'machine.openshift.io/delete-machine';
/** Older name of {@link DELETE_MACHINE_ANNOTATION}, honoured. */
export const OLD_DELETE_MACHINE_ANNOTATION = 'machine.openshift.io/cluster-api-delete-machine';
/** Any value: the machine's Node is not drained. */
export const EXCLUDE_DRAIN_ANNOTATION = 'machine.openshift.io/exclude-node-draining';
/** A person wants the machine left alone by health checks: until when, RFC 3339; without a time: for as long as it stands there. */
export const SKIP_REMEDIATION_ANNOTATION = 'machine.openshift.io/skip-remediation';
/** Cluster API's name of {@link SKIP_REMEDIATION_ANNOTATION}: any value, for as long as it stands there. */
export const OTHER_SKIP_REMEDIATION_ANNOTATION = 'cluster.x-k8s.io/skip-remediation';
/** A person wants the machine remediated by its health check. The value is the reason. */
export const REMEDIATE_ANNOTATION = 'machine.openshift.io/remediate';
/** Cluster API's name of {@link REMEDIATE_ANNOTATION}. */
export const OTHER_REMEDIATE_ANNOTATION = 'cluster.x-k8s.io/remediate-machine';
/** On a MachineHealthCheck, with the value {@link EXTERNAL_BAREMETAL}: machines are marked for Metal3, which reboots them, and not deleted. */
export const REMEDIATION_STRATEGY_ANNOTATION = 'machine.openshift.io/remediation-strategy';
export const EXTERNAL_BAREMETAL = 'external-baremetal';
/** On what a health check makes of a remediation template: name, and kind with group, of that template. */
export const CLONED_FROM_NAME_ANNOTATION = 'machine.openshift.io/cloned-from-name';
export const CLONED_FROM_KIND_ANNOTATION = 'machine.openshift.io/cloned-from-groupkind';
/** On the Node of a machine of an earlier template, while a rollout is under way. */
export const OUTDATED_TAINT = 'machine.openshift.io/outdated-revision';
/** "True", as MCM has it: the machine's drain comes to its end within a minute. */
export const FORCE_DELETION_LABEL = 'force-deletion';
/** On a Node: `<namespace>/<name>` of its machine. */
export const MACHINE_ANNOTATION = 'machine.openshift.io/machine';
