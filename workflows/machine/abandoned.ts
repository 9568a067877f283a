import { setCurrentDetails } from '@temporalio/workflow';
import type { CloudAccess, NodeRef } from '../../k8s/model/machine.ts';
import type { Next } from '../entity.ts';
import { given } from '../../providers/given.ts';
import { asDetails, asText } from '../markdown.ts';
import { lookAtLeftover } from './leftover.ts';
import type { MachineTarget } from './machine-activities.ts';
import { local } from './ports.ts';

/** An instance whose Machine went without it, by a forced deletion. Plain JSON. */
export interface Abandoned {
  /** How often the workflow had slept when it was decided. */
  readonly at: number;
  /** In words: its id, or what it may be found by. */
  readonly instance: string;
  readonly id?: string;
  readonly cloud?: CloudAccess;
  /** Its Node, which stays until the instance is known to be gone. */
  readonly node?: NodeRef;
  /** The Machine launched it: it is asked to end. */
  readonly isLaunched?: true;
  /** The workflow saw the launch answer with it. */
  readonly isKnownOwn?: true;
  /** How often it was looked at. */
  looks?: number;
  /** How many looks in a row did not find it. */
  absent?: number;
}

/** Between two looks, in milliseconds: doubles up to the longest. */
const LOOK_MS = { first: 60_000, longest: 1_800_000 } as const;
/** So many looks in a row that do not find it prove that it is gone: its end was asked for, or nobody can tell any more. */
const MOST_ABSENT = 3;

/**
 * What is left to do for it: it is asked to end, where the Machine had launched it, and looked at until it is known to be gone; then
 * its Node goes. Where nobody can look there is nothing to do.
 */
export async function followAbandoned<Result>(
  target: MachineTarget,
  abandoned: Abandoned,
  nowMs: number,
  end: Result,
): Promise<Next<Result>> {
  const { id, cloud, node, instance, isLaunched, isKnownOwn, looks = 0, absent = 0 } = abandoned;
  if (id === undefined || cloud === undefined) return { end };
  const outcome = await lookAtLeftover({
    ...target,
    id,
    cloud,
    ...(isLaunched === true ? { ends: true as const, ...given({ isKnownOwn }) } : {}),
  });
  Object.assign(abandoned, { looks: looks + 1, absent: outcome === 'absent' ? absent + 1 : 0 });
  if (outcome === 'gone' || (abandoned.absent ?? 0) >= MOST_ABSENT) {
    if (node !== undefined) await local.deleteMarkedNode({ ...target, node });
    return { end };
  }
  const why = `instance ${instance} may still run`;
  setCurrentDetails(
    asDetails([`**Gone by force**: ${asText(why)}. Its Node stays, cordoned, until it is known to be gone.`]),
  );
  const waitMs = Math.min(LOOK_MS.first * 2 ** looks, LOOK_MS.longest);
  return { at: nowMs + waitMs, why: `looks whether ${instance} is gone` };
}
