/** Checks of what somebody asks of a cloud, before anything looks at it. */

import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { CloudError } from './cloud-error.ts';
import { given } from '../../../providers/given.ts';

export const ajv = new Ajv({ allErrors: false, allowUnionTypes: true });

/** A check of a body; it throws InvalidParameterValue with the field that is wrong. */
export function parserOf<T>(what: string, isValid: ValidateFunction<T>): (body: unknown) => T {
  return (body) => {
    if (isValid(body)) return body;
    const error = isValid.errors?.[0];
    const field = error === undefined ? '' : fieldOf(error);
    const message = `${what}: ${field === '' ? 'the body' : field} ${error?.message ?? 'is not valid'}`;
    throw new CloudError('InvalidParameterValue', message, given({ field: field || undefined }));
  };
}

function fieldOf(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1);
  const missing: unknown = error.params['missingProperty'] ?? error.params['additionalProperty'];
  return [...path, ...(typeof missing === 'string' ? [missing] : [])].join('.');
}
