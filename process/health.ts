import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/** One thing that has to hold for a process to be ready. */
export interface ReadinessCheck {
  /** E.g. `workflow pollers`. */
  readonly name: string;
  readonly isOk: boolean;
  /** What was found. */
  readonly found: string;
}

export interface HealthOptions {
  readonly host: string;
  readonly port: number;
  /** What `/readyz` looks at; it is ready where all of them hold. */
  readonly checks: () => readonly ReadinessCheck[];
  /** What `/metrics` answers, in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly log: Logger;
}

/**
 * Serves `/healthz` (the process answers, so its event loop turns), `/readyz` (it does its work; the answer names each
 * check) and `/metrics`.
 */
export function serveHealth(options: HealthOptions): Promise<Server> {
  const { host, port, log } = options;
  const server = createServer((request, response) => {
    answer(request.url ?? '', options, response).catch((error: unknown) => {
      log.warn({ error, url: request.url }, 'could not answer a request for health or metrics');
      if (!response.headersSent) response.writeHead(500);
      response.end('failed; see the log');
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

async function answer(url: string, { checks, metrics }: HealthOptions, response: ServerResponse): Promise<void> {
  const [path] = url.split('?');
  if (path === '/healthz') {
    response.end('ok');
  } else if (path === '/readyz') {
    const done = checks();
    const isReady = done.every(({ isOk }) => isOk);
    response.writeHead(isReady ? 200 : 503).end(renderChecks(done));
  } else if (path === '/metrics') {
    const text = await metrics();
    response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    response.end(text);
  } else {
    response.writeHead(404).end('not found; there is /healthz, /readyz and /metrics');
  }
}

/** One line a check, as the API server's own `/readyz?verbose` has them. */
function renderChecks(checks: readonly ReadinessCheck[]): string {
  return checks.map(({ name, isOk, found }) => `[${isOk ? '+' : '-'}] ${name}: ${found}\n`).join('');
}
