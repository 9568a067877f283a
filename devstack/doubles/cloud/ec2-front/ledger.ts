/** The ledger of the embedded EC2, in the shape of the simulated cloud's. */

import type { CloudInstance } from '../cloud-instance.ts';
import { ledgerInstance, type Ledger, type LedgerCall, type LedgerInstance } from '../ledger.ts';
import { machineOfTags, machineUidOfTags } from './machine-tags.ts';

export interface Ec2LedgerInstance extends LedgerInstance {
  /** `namespace/name` of the Machine, from its tags. */
  readonly machine: string | null;
  readonly machineUid: string | null;
}

export interface Ec2Ledger extends Ledger {
  readonly instances: readonly Ec2LedgerInstance[];
  /** How often each AWS action was called, refused and disturbed calls included: what budgets are checked against. */
  readonly counts: Readonly<Record<string, number>>;
}

/** @param machine `namespace/name` or uid: only what concerns this Machine. @default everything */
export function readLedger(
  fleet: Iterable<CloudInstance>,
  calls: readonly LedgerCall[],
  counts: ReadonlyMap<string, number>,
  now: number,
  machine?: string,
): Ec2Ledger {
  const instances = [...fleet]
    .map((instance) => ({
      ...ledgerInstance(instance, now),
      machine: machineOfTags(instance.tags),
      machineUid: machineUidOfTags(instance.tags),
    }))
    .filter((each) => machine === undefined || each.machine === machine || each.machineUid === machine);
  const keys = new Set([machine, ...instances.flatMap(({ id, token }) => (token === null ? [id] : [id, token]))]);
  const concerns = (call: LedgerCall): boolean =>
    machine === undefined || [call.machine, call.instance, call.token].some((key) => key !== null && keys.has(key));
  return { instances, calls: calls.filter(concerns), counts: Object.fromEntries(counts) };
}
