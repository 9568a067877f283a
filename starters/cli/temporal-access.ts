import type { Connection } from '@temporalio/client';
import { attempt } from './cli-error.ts';
import type { GlobalOptions } from './global-options.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Connects to Temporal, does something with it, and closes the connection. */
export async function withTemporal<T>(
  { temporalAddress }: GlobalOptions,
  act: (connection: Connection) => Promise<T>,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<T> {
  const { Connection } = await import('@temporalio/client');
  const connection = await attempt(`connect to Temporal at ${temporalAddress}`, () =>
    Connection.connect({ address: temporalAddress, connectTimeout: timeoutMs, interceptors: [] }),
  );
  try {
    return await act(connection);
  } finally {
    await connection.close();
  }
}
