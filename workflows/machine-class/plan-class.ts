import type { FoundClass } from './machine-class-activities.ts';

/**
 * What is to be done about the finalizer of a class. It is put on (`hold`) when the first Machine refers to the class. It is taken
 * off (`release`) when the class is being deleted and neither a Machine nor the template of a MachineSet refers to it.
 */
export function planClass({ isDeleting, isHeld, machines, machineSets }: FoundClass): 'hold' | 'release' | undefined {
  if (isDeleting) return isHeld && machines.count + machineSets.count === 0 ? 'release' : undefined;
  return isHeld || machines.count === 0 ? undefined : 'hold';
}
