import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { wakeChecksOf } from './health-routes.ts';
import type { IndexedMap } from './indexed-map.ts';
import type { MachineClassFacts } from './machine-class-facts.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import type { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { routeItself } from './own-facts.ts';
import type { Change, Wake } from './wake.ts';

/**
 * A MachineClass wakes its own workflow, and the machines that refer to it and have no instance yet: the others go by what was
 * frozen, but for what their Nodes are to have.
 */
export function routeMachineClass({ before, after }: Change<MachineClassFacts>, index: ObjectIndex): Wake[] {
  const facts = after ?? before;
  if (facts === undefined) return [];
  // Our finalizer arrives by our own write, but nobody else is to take it away.
  const hasLostFinalizer = before?.hasFinalizer === true && after?.hasFinalizer === false;
  const itself: Wake[] = hasLostFinalizer ? [{ target: facts.ref, because: 'object' }] : routeItself({ before, after });
  if (before?.wanted === after?.wanted) return itself;
  const isForAll = before !== undefined && after !== undefined && before.nodes !== after.nodes;
  const waiting = index.machines.by('class', objectKey(facts.ref)).filter((one) => isForAll || !one.hasInstance);
  return [...itself, ...waiting.map(({ ref }) => ({ target: ref, because: 'class' }) as const)];
}

/**
 * A Cluster wakes its own workflow, all its machines, sets and deployments, and the health checks beside it, which leave alone what it holds, by
 * its pause; and by anything else the machines that have no instance yet.
 */
export function routeCluster({ before, after }: Change<ClusterFacts>, index: ObjectIndex): Wake[] {
  const facts = after ?? before;
  if (facts === undefined) return [];
  const itself = routeItself({ before, after });
  const isPauseOther = (before?.isPaused ?? false) !== (after?.isPaused ?? false);
  if (!isPauseOther && before?.wanted === after?.wanted) return itself;
  const key = objectKey(facts.ref);
  const machines = index.machines.by('cluster', key).filter((machine) => isPauseOther || !machine.hasInstance);
  const sets = isPauseOther
    ? [...index.machineSets.by('cluster', key), ...index.machineDeployments.by('cluster', key)]
    : [];
  const held = [...sets, ...machines].map(({ ref }) => ({ target: ref, because: 'cluster' }) as const);
  return [...itself, ...held, ...(isPauseOther ? wakeChecksOf(facts.ref.namespace, index) : [])];
}

/** A Machine wakes the Cluster that counts it, or counts it no more, or as ready. */
export function routeCount({ before, after }: Change<MachineFacts>, index: ObjectIndex): Wake[] {
  return countOf(before) === countOf(after) ? [] : counting(index.clusters, [before?.clusterKey, after?.clusterKey]);
}

function countOf(machine: MachineFacts | undefined): string | undefined {
  if (machine === undefined) return undefined;
  const { clusterKey = '', nodeReady, isDeleting } = machine;
  return `${nodeReady === 'True' && !isDeleting} ${clusterKey}`;
}

/** What refers to a MachineClass wakes it when it begins to or ceases to. */
export function routeUse(
  { before, after }: Change<MachineFacts> | Change<MachineSetFacts>,
  index: ObjectIndex,
): Wake[] {
  const keys = [before?.classKey, after?.classKey];
  return keys[0] === keys[1] ? [] : counting(index.machineClasses, keys);
}

function counting(
  known: Pick<IndexedMap<{ readonly ref: ObjectRef }, never>, 'get'>,
  keys: readonly (string | undefined)[],
): Wake[] {
  return [...new Set(keys)].flatMap((key) => {
    const counter = key === undefined ? undefined : known.get(key);
    return counter === undefined ? [] : [{ target: counter.ref, because: 'count' } as const];
  });
}
