import type { KubeClient } from '../client.ts';
import { KubeError } from '../kube-error.ts';
import { CLUSTER_LABEL } from '../model/labels.ts';
import { MACHINE_CLASSES, MACHINE_SETS, MACHINES, type Resource } from '../resources.ts';

/** An object that nothing but one policy refuses. */
interface Probe {
  readonly resource: Resource;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The object without its metadata. */
  readonly object: object;
  /** Part of what the policy says to it. */
  readonly refusal: string;
}

/** Where the probes are created, as dry runs: it is in every cluster. */
const NAMESPACE = 'default';
const LABELS = { [CLUSTER_LABEL]: 'probe' };
const PROVIDER_SPEC = { value: { kind: 'Probe' } };
const SELECTOR = { matchLabels: { probe: 'probe' } };

/** By the policy's name. A policy that looks at changes, or at who makes them, has none: a creation does not show it. */
const PROBES: Readonly<Record<string, Probe>> = {
  'machine-cluster-label.millwright.dev': {
    resource: MACHINES,
    object: { spec: { providerSpec: PROVIDER_SPEC } },
    refusal: 'the label is missing',
  },
  'machineset-cluster-label.millwright.dev': {
    resource: MACHINE_SETS,
    object: {
      spec: {
        selector: SELECTOR,
        template: { metadata: { labels: SELECTOR.matchLabels }, spec: { providerSpec: PROVIDER_SPEC } },
      },
    },
    refusal: 'the template has no cluster label',
  },
  'machineset-autoscaler-sizes.millwright.dev': {
    resource: MACHINE_SETS,
    annotations: { 'machine.openshift.io/cluster-api-autoscaler-node-group-min-size': 'probe' },
    object: {
      spec: {
        selector: SELECTOR,
        template: {
          metadata: { labels: { ...SELECTOR.matchLabels, ...LABELS } },
          spec: { providerSpec: PROVIDER_SPEC },
        },
      },
    },
    refusal: "min-size is 'probe'",
  },
  'machineclass-secret-namespace.millwright.dev': {
    resource: MACHINE_CLASSES,
    object: { provider: 'probe', providerSpec: {}, secretRef: { name: 'probe', namespace: 'kube-system' } },
    refusal: "secretRef.namespace is 'kube-system'",
  },
};

export type ProbeAnswer =
  | { readonly refused: true }
  /** `why` it is not known that the policy is in force, as a clause; `mayChange`: another try may tell. */
  | { readonly refused: false; readonly why: string; readonly mayChange: boolean };

/** Asks the API server, as a dry run, to take an object that the policy must refuse. */
export async function probePolicy(kube: KubeClient, name: string): Promise<ProbeAnswer> {
  const unknown = (why: string, mayChange = true): ProbeAnswer => ({ refused: false, why, mayChange });
  const probe = PROBES[name];
  if (probe === undefined) return unknown('creating an object does not show whether it is in force', false);
  const { resource, annotations = {}, object, refusal } = probe;
  const { apiVersion, kind } = resource;
  const metadata = { generateName: 'millwright-probe-', annotations };
  try {
    await kube.create(resource, NAMESPACE, { apiVersion, kind, metadata, ...object }, { dryRun: true });
    return unknown(`the API server would take a ${kind} that it must refuse`);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.message.includes(name) && error.message.includes(refusal)) return { refused: true };
    return unknown(`a dry run that it must refuse failed for another reason: ${error.message}`);
  }
}
