import type { Instance } from '../../providers/provider.ts';
import type { CloudFailure } from './launch-record.ts';
import type { FoundMachine } from './machine-activities.ts';
import { pickInstance } from './instance-facts.ts';
import type { Life } from './life.ts';
import { local } from './ports.ts';

/**
 * True where another controller has acted on the Machine before: it has a phase, and its status does not name the
 * generation it speaks of, as ours does from when on the past is known. Whether that controller launched an instance has
 * to be looked up.
 */
export function hasForeignPast({ machine: { status } }: Pick<FoundMachine, 'machine'>): boolean {
  return status.phase !== undefined && status.observedGeneration === undefined && status.launch === undefined;
}

export type Past =
  | { readonly outcome: 'instance'; readonly instance: Instance }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

/** Looks for the instance that the controller before us may have launched: it was stopped before this one was let go. */
export async function lookIntoPast(life: Life): Promise<Past> {
  const answer = await local.findInstances({ ...life.target, machineCluster: life.seen.machine.cluster });
  if (answer.outcome === 'failed') return answer;
  life.memory.foreignPast = false;
  const instance = pickInstance(answer.instances);
  return instance === undefined ? { outcome: 'nothing' } : { outcome: 'instance', instance };
}
