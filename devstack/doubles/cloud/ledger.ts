/** What the cloud knows to have happened, whoever was told of it: the judge of every fault test. */

import { endedAt, stateAt } from './cloud-instance.ts';
import type { CloudInstance } from './cloud-instance.ts';

export interface LedgerInstance {
  readonly id: string;
  /** UID of the Machine it was launched for, from its tags. */
  readonly machine: string | null;
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
  /** launch, describe, terminate, catalog; by hand: stop, start, vanish, reappear, joins. */
  readonly action: string;
  /** UID of the Machine, where the call or its instance names one. */
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

export function ledgerInstance(instance: CloudInstance, now: number): LedgerInstance {
  const ended = endedAt(instance, now);
  return {
    id: instance.id,
    machine: instance.tags['machineUid'] ?? null,
    token: instance.token ?? null,
    zone: instance.zone,
    state: instance.vanishedAt === null ? stateAt(instance, now) : 'vanished',
    createdAt: new Date(instance.launchedAt).toISOString(),
    endedAt: ended === null ? null : new Date(ended).toISOString(),
  };
}
