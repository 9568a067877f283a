import type { FoundClass } from './machine-class-activities.ts';

/**
 * What is to be done about the finalizer of a class: one that a Machine refers to is held, and one that is being deleted is let
 * go when nothing refers to it any more. The template of a MachineSet alone does not hold one, but keeps it.
 */
export function planClass({ isDeleting, isHeld, machines, machineSets }: FoundClass): 'hold' | 'release' | undefined {
  if (isDeleting) return isHeld && machines.count + machineSets.count === 0 ? 'release' : undefined;
  return isHeld || machines.count === 0 ? undefined : 'hold';
}
