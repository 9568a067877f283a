/** What the cloud knows to have happened, whoever was told of it: the judge of every fault test. */

import { endedAt, stateAt } from './cloud-instance.ts';
import type { CloudInstance } from './cloud-instance.ts';

/** Whose an instance is, from its tags. */
export interface Owner {
  /** The Machine it was launched for: its UID, on EC2 `namespace/name`. */
  readonly machine: string | null;
  /** On EC2: UID of the Machine. */
  readonly machineUid?: string | null;
}

export interface LedgerInstance extends Owner {
  readonly id: string;
  readonly token: string | null;
  readonly zone: string;
  /** As in a describe, or `vanished`. */
  readonly state: string;
  /** RFC 3339, as is `endedAt`. */
  readonly createdAt: string;
  /** When it terminated or vanished; null: it has done neither. */
  readonly endedAt: string | null;
}

export interface LedgerCall {
  /** RFC 3339: when the call ended. */
  readonly at: string;
  /** launch, describe, terminate, reboot, catalog; by hand: stop, start, vanish, reappear, joins. */
  readonly action: string;
  /** The Machine, where the call or its instance names one: as in {@link Owner}. */
  readonly machine: string | null;
  readonly token: string | null;
  /** Of a launch: the instance that it made or found, set even where the answer was lost. */
  readonly instance: string | null;
  /** Whether the caller was sent a success. */
  readonly ok: boolean;
  /** The error's code; null where ok. */
  readonly code: string | null;
}

export interface Ledger {
  readonly instances: readonly LedgerInstance[];
  readonly calls: readonly LedgerCall[];
}

/** @param machine a Machine or its UID: only what concerns this one. @default everything */
export function readLedger(
  all: Iterable<CloudInstance>,
  calls: readonly LedgerCall[],
  ownerOf: (tags: CloudInstance['tags']) => Owner,
  now: number,
  machine?: string,
): Ledger {
  const instances = [...all].map((instance) => ledgerInstance(instance, ownerOf(instance.tags), now));
  if (machine === undefined) return { instances, calls: [...calls] };
  const owned = instances.filter((each) => each.machine === machine || each.machineUid === machine);
  const keys = new Set([machine, ...owned.flatMap(({ id, token }) => [id, token])]);
  const concerns = (call: LedgerCall): boolean =>
    [call.machine, call.instance, call.token].some((key) => key !== null && keys.has(key));
  return { instances: owned, calls: calls.filter(concerns) };
}

function ledgerInstance(instance: CloudInstance, owner: Owner, now: number): LedgerInstance {
  const ended = endedAt(instance, now);
  return {
    id: instance.id,
    ...owner,
    token: instance.token ?? null,
    zone: instance.zone,
    state: instance.vanishedAt === null ? stateAt(instance, now) : 'vanished',
    createdAt: new Date(instance.launchedAt).toISOString(),
    endedAt: ended === null ? null : new Date(ended).toISOString(),
  };
}
