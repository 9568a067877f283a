import { CAPACITY_PREFIX } from '../../k8s/model/capacity-annotations.ts';
import type { NodeTemplate } from '../../k8s/model/node-template.ts';
import type { NodeShape } from '../../providers/node-shape.ts';
import { given } from '../../providers/given.ts';
import { allocatableMib, allocatableMillicores } from './allocatable.ts';

/** Resources that cluster-autoscaler takes for GPUs. */
const GPUS = ['nvidia.com/gpu', 'amd.com/gpu', 'gpu.intel.com/i915'] as const;

/** What is known of the Nodes of a group. */
export interface NodeFacts {
  /** By the MachineClass: counts before what the provider tells. */
  readonly template?: NodeTemplate | undefined;
  /** By the provider. */
  readonly shape?: NodeShape | undefined;
  /** What its Machines' Nodes are labelled with. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What cluster-autoscaler is to be told; empty where cores or memory are not known, without which it takes nothing. */
export function capacityAnnotationsOf({ template, shape, labels }: NodeFacts): Readonly<Record<string, string>> {
  const { capacity = {} } = template ?? {};
  const cpu = capacity['cpu'] ?? (shape && `${allocatableMillicores(shape.cpus)}m`);
  const memory = capacity['memory'] ?? (shape && `${allocatableMib(shape.memoryMib)}Mi`);
  if (cpu === undefined || memory === undefined) return {};
  const gpu = gpuOf(capacity) ?? shape?.gpu;
  const disk = capacity['ephemeral-storage'] ?? (shape?.diskGib && `${shape.diskGib}Gi`);
  const told = given({
    cpu,
    memory,
    'ephemeral-disk': disk === 0 ? undefined : disk,
    maxPods: capacity['pods'],
    'gpu-type': gpu?.resource,
    'gpu-count': gpu && String(gpu.count),
    labels: textOf({ ...placeLabelsOf({ template, shape }), ...labels }),
  });
  return Object.fromEntries(Object.entries(told).map(([key, value]) => [`${CAPACITY_PREFIX}${key}`, value]));
}

function gpuOf(capacity: NodeTemplate['capacity']): NodeShape['gpu'] {
  const resource = GPUS.find((name) => Number(capacity[name]) > 0);
  return resource && { resource, count: Number(capacity[resource]) };
}

/** As cloud controllers and kubelets label Nodes: spreads and volumes go by them. */
function placeLabelsOf({ template, shape }: Pick<NodeFacts, 'template' | 'shape'>): Record<string, string> {
  return given({
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': template?.architecture ?? shape?.architecture,
    'node.kubernetes.io/instance-type': template?.instanceType ?? shape?.instanceType,
    'topology.kubernetes.io/region': template?.region ?? shape?.region,
    'topology.kubernetes.io/zone': template?.zone ?? shape?.zone,
  });
}

function textOf(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => `${key}=${value}`).join(',');
}
