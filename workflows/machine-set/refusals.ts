import type { ConditionType } from '../../k8s/model/reasons/conditions.ts';
import type { ConditionReason, EventReason } from '../../k8s/model/reasons/reasons.ts';
import { joinNames, someOf } from '../../k8s/model/some-names.ts';
import { isDue, missingAfter, type Retry } from '../retry.ts';
import type { BackoffSettings } from '../settings.ts';
import type { Chosen } from './plan-replicas.ts';

/** What the API server does for a set, each of which it may refuse. */
export type Asked = 'adopt' | 'release' | 'update' | 'delete' | 'create' | 'writeStatus';

interface Told {
  readonly condition: ConditionType;
  readonly reason: ConditionReason & EventReason;
  readonly words: string;
}

/** How a refusal is told: the set's condition, its reason, and the words for what was asked. */
export const TOLD = {
  adopt: { condition: 'MachinesAdopted', reason: 'FailedAdopt', words: 'adopt' },
  release: { condition: 'MachinesReleased', reason: 'FailedRelease', words: 'let go of' },
  update: { condition: 'MachinesUpdated', reason: 'FailedSettings', words: 'change' },
  delete: { condition: 'MachinesDeleted', reason: 'FailedDelete', words: 'delete' },
  create: { condition: 'MachinesCreated', reason: 'FailedCreate', words: 'create' },
} as const satisfies Record<Exclude<Asked, 'writeStatus'>, Told>;

/** Machines for which the API server did not do what it was asked. */
export interface Refused {
  readonly machines: readonly Chosen[];
  /** What it said of the first of them. */
  readonly message: string;
}

/** A refusal that is waited out. Meanwhile all that was not refused goes on. */
export interface Refusal extends Retry {
  /** The Machines that it concerns; absent: whatever of its kind is asked for. */
  readonly machines?: readonly Chosen[];
}

export type Refusals = Readonly<Partial<Record<Asked, Refusal>>>;

/** The Machines that are tried now, and those whose refusal is waited out. */
export interface Turn {
  readonly tried: readonly Chosen[];
  readonly waiting: readonly Chosen[];
}

/** Whose turn it is: while a refusal is waited out, those that it does not concern. */
export function turnOf(chosen: readonly Chosen[], refusal: Refusal | undefined, now: number): Turn {
  if (refusal === undefined || isDue(refusal, now)) return { tried: chosen, waiting: [] };
  if (refusal.machines === undefined) return { tried: [], waiting: chosen };
  const refused = new Set(refusal.machines.map(({ uid }) => uid));
  return {
    tried: chosen.filter(({ uid }) => !refused.has(uid)),
    waiting: chosen.filter(({ uid }) => refused.has(uid)),
  };
}

/** What is known of refusals after a turn; undefined: nothing is refused. */
export function refusalAfter(
  known: Refusal | undefined,
  { waiting }: Turn,
  refused: Refused | undefined,
  settings: BackoffSettings,
  now: number,
): Refusal | undefined {
  if (known !== undefined && waiting.length > 0) {
    return known.machines === undefined ? known : { ...known, machines: [...waiting, ...(refused?.machines ?? [])] };
  }
  if (refused === undefined) return undefined;
  const before = new Set((known?.machines ?? refused.machines).map(({ uid }) => uid));
  const isAgain = refused.machines.some(({ uid }) => before.has(uid));
  return { ...missingAfter(refused.message, isAgain ? known : undefined, settings, now), machines: refused.machines };
}

/** Names in a message, at most: a condition is read by people. */
const MOST_NAMES = 5;

/** The refusal as the set's condition and event tell it. */
export function describeRefusal(asked: keyof typeof TOLD, { machines, message }: Refusal): string {
  if (machines === undefined) return message;
  const names = someOf(
    machines.map(({ name }) => name),
    MOST_NAMES,
  );
  return `cannot ${TOLD[asked].words} ${joinNames(names)}: ${message}`;
}
