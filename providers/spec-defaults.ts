/** Fills in what a providerSpec leaves out, for the providers whose fields are named as the Machine API has them. */

import type { SpecDefaults } from './provider.ts';
import { given } from './given.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * `userDataSecret`, `credentialsSecret` and `tags` as in AWSMachineProviderConfig, which the others follow. A field that is
 * there is left alone, whatever it is; a Secret without a name is not there.
 */
export function withCommonDefaults(
  spec: Fields,
  { userDataSecret, credentialsSecret, tags = [] }: SpecDefaults,
): Fields {
  return {
    ...spec,
    ...given({
      userDataSecret:
        userDataSecret === undefined || isNamed(spec['userDataSecret']) ? undefined : { name: userDataSecret },
      credentialsSecret:
        credentialsSecret === undefined || isNamed(spec['credentialsSecret']) ? undefined : { name: credentialsSecret },
      tags: tags.length === 0 ? undefined : withTags(spec['tags'], tags),
    }),
  };
}

/** The text, or the default where there is none. */
export function orDefault(value: unknown, fallback: string | undefined): unknown {
  return isBlank(value) ? (fallback ?? value) : value;
}

/** The Machine API's clients also write an empty text for one that they leave out. */
export function isBlank(value: unknown): boolean {
  return !isThere(value) || value === '';
}

/** The Machine API's clients write null for what they leave out. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** False for what stands for no Secret: none at all, or an object in which nothing is said. */
function isNamed(secret: unknown): boolean {
  if (typeof secret !== 'object' || secret === null || Array.isArray(secret)) return isThere(secret);
  return !Object.values(secret).every(isBlank);
}

/** The spec's own tags, and those of the defaults whose name none of them has. */
function withTags(own: unknown, defaults: NonNullable<SpecDefaults['tags']>): unknown {
  if (!isThere(own)) return defaults;
  if (!Array.isArray(own)) return own;
  const names = new Set(own.map((tag: unknown) => (tag as { name?: unknown } | null)?.name));
  return [...(own as unknown[]), ...defaults.filter(({ name }) => !names.has(name))];
}
