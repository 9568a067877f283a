import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * How many modules of OpenTelemetry a process has loaded that has begun to trace, as a worker does. Its API, which does
 * nothing by itself, comes with prom-client.
 */
async function loadedModules(env: Readonly<Record<string, string>>): Promise<number> {
  const script = `
    import Module from 'node:module';
    const { startTracing } = await import('./tracing.ts');
    await import('../workers/main.ts');
    await startTracing('test', { info() {} });
    const loaded = Object.keys(Module._cache).filter((path) => /[\\\\/]@opentelemetry[\\\\/](?!api[\\\\/])/.test(path));
    console.log(loaded.length);
    process.exit();`;
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script];
  const { stdout } = await run(process.execPath, args, {
    cwd: join(import.meta.dirname),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: 25_000,
  }).catch(saidBeforeItHung);
  return Number(stdout);
}

/** Once in some hundred times, Node stands still when it ends (nodejs/node#54918): it has said what it had to say. */
function saidBeforeItHung(error: { readonly killed: boolean; readonly stdout: string }) {
  if (!error.killed || error.stdout === '') throw error;
  return error;
}

test('without an endpoint nothing of OpenTelemetry but its empty API is loaded', async () => {
  expect(await loadedModules({})).toBe(0);
  expect(await loadedModules({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' })).toBe(0);
}, 60_000);

test('with one it is', async () => {
  expect(await loadedModules({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBeGreaterThan(10);
}, 60_000);
