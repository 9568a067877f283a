import { setCurrentDetails } from '@temporalio/workflow';
import type { CloudAccess } from '../../k8s/model/machine.ts';
import type { Next } from '../entity.ts';
import { planAbsenceProof, withLook } from './absence-proof.ts';
import { given } from '../../providers/given.ts';
import { asDetails, asText } from '../markdown.ts';
import { lookAtLeftover } from './leftover.ts';
import type { Balanced } from './load-balancer-activities.ts';
import type { MachineTarget } from './machine-activities.ts';
import { local } from './ports.ts';
import { doubled } from '../../providers/doubling.ts';

/** An instance whose Machine went without it, by a forced deletion. Plain JSON. */
export interface Abandoned {
  /** How often the workflow had slept when it was decided. */
  readonly at: number;
  /** In words: its id, or what it may be found by. Its Node is marked with it, and stays until the instance is known to be gone. */
  readonly instance: string;
  /** What the cloud said last. */
  readonly lastAnswer: string;
  readonly id?: string;
  readonly cloud?: CloudAccess;
  /** The cloud's account that it is in, where that is known: elsewhere it is absent, which proves nothing. */
  readonly account?: string;
  /** The Machine launched it: it is asked to end. */
  readonly isLaunched?: true;
  /** The workflow saw the launch answer with it. */
  readonly isKnownOwn?: true;
  /** What it is taken from before it ends; absent: it is behind none any more. */
  balanced?: Balanced;
  /** How often it was looked at. */
  looks?: number;
  /** When looks in a row did not find it, in milliseconds since the epoch. */
  absentAt?: number[];
}

/** Between two looks, in milliseconds. */
const LOOK_MS = { first: 60_000, most: 1_800_000 } as const;
/** Over so long looks have to find nothing until it counts as gone, in milliseconds. */
const WINDOW_MS = 300_000;

/**
 * What is left to do for it: it is taken from behind its load balancers and asked to end, where the Machine had launched it, and looked at
 * until it is known to be gone; then its Node goes. Where nobody can look there is nothing to do.
 */
export async function followAbandoned<Result>(
  target: MachineTarget,
  abandoned: Abandoned,
  nowMs: number,
  end: Result,
): Promise<Next<Result>> {
  const { id, cloud, account, instance, isLaunched, isKnownOwn, balanced, looks = 0, absentAt = [] } = abandoned;
  if (id === undefined || cloud === undefined) return { end };
  const { outcome, isDetached } = await lookAtLeftover({
    ...target,
    id,
    cloud,
    ...given({ account }),
    ...(isLaunched === true ? { ends: true as const, ...given({ isKnownOwn, balanced }) } : {}),
  });
  if (isDetached === true) delete abandoned.balanced;
  const absences = outcome === 'absent' ? withLook(absentAt, nowMs, WINDOW_MS) : [];
  Object.assign(abandoned, { looks: looks + 1, absentAt: absences });
  if (outcome === 'gone' || planAbsenceProof(absences, 0, WINDOW_MS) === 'proved') {
    await local.deleteMarkedNode({ ...target, instance });
    return { end };
  }
  const why = `instance ${instance} may still run`;
  setCurrentDetails(
    asDetails([`**Gone by force**: ${asText(why)}. Its Node stays, cordoned, until it is known to be gone.`]),
  );
  const waitMs = doubled(LOOK_MS, looks + 1);
  return { at: nowMs + waitMs, why: `looks whether ${instance} is gone` };
}
