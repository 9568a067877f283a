import { Ajv } from 'ajv';
import type { Check } from './compiled-later.ts';
import { invalidSpec } from './invalid-spec.ts';

/** Compiles the JSON Schemas of what stands in `spec.providerSpec.value`, so that all that is wrong is told. */
export const specSchemas = new Ajv({ allErrors: true, verbose: true });

/**
 * The value, where its schema allows it.
 * @param isValid compiled by {@link specSchemas}
 * @throws ProviderError InvalidArgument that names every wrong field, its value and what is allowed
 */
export function validSpec<T>(isValid: Check<T>, value: unknown): T {
  if (!isValid(value)) throw invalidSpec(isValid.errors ?? []);
  return value;
}
