import type { ClusterFacts } from './cluster-facts.ts';
import type { MachineClassFacts } from './machine-class-facts.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import type { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import type { Change, Wake } from './wake.ts';

/**
 * A MachineClass wakes the machines that refer to it and have no instance yet: the others go by what was frozen. On its way
 * out it is looked at by the inventory, which lets it go.
 */
export function routeMachineClass({ before, after }: Change<MachineClassFacts>, index: ObjectIndex): Wake[] {
  const facts = after ?? before;
  if (facts === undefined) return [];
  const isLeaving = after?.isLeaving === true && before?.isLeaving !== true;
  const release: Wake[] = isLeaving ? [{ target: 'machineClasses', because: 'class' }] : [];
  if (before?.fingerprint === after?.fingerprint) return release;
  const waiting = index.machines.by('class', objectKey(facts.ref)).filter((machine) => !machine.hasInstance);
  return [...waiting.map(({ ref }) => ({ target: ref, because: 'class' }) as const), ...release];
}

/**
 * A Cluster wakes its own workflow, all its machines and sets by its pause, and by anything else the machines that have no
 * instance yet.
 */
export function routeCluster({ before, after }: Change<ClusterFacts>, index: ObjectIndex): Wake[] {
  const facts = after ?? before;
  if (facts === undefined) return [];
  const itself: Wake[] = before?.fingerprint === after?.fingerprint ? [] : [{ target: facts.ref, because: 'object' }];
  const isPauseOther = (before?.isPaused ?? false) !== (after?.isPaused ?? false);
  if (!isPauseOther && before?.wanted === after?.wanted) return itself;
  const key = objectKey(facts.ref);
  const machines = index.machines.by('cluster', key).filter((machine) => isPauseOther || !machine.hasInstance);
  const sets = isPauseOther ? index.machineSets.by('cluster', key) : [];
  return [...itself, ...[...sets, ...machines].map(({ ref }) => ({ target: ref, because: 'cluster' }) as const)];
}

/** A Machine wakes the Cluster that counts it, or counts it no more, or as ready. */
export function routeCount({ before, after }: Change<MachineFacts>, index: ObjectIndex): Wake[] {
  if (countOf(before) === countOf(after)) return [];
  const keys = new Set([before?.clusterKey, after?.clusterKey]);
  return [...keys].flatMap((key) => {
    const cluster = key === undefined ? undefined : index.clusters.get(key);
    return cluster === undefined ? [] : [{ target: cluster.ref, because: 'count' } as const];
  });
}

function countOf(machine: MachineFacts | undefined): string | undefined {
  if (machine === undefined) return undefined;
  const { clusterKey = '', nodeReady, isDeleting } = machine;
  return `${nodeReady === 'True' && !isDeleting} ${clusterKey}`;
}

/** Where the last that referred to a class on its way out does so no longer, the class is let go. */
export function routeLastUse(
  { before, after }: Change<MachineFacts> | Change<MachineSetFacts>,
  index: ObjectIndex,
): Wake[] {
  const left = before?.classKey;
  if (left === undefined || after?.classKey === left) return [];
  if (index.machineClasses.get(left)?.isLeaving !== true) return [];
  const isUsed = index.machines.by('class', left).length > 0 || index.machineSets.by('class', left).length > 0;
  return isUsed ? [] : [{ target: 'machineClasses', because: 'class' }];
}
