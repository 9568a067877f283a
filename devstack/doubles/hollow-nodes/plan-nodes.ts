import { INSTANCE_LABEL, KUBELET_LABEL, KUBELET_RUNNING } from '../../../k8s/model/hollow-node.ts';

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
  /** How often it was rebooted. @default never */
  readonly reboots?: number;
}

/** A Node as far as we care: whose it is, and whether KWOK beats for it. */
export interface HollowNode {
  readonly name: string;
  readonly instanceId: string;
  readonly beats: boolean;
  /** Somebody stopped its kubelet. */
  readonly isStopped: boolean;
  /** Which boot of its instance it tells of. */
  readonly bootID: string;
}

export interface NodePlan {
  /** Instances whose Node is to be made. */
  readonly register: readonly HollowInstance[];
  /** Names of Nodes whose kubelet came back. */
  readonly wake: readonly string[];
  /** Names of Nodes whose instance no longer runs. They are kept, and turn NotReady. */
  readonly silence: readonly string[];
  /** Nodes whose instance has booted since. A kubelet that somebody stopped runs again after that. */
  readonly boot: readonly { readonly name: string; readonly bootID: string }[];
}

/** A kubelet that ended writes nothing: that KWOK is told so can wait until most such Nodes are deleted anyway. */
const SILENCE_AFTER_MS = 5000;

/** When each instance was first seen running, and last, in milliseconds since 1970. */
export interface Sightings {
  readonly runningSince: ReadonlyMap<string, number>;
  readonly lastRunning: ReadonlyMap<string, number>;
}

/** What kubelets would do now. */
export function planNodes(
  instances: readonly HollowInstance[],
  nodes: readonly HollowNode[],
  { runningSince, lastRunning }: Sightings,
  now: number,
  joinDelayMs: number,
): NodePlan {
  const running = new Map(instances.filter(hasKubelet).map((instance) => [instance.id, instance]));
  const isSilent = (id: string) => !running.has(id) && now - (lastRunning.get(id) ?? 0) >= SILENCE_AFTER_MS;
  const registered = new Set(nodes.map(({ instanceId }) => instanceId));
  return {
    register: [...running.values()].filter(
      ({ id }) => !registered.has(id) && now - (runningSince.get(id) ?? now) >= joinDelayMs,
    ),
    wake: nodes
      .filter(({ instanceId, beats, isStopped }) => !beats && !isStopped && running.has(instanceId))
      .map(({ name }) => name),
    silence: nodes.filter(({ instanceId, beats }) => beats && isSilent(instanceId)).map(({ name }) => name),
    boot: nodes.flatMap(({ name, instanceId, bootID: told }) => {
      const instance = running.get(instanceId);
      const bootID = instance && bootIDOf(instance);
      return bootID === undefined || bootID === told ? [] : [{ name, bootID }];
    }),
  };
}

/** True where the instance runs and its kubelet is one that registers. */
export function hasKubelet({ state, joins }: HollowInstance): boolean {
  return state === 'running' && joins !== false;
}

/** Another one after each boot. */
export function bootIDOf({ id, reboots = 0 }: HollowInstance): string {
  return `${id}-boot-${reboots}`;
}

/**
 * The Node that an instance's kubelet registers once it is Ready. KWOK beats for it from there.
 * @param name @default as with a cloud's integration: the private DNS name, else the id
 */
export function nodeOf(instance: HollowInstance, now: Date, name: string = nodeName(instance)) {
  const since = now.toISOString();
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
        // Kubelets set these too; the controller manager adds what is missing.
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': instance.instanceType,
        'topology.kubernetes.io/region': instance.region,
        'topology.kubernetes.io/zone': instance.zone,
      },
    },
    spec: { providerID: instance.providerID },
    status: {
      phase: 'Running',
      addresses: instance.addresses,
      nodeInfo: nodeInfoOf(bootIDOf(instance)),
      capacity: CAPACITY,
      allocatable: CAPACITY,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          lastHeartbeatTime: since,
          lastTransitionTime: since,
        },
      ],
    },
  };
}

/** The API server wants all of it. */
function nodeInfoOf(bootID: string) {
  const none = '';
  return {
    bootID,
    machineID: none,
    systemUUID: none,
    kernelVersion: none,
    osImage: none,
    containerRuntimeVersion: none,
    kubeletVersion: 'hollow',
    kubeProxyVersion: none,
    operatingSystem: 'linux',
    architecture: 'amd64',
  };
}

const CAPACITY = { cpu: '4', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' };

function nodeName({ id, addresses }: HollowInstance): string {
  return addresses.find(({ type }) => type === 'InternalDNS')?.address ?? id;
}
