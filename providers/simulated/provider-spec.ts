/** Reads `spec.providerSpec.value`: from whatever the user wrote to what can be relied on. */

import { compiledLater } from '../compiled-later.ts';
import { invalidField, shortJson } from '../invalid-spec.ts';
import { specSchemas, validSpec } from '../valid-spec.ts';
import { PROVIDER_SPEC_DEFAULTS, PROVIDER_SPEC_SCHEMA } from './provider-spec-schema.ts';

interface SecretReference {
  readonly name: string;
}

interface WrittenSpec {
  readonly instanceType: string;
  readonly region?: string;
  readonly zone?: string;
  readonly image?: string;
  readonly userDataSecret?: SecretReference;
  readonly credentialsSecret?: SecretReference;
  readonly tags?: readonly { readonly name: string; readonly value: string }[];
}

/** A spec that was found valid, with its defaults filled in. */
export interface ProviderSpec extends WrittenSpec {
  readonly region: string;
  readonly zone: string;
  readonly image: string;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
}

/** The part that says where calls go. */
export type CredentialsSpec = Pick<ProviderSpec, 'region' | 'credentialsSecret'>;

const isSpec = compiledLater(() => specSchemas.compile<WrittenSpec>(PROVIDER_SPEC_SCHEMA));
const { region, credentialsSecret } = PROVIDER_SPEC_SCHEMA.properties;
const isCredentialsSpec = compiledLater(() =>
  specSchemas.compile<Pick<WrittenSpec, 'region' | 'credentialsSecret'>>({
    type: 'object',
    properties: { region, credentialsSecret },
  }),
);

/** @throws ProviderError InvalidArgument that names every wrong field, its value and what is allowed */
export function parseProviderSpec(value: unknown): ProviderSpec {
  const spec = validSpec(isSpec, value);
  const tags = spec.tags ?? [];
  const twice = tags.findIndex((tag, index) => tags.findIndex(({ name }) => name === tag.name) < index);
  if (twice >= 0) {
    const field = `providerSpec.value.tags[${twice}].name`;
    throw invalidField(field, `${field}: ${shortJson(tags[twice]?.name)} is there before; names must be unique`);
  }
  return { ...PROVIDER_SPEC_DEFAULTS, ...spec, tags };
}

/**
 * Reads the fields that say where calls go and no others, so that a Machine whose spec was broken after its launch can
 * still be described and deleted.
 * @throws ProviderError InvalidArgument
 */
export function parseCredentialsSpec(value: unknown): CredentialsSpec {
  return { ...PROVIDER_SPEC_DEFAULTS, ...validSpec(isCredentialsSpec, value) };
}
