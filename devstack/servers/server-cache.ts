import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from './catalog.ts';

/** Binaries are kept here per user, for every checkout. */
function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'millwright', 'servers');
}

/**
 * Where a binary lies in the cache. `origin` is the Go version it was built with, or `official` for a download.
 */
export function cachedPath(name: string, version: string, origin: string, platform: Platform): string {
  return join(cacheFolder(), `${name}-${version}-${origin}-${platform.os}-${platform.arch}`);
}

/**
 * Has `make` write a binary, or a folder, beside its place, then puts it there at once, so that nobody sees half of one.
 * @returns what `make` says: whether there is one
 */
export async function addToCache(path: string, make: (temporaryPath: string) => Promise<boolean>): Promise<boolean> {
  await mkdir(cacheFolder(), { recursive: true });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  try {
    if (!(await make(temporary))) return false;
    await chmod(temporary, 0o755);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return true;
}

export function isCached(path: string): boolean {
  return existsSync(path);
}
