import { selects } from '../../k8s/selector.ts';
import type { MachineDeploymentFacts } from './machine-deployment-facts.ts';
import type { MachineHealthCheckFacts } from './machine-health-check-facts.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import type { NodeFacts } from './node-facts.ts';
import type { ObjectIndex } from './object-index.ts';
import { routeItself } from './own-facts.ts';
import { wakeEach, type Change, type Wake } from './wake.ts';

/** A Machine wakes the checks that select it, or did, by what may make it healthy or not. */
export function routeHealth({ before, after }: Change<MachineFacts>, index: ObjectIndex): Wake[] {
  const isSame = before?.healthFingerprint === after?.healthFingerprint;
  const isTurned = (type: string): boolean => before?.conditions[type] !== after?.conditions[type];
  const checks = [before, after]
    .flatMap((machine) => (machine === undefined ? [] : checksSelecting(machine, index)))
    .filter(({ machineConditions }) => !isSame || machineConditions.some(isTurned));
  return wakeEach(
    checks.map(({ ref }) => ref),
    'health',
  );
}

/** A Node wakes the checks that select its Machine: when it comes or goes, and when one of its conditions is another. */
export function routeNodeHealth({ before, after }: Change<NodeFacts>, index: ObjectIndex): Wake[] {
  if (before?.conditions === after?.conditions && before?.ref.uid === after?.ref.uid) return [];
  const machines = [before, after].flatMap((node) => (node === undefined ? [] : index.machinesOf(node)));
  return wakeEach(
    machines.flatMap((machine) => checksSelecting(machine, index)).map(({ ref }) => ref),
    'health',
  );
}

/** A check that is gone, or cannot be read any more, wakes the others of its namespace: what it had claimed is theirs to remediate. */
export function routeHealthCheck(change: Change<MachineHealthCheckFacts>, index: ObjectIndex): Wake[] {
  const { before, after } = change;
  if (before === undefined || before.isMalformed || after?.isMalformed === false) return routeItself(change);
  const others = index.healthChecks.by('namespace', before.ref.namespace).map(({ ref }) => ref);
  return [
    ...routeItself(change),
    ...wakeEach(
      others.filter(({ uid }) => uid !== before.ref.uid),
      'health',
    ),
  ];
}

/**
 * A MachineSet, or a MachineDeployment, wakes the checks of its namespace when it asks for another number, or none, and when cluster-autoscaler may
 * have another number: a remediation may be over by that, or be ours to begin.
 */
export function routeSetHealth(
  { before, after }: Change<MachineSetFacts> | Change<MachineDeploymentFacts>,
  index: ObjectIndex,
): Wake[] {
  const facts = after ?? before;
  return facts === undefined || before?.askedFor === after?.askedFor ? [] : wakeChecksOf(facts.ref.namespace, index);
}

/** Wakes the checks of a namespace. */
export function wakeChecksOf(namespace: string, index: ObjectIndex): Wake[] {
  return wakeEach(
    index.healthChecks.by('namespace', namespace).map(({ ref }) => ref),
    'health',
  );
}

/** The cluster's own rules wake the checks that go by them. */
export function routeClusterRules(index: ObjectIndex): Wake[] {
  const checks = [...index.healthChecks.values()].filter(({ goesByClusterRules }) => goesByClusterRules);
  return wakeEach(
    checks.map(({ ref }) => ref),
    'health',
  );
}

function checksSelecting({ ref, labels }: MachineFacts, index: ObjectIndex): MachineHealthCheckFacts[] {
  return index.healthChecks.by('namespace', ref.namespace).filter(({ selector }) => selects(selector, labels));
}
