import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { given } from '../../../providers/given.ts';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';

/** What tells one machine of a test from the others; everything has a default that works. */
export interface MachineWish {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Beside or instead of what the simulated provider is asked by default. */
  readonly providerSpec?: Readonly<Record<string, unknown>>;
  /** Fields of the spec beside providerSpec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface MachineSetWish extends MachineWish {
  readonly replicas: number;
  /** Of its machines. */
  readonly machineAnnotations?: Readonly<Record<string, string>>;
  /** Fields of the set's spec, e.g. deletePolicy. */
  readonly set?: Readonly<Record<string, unknown>>;
}

export function machineManifest(namespace: string, name: string, wish: MachineWish = {}): object {
  return {
    apiVersion: MACHINES.apiVersion,
    kind: MACHINES.kind,
    metadata: {
      name,
      namespace,
      labels: { [CLUSTER_LABEL]: namespace, ...wish.labels },
      annotations: { ...wish.annotations },
    },
    spec: specOf(wish),
  };
}

/** A set whose selector is the label `set: <name>`. */
export function machineSetManifest(namespace: string, name: string, wish: MachineSetWish): object {
  const { replicas, labels, annotations, machineAnnotations, set } = wish;
  return {
    apiVersion: MACHINE_SETS.apiVersion,
    kind: MACHINE_SETS.kind,
    metadata: { name, namespace, annotations: { ...annotations } },
    spec: {
      replicas,
      selector: { matchLabels: { set: name } },
      template: {
        metadata: {
          labels: { [CLUSTER_LABEL]: namespace, set: name, ...labels },
          ...given({ annotations: machineAnnotations }),
        },
        spec: specOf(wish),
      },
      ...set,
    },
  };
}

/** The kind is the simulated cloud's, unless the wish says another. */
export function providerSpecOf(value: Readonly<Record<string, unknown>> = {}): object {
  return {
    value: {
      apiVersion: 'machine.millwright.dev/v1alpha1',
      kind: 'SimulatedMachineProviderConfig',
      instanceType: 'sim.small',
      ...value,
    },
  };
}

function specOf({ providerSpec, spec }: MachineWish): object {
  return { providerSpec: providerSpecOf(providerSpec), ...spec };
}
