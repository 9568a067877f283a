import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress } from '../progress.ts';
import { resolveServers } from '../servers/resolve-servers.ts';
import { createDatabases, dropDatabases } from '../doubles/temporal-on-postgres/databases.ts';
import { createNamespace } from '../doubles/temporal-on-postgres/namespace.ts';
import { preparePostgres } from '../doubles/temporal-on-postgres/postgres-files.ts';
import { SERVER_PORT_NAMES, serverConfig, type ServerPorts } from '../doubles/temporal-on-postgres/server-config.ts';
import { freePort } from './ports.ts';
import { postgres } from './processes/postgres.ts';
import { temporalOnPostgres } from './processes/temporal-on-postgres.ts';
import type { UnexpectedExit } from './stack-options.ts';
import { SupervisedProcess, type ProcessSpec } from './supervised-process.ts';

export interface TemporalOnPostgresOptions {
  /** The namespace to make. */
  readonly namespace: string;
  /** Folder for the logs of both; has to exist. */
  readonly logs: string;
  readonly progress: Progress;
  /** Called where a server ends that nobody told to. */
  readonly onUnexpectedExit: (exit: UnexpectedExit) => void;
}

/** A Temporal server on a PostgreSQL, both nobody else's. */
export interface TemporalOnPostgres {
  /** `host:port` of the frontend. */
  readonly address: string;
  /** Kills Temporal, drops both databases, makes them anew, and brings up Temporal with an empty namespace of that name. */
  loseDatabases(): Promise<void>;
  /** Ends both and deletes what they stored. */
  stop(): Promise<void>;
}

/** Environment that the configuration is for, as Temporal calls it: the file's name. */
const ENVIRONMENT = 'millwright';

/** Starts both, with one namespace and without search attributes: those are Millwright's to register. */
export async function startTemporalOnPostgres(options: TemporalOnPostgresOptions): Promise<TemporalOnPostgres> {
  const { namespace, logs, progress, onUnexpectedExit } = options;
  const servers = await resolveServers(
    ['temporal-server', 'temporal-sql-tool'],
    progress,
    new AbortController().signal,
  );
  const pathOf = (name: 'temporal-server' | 'temporal-sql-tool') => servers.get(name)?.path ?? name;
  const supervise = (spec: ProcessSpec) =>
    new SupervisedProcess(spec, join(logs, `${spec.name}.log`), { onSpawn: () => {}, onUnexpectedExit });

  // Not in a stack's state folder, which is its owner's alone: PostgreSQL may run as somebody else.
  const root = await mkdtemp(join(tmpdir(), 'millwright-postgres-'));
  await chmod(root, 0o711);
  const files = await preparePostgres(join(root, 'postgres'));
  const { password } = files;
  const [postgresPort = 0, ...rest] = await freePorts(SERVER_PORT_NAMES.length + 1);
  const ports = Object.fromEntries(SERVER_PORT_NAMES.map((name, i) => [name, rest[i] ?? 0])) as ServerPorts;
  const configFolder = join(root, 'temporal');
  await mkdir(configFolder, { mode: 0o700 });
  await writeFile(join(configFolder, `${ENVIRONMENT}.yaml`), serverConfig(ports, postgresPort, password), {
    mode: 0o600,
  });

  const database = supervise(postgres(files, postgresPort));
  const binary = pathOf('temporal-server');
  const httpPort = ports.frontendHttp;
  const temporal = supervise(temporalOnPostgres({ binary, configFolder, environment: ENVIRONMENT, httpPort }));
  const tool = { binary: pathOf('temporal-sql-tool'), port: postgresPort, password };
  const address = `127.0.0.1:${ports.frontend}`;
  const up = async () => {
    await createDatabases(tool);
    await temporal.start();
    await createNamespace(address, namespace);
  };
  const stop = async () => {
    await temporal.stop();
    await database.stop();
    await rm(root, { recursive: true, force: true });
  };
  try {
    await database.start();
    await up();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address,
    async loseDatabases() {
      await temporal.kill('SIGKILL');
      await dropDatabases(tool);
      await up();
    },
    stop,
  };
}

async function freePorts(count: number): Promise<number[]> {
  const taken = new Set<number>();
  while (taken.size < count) taken.add(await freePort(undefined, taken));
  return [...taken];
}
