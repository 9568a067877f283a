import { createServer } from 'node:net';
import { IllegalStateError } from '@temporalio/common';
import { Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { dropUnwanted, temporalLogger } from '../process/logging.ts';
import { given } from '../providers/given.ts';

/** How long the SDK's core may take to hand over its metrics, in milliseconds. */
const SCRAPE_TIMEOUT_MS = 5000;
/** A port that was free may be somebody else's a moment later. */
const PORT_TRIES = 5;

/**
 * The SDK's runtime of this process: its logs go to ours. Its core serves its metrics itself, natively counted; it does so
 * on a port of the loopback that only this process knows, and `/metrics` hands them on beside ours. (The SDK's other way,
 * a buffer of single updates, would bring each count to the JavaScript thread.)
 */
export class SdkRuntime {
  readonly #log: Logger;
  readonly #withMetrics: boolean;
  /** Where the core that was installed last serves its metrics. */
  #address: string | undefined;

  constructor(log: Logger, withMetrics: boolean) {
    this.#log = log;
    this.#withMetrics = withMetrics;
  }

  /**
   * Installs the runtime where there is none. To be called before each connection: the SDK ends its runtime with the last
   * connection, also with one that failed, and would make another for the next, with other logs and the same port.
   */
  async ensure(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const address = this.#withMetrics ? `127.0.0.1:${await freePort()}` : undefined;
      try {
        install(this.#log, address);
        this.#address = address;
        return;
      } catch (error) {
        if (error instanceof IllegalStateError) return; // It is there.
        if (address === undefined || tries === PORT_TRIES) throw error;
        this.#log.warn({ error, address }, 'could not serve the metrics of the Temporal SDK; trying another port');
      }
    }
  }

  /** The metrics of the SDK's core, as Prometheus reads them; empty where they were not asked for, or there is none. */
  async metrics(): Promise<string> {
    if (this.#address === undefined) return '';
    try {
      return await read(`http://${this.#address}/metrics`);
    } catch (error) {
      // Between two connections: what we count ourselves is to be had all the same.
      this.#log.debug({ error }, 'the Temporal SDK serves no metrics just now');
      return '';
    }
  }
}

function install(log: Logger, bindAddress: string | undefined): void {
  const runtime = Runtime.install({
    // The process ends as main.ts says.
    shutdownSignals: [],
    logger: temporalLogger(log),
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
      ...given({
        metrics:
          bindAddress === undefined
            ? undefined
            : {
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
