import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';

export interface TemporalServerFiles {
  /** Path of `temporal-server`. */
  readonly binary: string;
  /** Folder of its configuration, `<environment>.yaml`. */
  readonly configFolder: string;
  readonly environment: string;
  /** Port of the frontend's HTTP API. */
  readonly httpPort: number;
}

/** Temporal as it is run in earnest, apart from its four services' being one process here. */
export function temporalOnPostgres({ binary, configFolder, environment, httpPort }: TemporalServerFiles): ProcessSpec {
  return {
    name: 'temporal-on-postgres',
    command: binary,
    args: [`--root=${configFolder}`, '--config=.', `--env=${environment}`, '--allow-no-auth', 'start'],
    isReady: () => answersOk({ url: `http://127.0.0.1:${httpPort}/api/v1/cluster-info` }),
  };
}
