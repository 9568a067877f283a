import { cpus } from 'node:os';
import type { Progress } from '../progress.ts';
import type { Server } from './catalog.ts';
import { runCommand } from './run-command.ts';

/** A build did not work. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}

/** The Go that builds in this module folder (`go1.26.8`), after a toolchain download where go.mod wants a newer one. */
export async function goVersion(folder: string): Promise<string | undefined> {
  try {
    const { code, stdout } = await runCommand('go', ['env', 'GOVERSION'], { cwd: folder });
    return code === 0 ? stdout.trim() : undefined;
  } catch {
    return undefined; // No Go here: only a binary from elsewhere will do.
  }
}

/** How long the build may take here, in seconds; measured on 2 cores, more help up to a point. */
export function estimateBuildSeconds(server: Server, cores = cpus().length): number {
  return Math.ceil((server.build.seconds * 2) / Math.min(Math.max(cores, 1), 8));
}

/** Nobody debugs a server here. A fifth of the build goes into what debuggers need, and into collecting garbage. */
const WITHOUT_DEBUGGING = '-gcflags=all=-dwarf=0';
/** Of the compiler, which runs once per core: it collects no garbage before it has this much. */
const COLLECT_LATE = { GOGC: 'off', GOMEMLIMIT: '1GiB' };

/** Builds a server into `outputPath`. Tells how it goes; go's own list of packages is the proof that it moves. */
export async function buildServer(
  server: Server,
  outputPath: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const version = server.build.version ?? server.version;
  const task = progress.task(`Building ${server.name} ${version}`, estimateBuildSeconds(server));
  const ldflags = ['-s -w', server.build.ldflags].filter(Boolean).join(' ');
  const { tags } = server.build;
  const args = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    WITHOUT_DEBUGGING,
    '-ldflags',
    ldflags,
    '-o',
    outputPath,
  ];
  if (tags !== undefined) args.push('-tags', tags);
  const { code, output } = await runCommand('go', [...args, server.build.package], {
    cwd: server.build.folder,
    env: { ...process.env, ...COLLECT_LATE },
    signal,
    onErrorLine: (line) => task.detail(line.trim()),
  }).catch((error: unknown) => {
    task.failed();
    throw error;
  });
  if (code === 0) {
    task.done();
    return true;
  }
  task.failed();
  const lines = output.trim().split('\n').slice(-15).join('\n  ');
  throw new BuildFailed(
    `go build ${server.build.package} in ${server.build.folder} failed with exit code ${code}:\n  ${lines}\n` +
      `Mend that, or name a ${server.name} of your own in ${binaryVariable(server.name)}.`,
  );
}

/** The environment variable that names a binary, e.g. MILLWRIGHT_KUBE_APISERVER_BIN. */
export function binaryVariable(name: string): string {
  return `MILLWRIGHT_${name.toUpperCase().replaceAll('-', '_')}_BIN`;
}
