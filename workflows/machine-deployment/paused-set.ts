import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';

/** That a set of a deployment is paused, as a sentence. */
export function describePausedSet(name: string): string {
  return `MachineSet ${name} has the annotation ${PAUSED_ANNOTATION}: no machine of it is made or taken until that is removed`;
}
