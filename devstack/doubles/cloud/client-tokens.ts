/**
 * Client tokens, as EC2 keeps them: a token counts within a zone and belongs to the parameters it first came with, even
 * where that call failed. Tokens never expire here.
 */

import { createHash } from 'node:crypto';
import { CloudError } from './cloud-error.ts';
import type { CloudInstance } from './cloud-instance.ts';

/** What the journal stores of a token. */
export interface TokenBinding {
  readonly zone: string;
  readonly token: string;
  /** Hash of the parameters; they hold user data, which is stored nowhere. */
  readonly parametersHash: string;
}

export interface BoundToken extends TokenBinding {
  /** Instance the token made. */
  instanceId?: string;
  /** The call under this token that is still at work. */
  launching?: Promise<CloudInstance>;
}

export class ClientTokens {
  readonly #bound = new Map<string, BoundToken>();
  readonly #onBind: (binding: TokenBinding) => void;

  constructor(onBind: (binding: TokenBinding) => void) {
    this.#onBind = onBind;
  }

  /** Takes back what an earlier process had. */
  restore(binding: TokenBinding): void {
    this.#bound.set(keyOf(binding.zone, binding.token), { ...binding });
  }

  restoreInstance({ id, zone, token }: CloudInstance): void {
    const bound = token === undefined ? undefined : this.#bound.get(keyOf(zone, token));
    if (bound !== undefined) bound.instanceId = id;
  }

  /** Binds the token to the parameters, or throws IdempotentParameterMismatch where others came before. */
  bind(zone: string, token: string, parameters: unknown): BoundToken {
    const parametersHash = hashOf(parameters);
    const bound = this.#bound.get(keyOf(zone, token));
    if (bound === undefined) {
      const fresh: BoundToken = { zone, token, parametersHash };
      this.#bound.set(keyOf(zone, token), fresh);
      this.#onBind({ zone, token, parametersHash });
      return fresh;
    }
    if (bound.parametersHash !== parametersHash) {
      throw new CloudError(
        'IdempotentParameterMismatch',
        `Client token "${token}" came with other parameters in ${zone} before.`,
      );
    }
    return bound;
  }
}

function keyOf(zone: string, token: string): string {
  return JSON.stringify([zone, token]);
}

/** The order of an object's keys does not count; that of a list does. */
function hashOf(parameters: unknown): string {
  const canonical = JSON.stringify(parameters, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
