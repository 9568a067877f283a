import type { Ledger } from '../ledger.ts';

/** The ledger of the embedded EC2. */
export interface Ec2Ledger extends Ledger {
  /** How often each AWS action was called, refused and disturbed calls included: what budgets are checked against. */
  readonly counts: Readonly<Record<string, number>>;
}
