import { childEnvironment, RARE_GARBAGE_COLLECTION } from '../../environment.ts';
import { runCommand } from '../../servers/run-command.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import type { StackContext } from './stack-context.ts';

/** The only namespace the stack uses. */
export const TEMPORAL_NAMESPACE = 'default';

const NO_NEWS = '--ui-disable-news-fetch';

/** Temporal's dev server and Web UI, with its database in a file: in memory it would lose all on a kill. */
export async function temporal({ files, ports, binary }: StackContext): Promise<ProcessSpec> {
  const help = await runCommand(binary('temporal'), ['server', 'start-dev', '--help'], { env: childEnvironment() });
  return {
    name: 'temporal',
    command: binary('temporal'),
    env: RARE_GARBAGE_COLLECTION,
    args: [
      'server',
      'start-dev',
      '--ip=127.0.0.1',
      `--port=${ports.temporal}`,
      `--ui-port=${ports['temporal-ui']}`,
      `--http-port=${ports['temporal-http']}`,
      `--namespace=${TEMPORAL_NAMESPACE}`,
      `--db-filename=${files.temporalDatabase}`,
      // Measured with 200 machines on 2 cores: 35 workflows/s with these two, 22 without.
      '--sqlite-pragma=journal_mode=WAL',
      '--sqlite-pragma=synchronous=NORMAL',
      // Partitions spread a queue over servers. On one, a poll of one partition misses the tasks of the others.
      '--dynamic-config-value=matching.numTaskqueueReadPartitions=1',
      '--dynamic-config-value=matching.numTaskqueueWritePartitions=1',
      '--log-level=warn',
      '--disable-config-env',
      '--disable-config-file',
      // The UI's pages would ask temporal.io for news. Versions of before they did do not know the flag.
      ...(help.stdout.includes(NO_NEWS) ? [NO_NEWS] : []),
    ],
    isReady: () =>
      answersOk({ url: `http://127.0.0.1:${ports['temporal-http']}/api/v1/namespaces/${TEMPORAL_NAMESPACE}` }),
  };
}
