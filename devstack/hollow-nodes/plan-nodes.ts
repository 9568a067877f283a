import { INSTANCE_LABEL, KUBELET_LABEL, KUBELET_RUNNING } from './labels.ts';

/** What a cloud tells of an instance, as far as its kubelet is concerned. */
export interface HollowInstance {
  readonly id: string;
  readonly providerID: string;
  readonly state: string;
  readonly region: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  /** False: its kubelet never registers. @default true */
  readonly joins?: boolean;
}

/** A Node as far as we care: whose it is, and whether KWOK beats for it. */
export interface HollowNode {
  readonly name: string;
  readonly instanceId: string;
  readonly beats: boolean;
}

export interface NodePlan {
  /** Instances whose Node is to be made. */
  readonly register: readonly HollowInstance[];
  /** Names of Nodes whose kubelet came back. */
  readonly wake: readonly string[];
  /** Names of Nodes whose instance no longer runs. They are kept, and turn NotReady. */
  readonly silence: readonly string[];
}

/**
 * What kubelets would do now.
 * @param runningSince when each instance was first seen running, in milliseconds since 1970
 */
export function planNodes(
  instances: readonly HollowInstance[],
  nodes: readonly HollowNode[],
  runningSince: ReadonlyMap<string, number>,
  now: number,
  joinDelayMs: number,
): NodePlan {
  const running = new Map(instances.filter(hasKubelet).map((instance) => [instance.id, instance]));
  const registered = new Set(nodes.map(({ instanceId }) => instanceId));
  return {
    register: [...running.values()].filter(
      ({ id }) => !registered.has(id) && now - (runningSince.get(id) ?? now) >= joinDelayMs,
    ),
    wake: nodes.filter(({ instanceId, beats }) => !beats && running.has(instanceId)).map(({ name }) => name),
    silence: nodes.filter(({ instanceId, beats }) => beats && !running.has(instanceId)).map(({ name }) => name),
  };
}

/** True where the instance runs and its kubelet is one that registers. */
export function hasKubelet({ state, joins }: HollowInstance): boolean {
  return state === 'running' && joins !== false;
}

/** The Node that an instance's kubelet registers. KWOK fills in the conditions. */
export function nodeOf(instance: HollowInstance) {
  const name = nodeName(instance);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [KUBELET_LABEL]: KUBELET_RUNNING,
        [INSTANCE_LABEL]: instance.id,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': instance.instanceType,
        'topology.kubernetes.io/region': instance.region,
        'topology.kubernetes.io/zone': instance.zone,
      },
    },
    spec: { providerID: instance.providerID },
    status: { addresses: instance.addresses, capacity: CAPACITY, allocatable: CAPACITY },
  };
}

const CAPACITY = { cpu: '4', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/** As with a cloud's integration: the private DNS name, else the id. */
function nodeName({ id, addresses }: HollowInstance): string {
  return addresses.find(({ type }) => type === 'InternalDNS')?.address ?? id;
}
