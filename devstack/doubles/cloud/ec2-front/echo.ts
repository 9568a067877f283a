import { CloudError } from '../cloud-error.ts';
import type { QueryRequest } from './query-request.ts';

/**
 * Puts values of the call where the message of an error names its parameters in braces: real EC2 echoes parts of a
 * request, and secrets must not leak by that. Returns other errors as they are.
 */
export function fillIn(error: unknown, request: QueryRequest): unknown {
  if (!(error instanceof CloudError) || !error.message.includes('{')) return error;
  const message = error.message.replaceAll(/\{([\w.]+)\}/g, (whole, name: string) => {
    return request.params.get(name) ?? whole;
  });
  return new CloudError(error.code, message, { ...error.details, status: error.status });
}
