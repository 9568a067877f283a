/** Owner of what a person asks of a Machine by the command line. */
export const CLI_FIELD_MANAGER = 'millwright-cli';

/** Owner of what a group says to cluster-autoscaler of its Nodes. */
export const CAPACITY_FIELD_MANAGER = 'millwright-capacity';

/** Owner of the note on a Machine why it is deleted. */
export const CAUSE_FIELD_MANAGER = 'millwright-cause';

/** Owner of the note on a Machine that it claims an instance. */
export const CLAIM_FIELD_MANAGER = 'millwright-claim';

/** Owner of what a MachineDeployment writes: its MachineSets as far as it makes and changes them, and its own status. */
export const DEPLOYMENT_FIELD_MANAGER = 'millwright-machine-deployment';

/** Owner of what a drain writes to a Node. */
export const DRAIN_FIELD_MANAGER = 'millwright-drain';

/** Owner of the status of a health check. */
export const HEALTH_FIELD_MANAGER = 'millwright-machine-health-check';

/** Owner of what a health check writes to a Machine that it remediates. */
export const REMEDIATION_FIELD_MANAGER = 'millwright-remediation';

/** Owner of the fields of a Machine that its workflow writes. */
export const MACHINE_FIELD_MANAGER = 'millwright-machine';

/** Owner of the finalizer and the status of a MachineClass. */
export const CLASS_FIELD_MANAGER = 'millwright-machine-class';

/** Owner of the status of a Cluster. */
export const CLUSTER_FIELD_MANAGER = 'millwright-cluster';

/** Owner of what a MachineSet writes: the Machines that it creates, and its own status. */
export const SET_FIELD_MANAGER = 'millwright-machine-set';

/** Owner of what has a Deployment rolled. */
export const SURGE_FIELD_MANAGER = 'millwright-surge';
