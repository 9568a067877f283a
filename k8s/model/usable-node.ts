import type { MachineSpec, Taint } from './machine.ts';
import type { Node } from './node.ts';
import { hasTaint } from './taint.ts';

/** Why pods cannot be put on a Node yet although it is Ready. */
export interface Unusable {
  readonly reason: 'StartupTaints' | 'ResourcesMissing';
  /** A sentence that names what is there, or not. */
  readonly message: string;
}

/** Taints that say of a Node that it is still coming up, whoever put them there: by their keys, or what these begin with. */
const STARTUP_KEYS: readonly string[] = ['node.cloudprovider.kubernetes.io/uninitialized'];
const STARTUP_PREFIXES: readonly string[] = ['readiness.k8s.io/', 'startup-taint.cluster-autoscaler.kubernetes.io/'];

/** Undefined: nothing keeps pods from it but what always does. */
export function whyUnusable(
  node: Node,
  { startupTaints, machineClass }: Pick<MachineSpec, 'startupTaints' | 'machineClass'>,
): Unusable | undefined {
  const { name } = node.metadata;
  const taints = (node.spec?.taints ?? []).filter((taint) => isStartupTaint(taint) || hasTaint(startupTaints, taint));
  if (taints.length > 0) {
    const named = taints.map(({ key, effect }) => `${key}:${effect}`).join(', ');
    const message = `Node ${name} still has the taint ${named}, which goes when it can be used`;
    return { reason: 'StartupTaints', message };
  }
  const there = new Set(extendedResourcesOf(node.status?.allocatable));
  const missing = extendedResourcesOf(machineClass?.nodeTemplate?.capacity).filter((resource) => !there.has(resource));
  if (missing.length === 0) return undefined;
  const message = `Node ${name} does not offer ${missing.join(', ')} yet, which its MachineClass ${machineClass?.ref.name} names`;
  return { reason: 'ResourcesMissing', message };
}

/** @param gates conditions of a Machine that are to be True, and are not */
export function describeGates(gates: readonly string[]): string {
  return `spec.readinessGates: ${gates.join(', ')} in status.conditions is not True yet`;
}

export function isStartupTaint({ key }: Pick<Taint, 'key'>): boolean {
  return STARTUP_KEYS.includes(key) || STARTUP_PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** The resources among these that a device plugin or somebody else announces, e.g. `nvidia.com/gpu`, and of which there are any. Sorted. */
export function extendedResourcesOf(resources: Readonly<Record<string, number | string>> = {}): string[] {
  return Object.entries(resources)
    .filter(([name, amount]) => isExtended(name) && Number.parseFloat(String(amount)) > 0)
    .map(([name]) => name)
    .sort();
}

/** As Kubernetes tells them from its own. */
function isExtended(name: string): boolean {
  const [prefix = '', ...more] = name.split('/');
  return more.length === 1 && prefix !== 'kubernetes.io' && !prefix.endsWith('.kubernetes.io');
}
