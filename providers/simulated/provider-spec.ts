/** Reads `spec.providerSpec.value`: from whatever the user wrote to what can be relied on. */

import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import { ProviderError } from '../provider.ts';
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

const ajv = new Ajv({ allErrors: true, verbose: true });
const isSpec = ajv.compile<WrittenSpec>(PROVIDER_SPEC_SCHEMA);
const { region, credentialsSecret } = PROVIDER_SPEC_SCHEMA.properties;
const isCredentialsSpec = ajv.compile<Pick<WrittenSpec, 'region' | 'credentialsSecret'>>({
  type: 'object',
  properties: { region, credentialsSecret },
});

/** @throws ProviderError InvalidArgument that names every wrong field, its value and what is allowed */
export function parseProviderSpec(value: unknown): ProviderSpec {
  if (!isSpec(value)) throw invalidSpec(isSpec.errors ?? []);
  const tags = value.tags ?? [];
  const twice = tags.findIndex((tag, index) => tags.findIndex(({ name }) => name === tag.name) < index);
  if (twice >= 0) {
    const field = `providerSpec.value.tags[${twice}].name`;
    throw invalidField(field, `${field}: ${shortJson(tags[twice]?.name)} is there before; names must be unique`);
  }
  return { ...PROVIDER_SPEC_DEFAULTS, ...value, tags };
}

/**
 * Reads the fields that say where calls go and no others, so that a Machine whose spec was broken after its launch can
 * still be described and deleted.
 * @throws ProviderError InvalidArgument
 */
export function parseCredentialsSpec(value: unknown): CredentialsSpec {
  if (!isCredentialsSpec(value)) throw invalidSpec(isCredentialsSpec.errors ?? []);
  return { ...PROVIDER_SPEC_DEFAULTS, ...value };
}

export function invalidField(field: string, message: string): ProviderError {
  return new ProviderError('InvalidArgument', message, { field });
}

/** For messages: long values are cut. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

function invalidSpec(errors: readonly ErrorObject[]): ProviderError {
  const shown = errors.slice(0, MAX_PROBLEMS).map((error) => `${fieldOf(error)}: ${problemOf(error)}`);
  const more = errors.length > MAX_PROBLEMS ? [`and ${errors.length - MAX_PROBLEMS} more`] : [];
  const first = errors[0];
  return invalidField(first === undefined ? 'providerSpec.value' : fieldOf(first), [...shown, ...more].join('; '));
}

/** A condition's message has to stay readable. */
const MAX_PROBLEMS = 10;

/** `/tags/0/name` → `providerSpec.value.tags[0].name`; a missing or unknown field is named itself. */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const below: unknown = params['missingProperty'] ?? params['additionalProperty'];
  const path = instancePath.split('/').slice(1).map(decodePointer);
  const parts = typeof below === 'string' ? [...path, below] : path;
  return `providerSpec.value${parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.slice(0, 100)}`)).join('')}`;
}

function decodePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function problemOf(error: ErrorObject): string {
  const is = shortJson(error.data);
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return `is no field; there are: ${Object.keys(error.parentSchema?.['properties'] ?? {}).join(', ')}`;
    case 'const':
      return `must be ${shortJson(error.schema)}, is ${is}`;
    case 'not':
      return `must not be ${is}, which Millwright sets itself`;
    default:
      return `${error.message ?? 'is not valid'}, is ${is}`;
  }
}
