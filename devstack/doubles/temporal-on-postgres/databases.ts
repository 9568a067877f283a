import { childEnvironment } from '../../environment.ts';
import { runCommand } from '../../servers/run-command.ts';
import { POSTGRES_USER } from './postgres-files.ts';
import { DATABASES } from './server-config.ts';

export interface SqlTool {
  /** Path of `temporal-sql-tool`. */
  readonly binary: string;
  readonly port: number;
  readonly password: string;
}

const COMMAND_TIMEOUT_MS = 60_000;
/** Database that is always there: one cannot be connected to the one that is made or dropped. */
const DEFAULT_DATABASE = 'postgres';

/** Makes both databases and their tables, which the tool brings along. */
export async function createDatabases(tool: SqlTool): Promise<void> {
  for (const [schema, database] of Object.entries(DATABASES)) {
    await run(tool, database, 'create-database', '--defaultdb', DEFAULT_DATABASE);
    await run(tool, database, 'setup-schema', '--version', '0.0');
    await run(tool, database, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

/** Temporal must not run. */
export async function dropDatabases(tool: SqlTool): Promise<void> {
  for (const database of Object.values(DATABASES)) {
    await run(tool, database, 'drop-database', '--defaultdb', DEFAULT_DATABASE, '--force');
  }
}

async function run({ binary, port, password }: SqlTool, database: string, ...args: readonly string[]): Promise<void> {
  const access = ['--plugin', 'postgres12', '--endpoint', '127.0.0.1', '--port', String(port), '--user', POSTGRES_USER];
  const { code, output } = await runCommand(binary, [...access, '--database', database, ...args], {
    env: childEnvironment({ SQL_PASSWORD: password }),
    timeoutMs: COMMAND_TIMEOUT_MS,
  });
  if (code !== 0)
    throw new Error(`temporal-sql-tool ${args[0]} of database ${database} ended with ${code}:\n${output}`);
}
