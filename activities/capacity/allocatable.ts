/**
 * What is left of a Node for pods. cluster-autoscaler takes what it is told for that, and makes Nodes without end for a pod that fits what it was
 * told and not the Node: so less is better than more. The share that OpenShift, GKE and AKS keep for the system, and 100 MiB below which
 * kubelets evict.
 */
const CPU_KEPT: readonly Share[] = [
  { upTo: 1, share: 0.06 },
  { upTo: 2, share: 0.01 },
  { upTo: 4, share: 0.005 },
  { upTo: Infinity, share: 0.0025 },
];
const MEMORY_KEPT: readonly Share[] = [
  { upTo: 4 * 1024, share: 0.25 },
  { upTo: 8 * 1024, share: 0.2 },
  { upTo: 16 * 1024, share: 0.1 },
  { upTo: 128 * 1024, share: 0.06 },
  { upTo: Infinity, share: 0.02 },
];
const EVICTION_MIB = 100;

interface Share {
  readonly upTo: number;
  readonly share: number;
}

/** In thousandths of a core. */
export function allocatableMillicores(cpus: number): number {
  return Math.floor((cpus - keptOf(cpus, CPU_KEPT)) * 1000);
}

export function allocatableMib(memoryMib: number): number {
  return Math.max(0, Math.floor(memoryMib - keptOf(memoryMib, MEMORY_KEPT) - EVICTION_MIB));
}

/** Each part of the whole by its own share. */
function keptOf(whole: number, shares: readonly Share[]): number {
  let from = 0;
  let kept = 0;
  for (const { upTo, share } of shares) {
    kept += Math.max(0, Math.min(whole, upTo) - from) * share;
    from = upTo;
  }
  return kept;
}
