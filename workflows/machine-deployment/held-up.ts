import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { andMore } from '../../k8s/model/some-names.ts';
import type { HeldUp } from './machine-deployment-activities.ts';

/** Which Machine keeps its place although it is being deleted, the first by name of several; undefined: none does. */
export function heldUpOf(machines: readonly RolloutMachine[]): HeldUp | undefined {
  const held = machines.flatMap(({ name, heldBy }) => (heldBy === undefined ? [] : [{ name, reason: heldBy }]));
  const [first, ...others] = held.sort((a, b) => (a.name < b.name ? -1 : 1));
  return first && { ...first, more: others.length };
}

/** That its deletion waits, and where it stands for what, as a clause. */
export function describeHeldUp({ name, reason, more }: HeldUp): string {
  return `the deletion of Machine ${name}${andMore(more)} waits: ${reason}; \`millwright machine explain ${name}\` says for what`;
}
