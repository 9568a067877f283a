interface ConditionRow {
  /** Kinds of the objects that have it. */
  readonly of: readonly string[];
  /** What it says, and of which status. */
  readonly says: string;
}

/** Every type of condition that Millwright writes. */
export const CONDITIONS = {
  InstanceExists: { of: ['Machine'], says: 'whether the cloud shows the instance; Unknown while that is in doubt' },
  MachineCreation: { of: ['Machine'], says: "how the launch went; False with the cloud's code and words" },
  NodeReady: { of: ['Machine'], says: 'whether its Node is Ready, since when' },
  InstancesUnique: {
    of: ['Machine'],
    says: 'False while the cloud shows more than one living instance of the machine; all are named',
  },
  LoadBalancersAttached: {
    of: ['Machine'],
    says: "whether the instance is behind its load balancers; False with the cloud's code and words. The machine stays Running, and it is tried again",
  },
  UpToDate: {
    of: ['Machine'],
    says: "False: providerSpec, its MachineClass or its Cluster's defaults were changed after the launch, which changes nothing",
  },
  Drainable: { of: ['Machine'], says: 'False while a `preDrain` hook holds the deletion; else it is not there' },
  Terminable: { of: ['Machine'], says: 'False while a `preTerminate` hook holds the deletion; else it is not there' },
  Paused: {
    of: ['Machine', 'MachineSet', 'Cluster'],
    says: "True while the annotation `cluster.x-k8s.io/paused` is set, on it or on its Cluster, or the Cluster's `spec.paused`: nothing is done",
  },
  MachinesCreated: {
    of: ['MachineSet'],
    says: 'False while a Machine cannot be created; also in `status.errorReason` and `errorMessage`. It is there always',
  },
  MachinesDeleted: {
    of: ['MachineSet'],
    says: 'False while Machines that are too many cannot be deleted. No others go in their stead',
  },
  MachinesAdopted: {
    of: ['MachineSet'],
    says: 'False while Machines that the selector matches cannot be adopted. They fill places, and are never deleted by the set',
  },
  MachinesReleased: {
    of: ['MachineSet'],
    says: 'False while Machines that the selector no longer matches cannot be let go of. They fill no places',
  },
  SelectorConflict: {
    of: ['MachineSet'],
    says: 'True where the selector matches a Machine that another controller has',
  },
  Ready: {
    of: ['MachineClass'],
    says: 'whether machines can be launched from it, as far as it shows before a launch; False names what is wrong',
  },
  InUse: { of: ['MachineClass'], says: 'True while it is being deleted and something refers to it' },
} as const satisfies Readonly<Record<string, ConditionRow>>;

export type ConditionType = keyof typeof CONDITIONS;

/** The types of conditions that are ours to write on objects of a kind; others' on the same object are left alone. */
export function conditionTypesOf(kind: (typeof CONDITIONS)[ConditionType]['of'][number]): ReadonlySet<string> {
  const rows: readonly (readonly [string, ConditionRow])[] = Object.entries(CONDITIONS);
  return new Set(rows.filter(([, { of }]) => of.includes(kind)).map(([type]) => type));
}
