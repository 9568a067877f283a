import { isUint8Array } from 'node:util/types';
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

  constructor(universe: GivenAway, accuse: (message: string) => void) {
    this.#accuse = accuse;
    universe.onLogLine = (who, line) => this.#look(line, `a line of the log of ${who}`);
    universe.api.store.onChange(({ resource, object, previous }) => {
      if (resource.plural === SECRETS.plural) return;
      this.#look(object, `${object.kind} ${object.metadata.name}`, previous);
    });
  }

  ofHistory({ history, identity }: Pick<Run, 'history' | 'identity'>): void {
    this.#look(history, `the history of ${identity.workflowId}`);
  }

  /** @param clean what was looked through before */
  #look(value: unknown, what: string, clean?: unknown): void {
    this.looks += 1;
    const found = find(value, clean);
    if (found !== undefined) this.#accuse(`${what} has a secret in it: ${found}`);
  }
}

/** One of the busiest functions of a simulation: what an object shares with the one before it is not looked through again. */
function find(value: unknown, clean: unknown): string | undefined {
  if (value === clean) return undefined;
  if (typeof value === 'string') return secretIn(value);
  if (typeof value !== 'object' || value === null) return undefined;
  // Those of workflow code are of another realm: no instance of ours.
  if (isUint8Array(value)) {
    return secretIn(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1'));
  }
  const before = typeof clean === 'object' && clean !== null ? (clean as Readonly<Record<string, unknown>>) : {};
  for (const name in value) {
    const found = secretIn(name) ?? find((value as Readonly<Record<string, unknown>>)[name], before[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
