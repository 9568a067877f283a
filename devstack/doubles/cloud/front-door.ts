/** What every call of the cloud's API goes through: access, throttle, failures that are set, and the ledger at the end. */

import { checkAccess, OPEN_ACCESS } from './access.ts';
import type { AcceptedCredentials, Access, Outage } from './access.ts';
import type { Behaviours } from './behaviours.ts';
import { CloudError, NoAnswer } from './cloud-error.ts';
import type { LedgerCall } from './ledger.ts';
import type { LimitedCall, RequestLimits } from './request-limits.ts';

/** What a call is recorded with; filled in while it runs. */
export interface CallFacts {
  machine?: string | null;
  token?: string | null;
  instance?: string | null;
}

export interface FrontDoorOptions {
  readonly behaviours: Behaviours;
  readonly now: () => number;
  /** @default no limits */
  readonly limits?: RequestLimits | undefined;
  /** Takes what has to outlive a restart. */
  readonly onCall: (call: LedgerCall) => void;
  readonly onAccess: (access: Access) => void;
}

/** A call at the door: what it wants, of which type, with which Authorization header. */
export interface CallAtDoor {
  readonly action: string;
  readonly instanceType: string;
  readonly authorization: string | undefined;
  readonly facts: CallFacts;
  /** What its limits go by. @default it has none */
  readonly limited?: LimitedCall | undefined;
}

export class FrontDoor {
  readonly #options: FrontDoorOptions;
  #access: Access = OPEN_ACCESS;

  constructor(options: FrontDoorOptions) {
    this.#options = options;
  }

  /** Takes back what an earlier process had. */
  restore(access: Access): void {
    this.#access = access;
  }

  setOutage({ mode, forMs }: Outage): Access {
    const outageUntil = forMs === undefined ? null : this.#options.now() + forMs;
    return this.#setAccess({ ...this.#access, outage: mode, outageUntil });
  }

  setCredentials({ acceptedTokens }: AcceptedCredentials): Access {
    return this.#setAccess({ ...this.#access, acceptedTokens });
  }

  /**
   * Lets a call in and records how it ended.
   */
  async serve<T>({ action, instanceType, authorization, facts, limited }: CallAtDoor, run: Served<T>): Promise<T> {
    const { behaviours, limits, now } = this.#options;
    try {
      checkAccess(this.#access, authorization, now());
      if (limited !== undefined) limits?.admit(limited);
      behaviours.throttle(action, instanceType, now());
      const failure = behaviours.takeFailure(action, instanceType);
      if (failure?.atFrontDoor) throw failure.error;
      const answer = await run(() => {
        if (failure?.when === 'before') throw failure.error;
      });
      if (failure !== undefined) throw failure.error;
      this.record(action, facts);
      return answer;
    } catch (error) {
      if (error instanceof CloudError || error instanceof NoAnswer) this.record(action, facts, error.code);
      throw error;
    }
  }

  record(
    action: string,
    { machine = null, token = null, instance = null }: CallFacts,
    code: string | null = null,
  ): void {
    const at = new Date(this.#options.now()).toISOString();
    this.#options.onCall({ at, action, machine, token, instance, ok: code === null, code });
  }

  #setAccess(access: Access): Access {
    this.#access = access;
    this.#options.onAccess(access);
    return access;
  }
}

/** Calls `failBefore` at the place where a failure "before the effect" belongs. */
type Served<T> = (failBefore: () => void) => Promise<T>;
