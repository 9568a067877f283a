import { given } from '../../providers/given.ts';
import type { Instance } from '../../providers/provider.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Disowned } from './instance-activities.ts';
import type { FoundMachine } from './machine-activities.ts';
import { isGone, pickInstance } from './instance-facts.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';

/** A Machine that is younger than this, in milliseconds, and shows no trace of anybody's work is new. */
const NEW_MS = 60_000;

/** How often it is looked whether the cloud shows a claim. */
const CLAIM_LOOKS = 10;

/**
 * True where an instance may exist that no field of the Machine names: it has to be looked up before anything is launched,
 * and before the Machine is let go. That is so where
 * - another controller acted on the Machine: it has a phase, and its status does not say that its past is known, as ours does
 *   from then on;
 * - its record may have been lost, as by a backup that was restored: it is not new, or a Node says that it is this Machine's, and it names neither launch nor instance.
 *
 * Machines are new in great numbers, so that a new one costs no look. Our finalizer on a Machine that no set made tells that it was
 * launched before: it gets that with its first launch, and one that a MachineSet made has it from the start.
 *
 * One that was created in the future, by a clock that differs, does not count as new.
 */
export function mayHavePast({ machine, isNamedByNode, ageMs }: FoundMachine): boolean {
  const { status, hasFinalizer, madeBySet } = machine;
  if (status.launch !== undefined) return false;
  if (status.phase !== undefined && status.pastKnown !== true) return true;
  if (status.instance !== undefined) return false;
  const isNew = ageMs !== undefined && Math.abs(ageMs) < NEW_MS;
  const hasStatus = status.phase !== undefined || status.nodeRef !== undefined || status.conditions.length > 0;
  return !isNew || hasStatus || isNamedByNode === true || (hasFinalizer && madeBySet !== true);
}

export type Past =
  | { readonly outcome: 'instance'; readonly instance: Instance }
  | { readonly outcome: 'nothing' }
  /** An instance looks like this Machine's and may not be taken for it. */
  | ({ readonly outcome: 'another'; readonly message: string } & Disowned)
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

/**
 * A deletion that finds another's instance goes on when that is certain. One that the Machine claimed may still be shown without
 * its tags: for as long as the cloud may do that, no look is believed, and the next one is due then.
 */
export function whenClaimIsShown(pass: Pass, { claim: note }: Disowned): number | undefined {
  if (note === undefined) return undefined;
  const { memory, nowMs } = pass;
  const windowMs = pass.settings.consistencyWindowSeconds * 1000;
  if (memory.claim?.note !== note) memory.claim = { note, shownAt: nowMs + windowMs };
  const { shownAt } = memory.claim;
  return nowMs < shownAt ? Math.min(shownAt, nowMs + windowMs / CLAIM_LOOKS) : undefined;
}

/** Looks for the instance that may have been launched for the Machine before this workflow knew it. */
export async function lookIntoPast(pass: Pass): Promise<Past> {
  const { memory } = pass;
  const answer = await local.findInstances({ ...pass.target, clusterName: pass.seen.machine.clusterName });
  if (answer.outcome === 'failed') return answer;
  const instance = pickInstance(answer.instances);
  if (instance === undefined && answer.another !== undefined) {
    return { outcome: 'another', message: answer.another, ...given({ claim: answer.claim }) };
  }
  if (instance === undefined) {
    memory.pastOpen = false;
    return { outcome: 'nothing' };
  }
  // Until it is on record, nothing but the next look tells of it.
  pass.isPastFound = true;
  if (answer.instances.filter((i) => !isGone(i.state)).length > 1) memory.recount = true;
  return { outcome: 'instance', instance };
}
