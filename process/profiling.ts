import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import type { Logger } from 'pino';
import { messageOf } from '../providers/message-of.ts';

/** The only address it is ever served on: a heap snapshot holds every secret that the process has read. */
const LOOPBACK = '127.0.0.1';
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);
const DEFAULT_SECONDS = 10;
const MOST_SECONDS = 300;

/**
 * Serves `/profile/cpu?seconds=N` (a `.cpuprofile` of the main thread over N seconds) and `/profile/heap` (a
 * `.heapsnapshot`), both for Chrome's DevTools, on the loopback only. The process stands still while it writes a snapshot.
 */
export function serveProfiling(port: number, log: Logger): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.warn({ error, url: request.url }, 'could not take a profile');
      if (!response.headersSent) response.writeHead(500);
      response.end(`could not take a profile: ${messageOf(error)}`);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      log.warn({ port }, `profiles and heap snapshots are served on ${LOOPBACK}`);
      resolve(server);
    });
  });
}

async function answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(url, `http://${LOOPBACK}`);
  // A page in a browser here may reach the loopback under a name of its own.
  const host = /^[^:]*/.exec(headers.host ?? '')?.[0] ?? '';
  if (method !== 'GET' || !LOOPBACK_NAMES.has(host)) {
    response.writeHead(403).end('only GET, and only by an address of the loopback');
  } else if (pathname === '/profile/cpu') {
    const seconds = Number(searchParams.get('seconds') ?? DEFAULT_SECONDS);
    if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
      response.writeHead(400).end(`seconds has to be above 0 and at most ${MOST_SECONDS}`);
      return;
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await profileCpu(seconds)));
  } else if (pathname === '/profile/heap') {
    response.setHeader('content-type', 'application/json');
    await pipeline(getHeapSnapshot(), response);
  } else {
    response.writeHead(404).end('not found; there is /profile/cpu?seconds=N and /profile/heap');
  }
}

async function profileCpu(seconds: number): Promise<object> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await delay(seconds * 1000);
    const { profile } = await session.post('Profiler.stop');
    return profile;
  } finally {
    session.disconnect();
  }
}
