/** Fills in what a providerSpec leaves out, for the providers whose fields are named as the Machine API has them. */

import type { SpecDefaults } from './provider.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * `userDataSecret`, `credentialsSecret` and `tags` as in AWSMachineProviderConfig, which the others follow. A field that is
 * there is left alone, whatever it is.
 */
export function withCommonDefaults(
  spec: Fields,
  { userDataSecret, credentialsSecret, tags = [] }: SpecDefaults,
): Fields {
  return {
    ...spec,
    ...(userDataSecret === undefined || isThere(spec['userDataSecret'])
      ? {}
      : { userDataSecret: { name: userDataSecret } }),
    ...(credentialsSecret === undefined || isThere(spec['credentialsSecret'])
      ? {}
      : { credentialsSecret: { name: credentialsSecret } }),
    ...(tags.length === 0 ? {} : { tags: withTags(spec['tags'], tags) }),
  };
}

/** The value, or the default where there is none. */
export function orDefault(value: unknown, fallback: string | undefined): unknown {
  return isThere(value) ? value : fallback;
}

/** The Machine API's clients write null for what they leave out. */
export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The spec's own tags, and those of the defaults whose name none of them has. */
function withTags(own: unknown, defaults: NonNullable<SpecDefaults['tags']>): unknown {
  if (!isThere(own)) return defaults;
  if (!Array.isArray(own)) return own;
  const names = new Set(own.map((tag: unknown) => (tag as { name?: unknown } | null)?.name));
  return [...(own as unknown[]), ...defaults.filter(({ name }) => !names.has(name))];
}
