import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { selects } from '../../k8s/selector.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import type { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { wakeEach, type Change, type Wake } from './wake.ts';

/** A MachineSet wakes its deployment, by all that is written of it; one without a controller those that may adopt it. */
export function routeSetOfDeployment({ before, after }: Change<MachineSetFacts>, index: ObjectIndex): Wake[] {
  if (before?.ownerFingerprint === after?.ownerFingerprint) return [];
  return wakeEach(
    [before, after].flatMap((set) => {
      if (set === undefined) return [];
      if (set.deployment !== undefined) return [set.deployment];
      return set.isOrphan ? selecting(index, set.ref.namespace, set.templateLabels) : [];
    }),
    'rollout',
  );
}

/**
 * A Machine wakes the deployments that select it, and that of its set: when it comes, is launched, begins to go and is gone, when its Node is Ready or not any
 * more, and when it fails or waits for capacity.
 */
export function routeMachineOfDeployment({ before, after }: Change<MachineFacts>, index: ObjectIndex): Wake[] {
  if (before?.rolloutFingerprint === after?.rolloutFingerprint) return [];
  return wakeEach(
    [before, after].flatMap((machine) =>
      machine === undefined
        ? []
        : [...selecting(index, machine.ref.namespace, machine.labels), ...ofItsSet(machine, index)],
    ),
    'rollout',
  );
}

/** Of a set that was adopted the machines may not have the labels that its template has by now. */
function ofItsSet({ controller }: MachineFacts, index: ObjectIndex): ObjectRef[] {
  const set = controller && index.machineSets.get(objectKey(controller));
  return set?.deployment === undefined || set.ref.uid !== controller?.uid ? [] : [set.deployment];
}

function selecting(index: ObjectIndex, namespace: string, labels: Readonly<Record<string, string>>): ObjectRef[] {
  return index.machineDeployments
    .by('namespace', namespace)
    .filter(({ selector }) => selects(selector, labels))
    .map(({ ref }) => ref);
}
