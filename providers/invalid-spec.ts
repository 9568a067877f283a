/** Words for what is wrong in a `spec.providerSpec.value`. */

import type { ErrorObject } from 'ajv';
import { ProviderError } from './provider-error.ts';

export function invalidField(field: string, message: string): ProviderError {
  return new ProviderError('InvalidArgument', message, { field });
}

/** For messages: long values are cut. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

/** Names every wrong field, its value and what is allowed. The errors are of an Ajv with `allErrors` and `verbose`. */
export function invalidSpec(errors: readonly ErrorObject[]): ProviderError {
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
    case 'enum':
      return `must be one of ${Array.isArray(error.schema) ? error.schema.map(shortJson).join(', ') : ''}, is ${is}`;
    case 'not':
      return `must not be ${is}, which Millwright sets itself`;
    default:
      return `${error.message ?? 'is not valid'}, is ${is}`;
  }
}
