import { NativeConnection } from '@temporalio/worker';
import type { TemporalConnection } from '../process/temporal-connection.ts';
import { describeTemporalFailure } from '../process/temporal-failure.ts';

/** The connection of a worker, which is another one than a client's. Where there is none to be had, the error says why. */
export async function connectWorker({ address, access }: TemporalConnection): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect({ address, ...access });
  } catch (error) {
    throw new Error(describeTemporalFailure(error), { cause: error });
  }
}
