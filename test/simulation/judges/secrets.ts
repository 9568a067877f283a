import { SECRETS } from '../../../k8s/resources.ts';
import { secretIn } from '../cluster/marked-secrets.ts';
import type { Run } from '../temporal/run.ts';
import type { Universe } from '../universe.ts';

/** What the product gives away is given to one who looks for Secrets in it. */
export type GivenAway = Pick<Universe, 'onLogLine' | 'api'>;

/**
 * Looks at all that leaves the product's processes, but for the cloud: each line of their logs, each object as soon as it is
 * written. Histories, search attributes with them, are given to {@link ofHistory}.
 */
export class SecretsJudge {
  /** How often it looked. */
  looks = 0;
  readonly #accuse: (message: string) => void;
  /** Parts of objects that have none, and that nobody can change any more. */
  readonly #clean = new WeakSet<object>();

  constructor(universe: GivenAway, accuse: (message: string) => void) {
    this.#accuse = accuse;
    universe.onLogLine = (who, line) => this.#look(line, `a line of the log of ${who}`);
    universe.api.store.onChange(({ resource, object }) => {
      if (resource.plural === SECRETS.plural) return;
      this.#look(object, `${object.kind} ${object.metadata.name}`);
    });
  }

  ofHistory({ history, identity }: Pick<Run, 'history' | 'identity'>): void {
    this.#look(history, `the history of ${identity.workflowId}`);
  }

  #look(value: unknown, what: string): void {
    this.looks += 1;
    const found = this.#find(value);
    if (found !== undefined) this.#accuse(`${what} has a secret in it: ${found}`);
  }

  /** One of the busiest functions of a simulation: what did not change since it was looked through is not looked through again. */
  #find(value: unknown): string | undefined {
    if (typeof value === 'string') return secretIn(value);
    if (typeof value !== 'object' || value === null || this.#clean.has(value)) return undefined;
    if (value instanceof Uint8Array) {
      return secretIn(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1'));
    }
    for (const name in value) {
      const found = secretIn(name) ?? this.#find((value as Readonly<Record<string, unknown>>)[name]);
      if (found !== undefined) return found;
    }
    if (Object.isFrozen(value)) this.#clean.add(value);
    return undefined;
  }
}
