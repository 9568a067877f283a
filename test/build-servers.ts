/**
 * Gets the servers that the named parts of the tests run, before the first test: a build takes minutes, and no test should
 * have to wait for one. `node test/build-servers.ts unit integration`
 */
import { terminalProgress } from '../devstack/start/terminal-progress.ts';
import { SERVER_NAMES, TEST_PROGRAM_NAMES } from '../devstack/servers/catalog.ts';
import { resolveMoto } from '../devstack/servers/moto.ts';
import { resolveServers } from '../devstack/servers/resolve-servers.ts';
import { hadolint } from '../devstack/servers/hadolint.ts';
import { temporalTestServer } from '../devstack/servers/temporal-test-server.ts';

/** For the whole of it, on a slow machine with nothing in its caches. */
const TIME_LIMIT_MINUTES = 40;

const parts = process.argv.slice(2);
const progress = terminalProgress();
await temporalTestServer(progress);
if (parts.includes('integration')) {
  await hadolint(progress);
  await resolveMoto(progress);
}
const limit = AbortSignal.timeout(TIME_LIMIT_MINUTES * 60_000);
const names = parts.includes('integration') ? [...SERVER_NAMES, ...TEST_PROGRAM_NAMES] : (['temporal'] as const);
try {
  await resolveServers(names, progress, limit);
} catch (error) {
  if (!limit.aborted) throw error;
  console.error(
    `Not all servers were built within ${TIME_LIMIT_MINUTES} minutes. What was built is kept: run the same command again.`,
  );
  process.exitCode = 1;
}
