import type { Connection } from '@temporalio/client';
import type { TemporalConnection } from '../../../process/temporal-connection.ts';
import { describeTemporalFailure } from '../../../process/temporal-failure.ts';
import { CliError } from '../cli-error.ts';
import type { GlobalOptions } from '../flags/global-options.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Where Temporal is, all told: the flags, TEMPORAL_* variables, a profile of temporal.toml. */
export async function temporalOf({
  temporalAddress,
  temporalNamespace,
  profile,
}: GlobalOptions): Promise<TemporalConnection> {
  const { loadTemporalConnection } = await import('../../../process/temporal-connection.ts');
  return loadTemporalConnection({ address: temporalAddress, namespace: temporalNamespace, profile });
}

/** Connects to Temporal, does something with it, and closes the connection. */
export async function withTemporal<T>(
  options: GlobalOptions,
  act: (connection: Connection, temporal: TemporalConnection) => Promise<T>,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<T> {
  const temporal = await temporalOf(options);
  return withConnection(temporal, (connection) => act(connection, temporal), timeoutMs);
}

/** {@link withTemporal}, where it is known already how to connect. */
export async function withConnection<T>(
  temporal: TemporalConnection,
  act: (connection: Connection) => Promise<T>,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<T> {
  const { Connection } = await import('@temporalio/client');
  const { address, access } = temporal;
  // Not `connect`: that tries until its time is over, and then does not tell what was wrong.
  const connection = Connection.lazy({ address, ...access, interceptors: [] });
  try {
    await connection
      .withDeadline(Date.now() + timeoutMs, () => connection.workflowService.getSystemInfo({}))
      .catch((error: unknown) => Promise.reject(new CliError(couldNotConnect(temporal, error), { cause: error })));
    return await act(connection);
  } finally {
    await connection.close();
  }
}

function couldNotConnect({ address }: TemporalConnection, error: unknown): string {
  return `could not connect to Temporal at ${address}: ${describeTemporalFailure(error)}`;
}
