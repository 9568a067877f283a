import { createServer } from 'node:net';
import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { dropUnwanted, temporalLogger } from './logging.ts';

/** How long the SDK's core may take to hand over its metrics, in milliseconds. */
const SCRAPE_TIMEOUT_MS = 5000;
/** A port that was free may be somebody else's a moment later. */
const PORT_TRIES = 5;

/** The SDK's runtime of this process. */
export interface SdkRuntime {
  /** The metrics of the SDK's core, as Prometheus reads them; empty where they were not asked for. */
  metrics(): Promise<string>;
}

/**
 * Installs the SDK's runtime: its logs go to ours. Its core serves its metrics itself, natively counted; it does so on a
 * port of the loopback that only this process knows, and `/metrics` hands them on beside ours. (The SDK's other way, a
 * buffer of single updates, would bring each count to the JavaScript thread.)
 */
export async function installSdkRuntime(log: Logger, withMetrics: boolean): Promise<SdkRuntime> {
  for (let tries = 1; ; tries += 1) {
    const address = withMetrics ? `127.0.0.1:${await freePort()}` : undefined;
    try {
      install(log, address);
    } catch (error) {
      if (address === undefined || tries === PORT_TRIES) throw error;
      log.warn({ error, address }, 'could not serve the metrics of the Temporal SDK; trying another port');
      continue;
    }
    return { metrics: async () => (address === undefined ? '' : read(`http://${address}/metrics`)) };
  }
}

function install(log: Logger, bindAddress: string | undefined): void {
  const runtime = Runtime.install({
    // The process ends as main.ts says.
    shutdownSignals: [],
    logger: temporalLogger(log),
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
      ...(bindAddress === undefined
        ? {}
        : {
            metrics: {
              attachServiceName: false,
              prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
            },
          }),
    },
  });
  dropUnwanted(runtime.logger, log);
}

async function read(url: string): Promise<string> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`the metrics of the Temporal SDK (${url}): HTTP ${answer.status}`);
  return answer.text();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
