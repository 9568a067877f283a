interface ConditionRow {
  /** Roles of the objects that have it. */
  readonly of: readonly string[];
  /** What it says, and of which status. */
  readonly says: string;
}

/** Every type of condition that Millwright writes. */
export const CONDITIONS = {
  InstanceExists: { of: ['machine'], says: 'whether the cloud shows the instance; Unknown while that is in doubt' },
  MachineCreation: { of: ['machine'], says: "how the launch went; False with the cloud's code and words" },
  NodeReady: { of: ['machine'], says: 'whether its Node is Ready, since when' },
  Usable: {
    of: ['machine'],
    says: 'False while something keeps the machine from being available beside a Node that is not Ready: a startup taint, a resource that is not there yet, a condition of `spec.readinessGates`. Else it is not there',
  },
  ProviderIDsEqual: {
    of: ['machine'],
    says: 'False while the Node of the machine has another `spec.providerID` than the machine, or none. Else it is not there',
  },
  InstancesUnique: {
    of: ['machine'],
    says: 'False while the cloud shows more than one living instance of the machine; all are named',
  },
  LoadBalancersAttached: {
    of: ['machine'],
    says: "whether the instance is behind its load balancers; False with the cloud's code and words. The machine stays Running, and it is tried again",
  },
  UpToDate: {
    of: ['machine'],
    says: "False: providerSpec, its MachineClass or its Cluster's defaults were changed after the launch, which changes nothing",
  },
  Drainable: { of: ['machine'], says: 'False while a `preDrain` hook holds the deletion; else it is not there' },
  Drained: {
    of: ['machine'],
    says: 'False while the Node of a machine that is being deleted is drained, with the pods that hold that up, or the hook by which it rests; True when that is done with',
  },
  Terminable: { of: ['machine'], says: 'False while a `preTerminate` hook holds the deletion; else it is not there' },
  Deleting: {
    of: ['machine'],
    says: 'True while the machine is being deleted, or prepared for that by `spec.delete`; the reason tells whether that can still be aborted, and the message names what is waited for that no other condition tells of: volumes, pods of DaemonSets, finalizers of others. Else it is not there',
  },
  Maintenance: {
    of: ['machine'],
    says: 'while `spec.maintenance` is true: False while the Node is drained, with the pods that hold that up, True when it is empty. It goes when the maintenance is over',
  },
  Rebooted: {
    of: ['machine'],
    says: 'while a health check wants the instance rebooted: False while its Node is drained for that, while the Node has not told of another boot, or where it is not rebooted; True when it was. It goes when the check has seen what came of it',
  },
  Paused: {
    of: ['machine', 'machineSet', 'machineDeployment', 'machineHealthCheck', 'cluster'],
    says: "True while the annotation `cluster.x-k8s.io/paused` is set, on it or on its Cluster, or the Cluster's `spec.paused`: nothing is done; of a MachineDeployment also while its `spec.paused` is true: its rollout stands still",
  },
  MachinesCreated: {
    of: ['machineSet'],
    says: 'False while a Machine cannot be created; also in `status.errorReason` and `errorMessage`. It is there always',
  },
  MachinesDeleted: {
    of: ['machineSet'],
    says: 'False while Machines that are too many cannot be deleted. No others go in their stead',
  },
  MachinesUpdated: {
    of: ['machineSet'],
    says: 'False while Machines cannot be given the settings of their template, or the marks of a rollout. Else it is not there',
  },
  MachinesAdopted: {
    of: ['machineSet'],
    says: 'False while Machines that the selector matches cannot be adopted. They fill places, and are never deleted by the set',
  },
  MachinesReleased: {
    of: ['machineSet'],
    says: 'False while Machines that the selector no longer matches cannot be let go of. They fill no places',
  },
  SelectorConflict: {
    of: ['machineSet'],
    says: 'True where the selector matches a Machine that another controller has',
  },
  Available: {
    of: ['machineDeployment'],
    says: 'whether as many machines are available as `maxUnavailable` asks for. It is there always',
  },
  Progressing: {
    of: ['machineDeployment'],
    says: 'how far the rollout is, with numbers; Unknown while it is paused. It is there always',
  },
  ReplicaFailure: {
    of: ['machineDeployment'],
    says: 'True while something of its MachineSets or their Machines is refused. Else it is not there',
  },
  RemediationAllowed: {
    of: ['machineHealthCheck'],
    says: 'False while more machines are unhealthy than `maxUnhealthy` or `unhealthyInRange` allows: none is remediated. It is there always',
  },
  StormSuspected: {
    of: ['machineHealthCheck'],
    says: 'True while so many machines turned unhealthy at once, by the same cause, that the network or the control plane is the likelier cause: none of them is remediated. Else it is not there',
  },
  InFlightLimit: {
    of: ['machineHealthCheck'],
    says: 'True while as many machines are remediated as may be at once, and more wait for that. Else it is not there',
  },
  ApiServerAway: {
    of: ['machineHealthCheck'],
    says: 'True while nothing is remediated because the API server was away a moment ago, or no watcher was there to see it, so that Nodes may look bad that are well. Else it is not there',
  },
  RulesValid: {
    of: ['machineHealthCheck'],
    says: "False while the cluster's own rules, the ConfigMap `node-unhealthy-conditions`, cannot be read: the last good ones apply, or the built-in one where there were none. Else it is not there",
  },
  ExternalRemediationTemplateAvailable: {
    of: ['machineHealthCheck'],
    says: 'False while the template in `spec.remediationTemplate` is not there, or cannot be read: no machine is remediated. Else it is not there',
  },
  ExternalRemediationRequestAvailable: {
    of: ['machineHealthCheck'],
    says: 'False while an object for another program could not be made of that template; it is tried again. Else it is not there',
  },
  Ready: {
    of: ['machineClass'],
    says: 'whether machines can be launched from it, as far as it shows before a launch; False names what is wrong',
  },
  InUse: { of: ['machineClass'], says: 'True while it is being deleted and something refers to it' },
} as const satisfies Readonly<Record<string, ConditionRow>>;

export type ConditionType = keyof typeof CONDITIONS;

/** What has conditions. */
export type ConditionRole = (typeof CONDITIONS)[ConditionType]['of'][number];

const ROLES = new Map<string, readonly string[]>(Object.entries(CONDITIONS).map(([type, { of }]) => [type, of]));

/** The conditions of an object: its `own` are those that its workflow writes; the `others` are left alone. */
export function splitConditions<C extends { readonly type: string }>(
  role: ConditionRole,
  conditions: readonly C[],
): { readonly own: C[]; readonly others: C[] } {
  const isOwn = ({ type }: C): boolean => ROLES.get(type)?.includes(role) === true;
  return { own: conditions.filter(isOwn), others: conditions.filter((condition) => !isOwn(condition)) };
}
