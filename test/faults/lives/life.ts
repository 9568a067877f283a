import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { MACHINE_HEALTH_CHECKS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KUBELET_LABEL, KUBELET_STOPPED } from '../../../k8s/model/hollow-node.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import type { FaultCloud } from '../fault-cloud.ts';
import type { Verdict } from '../judge.ts';

/** A Machine as the fault tests see it. */
export interface SeenMachine {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp: string };
  readonly status?: {
    readonly phase?: string;
    readonly delete?: boolean;
    readonly maintenance?: boolean;
    readonly waiting?: { readonly message?: string };
    readonly nodeRef?: { readonly name: string };
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly providerStatus?: {
      readonly instanceId?: string;
      readonly instanceState?: string;
      readonly launch?: { readonly parameters: { readonly loadBalancers?: readonly unknown[] } };
    };
  };
}

/** Where a life is played. */
export interface Place {
  /** The namespace; of the cluster as well. */
  readonly name: string;
  readonly cloud: FaultCloud;
  /** The Machines, as they are now. */
  readonly look: () => Promise<readonly SeenMachine[]>;
}

/** What is asked of machines in a case, from their creation to their end. */
export interface Life {
  /** How many machines there are. */
  readonly machines: number;
  /** How many were made when it is over. @default as many */
  readonly made?: number;
  /** It mostly waits for times to go by: more of its cases may be under way. @default false */
  readonly isSlow?: true;
  /** Workers are killed no sooner than the machines run. @default false */
  readonly isKilledLate?: true;
  /** Asks for them. */
  begin(place: Place): Promise<void>;
  /** When they run: has things happen to them, and asks for their end. Answers what was wrong. */
  end(place: Place, machines: readonly SeenMachine[]): Promise<Verdict>;
}

/** Of every wait in a case. */
export const PATIENCE = { timeoutMs: 120_000, everyMs: 250 };

/** What the API server has of each machine. */
export const labelsOf = (cluster: string): Readonly<Record<string, string>> => ({
  'machine.openshift.io/cluster-api-cluster': cluster,
});

/** What each machine is made of. */
export function machineSpec({ cloud }: Pick<Place, 'cloud'>): object {
  return {
    metadata: { labels: { 'node-role.kubernetes.io/worker': '' } },
    providerSpec: { value: cloud.providerSpec },
  };
}

/** The kubelet of a Node says nothing any more, and its instance runs. */
export async function stopKubelet(node: string): Promise<void> {
  const metadata = { labels: { [KUBELET_LABEL]: KUBELET_STOPPED } };
  await getStack().kube.mergePatch(NODES, undefined, node, { metadata });
}

/** A health check of the machines in a namespace: their Nodes may be silent for so long. */
export async function createCheck(
  namespace: string,
  { timeout, ...spec }: { readonly timeout: string } & Partial<MachineHealthCheckObject['spec']>,
): Promise<void> {
  const { apiVersion, kind } = MACHINE_HEALTH_CHECKS;
  const selector = { matchLabels: labelsOf(namespace) };
  const unhealthyConditions = [{ type: 'Ready', status: 'Unknown', timeout }];
  await getStack().kube.create(MACHINE_HEALTH_CHECKS, namespace, {
    apiVersion,
    kind,
    metadata: { name: 'check' },
    spec: { selector, unhealthyConditions, ...spec },
  });
}

/** Runs, its Node is Ready, what the cloud says of the instance has been read since, and its load balancers have it. */
export function isAtRest({ status }: SeenMachine): boolean {
  const holds = (type: string) => status?.conditions?.some((c) => c.type === type && c.status === 'True') ?? false;
  const { instanceState, launch } = status?.providerStatus ?? {};
  const isBalanced = launch?.parameters.loadBalancers === undefined || holds('LoadBalancersAttached');
  return status?.phase === 'Running' && holds('NodeReady') && instanceState === 'running' && isBalanced;
}

/** A set of one machine. */
export function machineSetOfOne(place: Place): object {
  const labels = { ...labelsOf(place.name), set: 'only' };
  return {
    apiVersion: MACHINE_SETS.apiVersion,
    kind: MACHINE_SETS.kind,
    metadata: { name: 'only', namespace: place.name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { set: 'only' } },
      template: { metadata: { labels }, spec: machineSpec(place) },
    },
  };
}

/** What the Node has to be drained of: a pod for each machine, which nobody makes anew. */
export async function runPods(namespace: string, machines: readonly SeenMachine[]): Promise<void> {
  for (const { status } of machines) {
    const nodeName = status?.nodeRef?.name;
    await getStack().kube.create(PODS, namespace, {
      metadata: { name: `on-${nodeName}` },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'none' }],
      },
    });
  }
}

/** The name of the one Machine of a life that has no set. */
export const ONLY = 'only';

/** Makes it. */
export async function createOnly(place: Place): Promise<void> {
  await getStack().kube.create(MACHINES, place.name, {
    apiVersion: MACHINES.apiVersion,
    kind: MACHINES.kind,
    metadata: { name: ONLY, namespace: place.name, labels: labelsOf(place.name) },
    spec: machineSpec(place),
  });
}
