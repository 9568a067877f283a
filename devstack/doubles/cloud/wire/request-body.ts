/** Bodies of requests to a cloud of the embedded stack. */

import type { IncomingMessage } from 'node:http';
import { CloudError } from '../cloud-error.ts';

/** Largest request body, in bytes. */
const MAX_BODY_BYTES = 1 << 20;

/** @throws CloudError MalformedRequest where it is over the limit */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new CloudError('MalformedRequest', `The body is over ${MAX_BODY_BYTES} bytes.`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * `{}` where the body is empty.
 * @throws CloudError MalformedRequest
 */
export function parseRequestBody(body: string): unknown {
  if (body === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new CloudError('MalformedRequest', 'The body is not JSON.');
  }
}
