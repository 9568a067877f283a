import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresFiles } from '../../doubles/temporal-on-postgres/postgres-files.ts';
import type { ProcessSpec } from '../supervised-process.ts';

/** Program that becomes another one under another user. */
const RUN_AS = join(import.meta.dirname, '..', '..', 'doubles', 'temporal-on-postgres', 'run-as.ts');

/** Most connections: each of Temporal's four services has pools of its own. */
const MAX_CONNECTIONS = 200;

/** PostgreSQL on loopback. Nothing is synced to disk: a crash of the whole computer may cost the databases. */
export function postgres({ programs, data, user }: PostgresFiles, port: number): ProcessSpec {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  };
  const command = join(programs, 'bin', 'postgres');
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  return {
    name: 'postgres',
    ...(user === undefined
      ? { command, args }
      : { command: process.execPath, args: [RUN_AS, String(user.uid), String(user.gid), command, ...args] }),
    isReady: () => isReady(data),
  };
}

/** The eighth line of its pid file is the state of the server. */
async function isReady(data: string): Promise<boolean> {
  const lines = await readFile(join(data, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  return lines[7]?.trim() === 'ready';
}
