import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { PORT_NAMES } from './stack-names.mjs';

export type PortName = (typeof PORT_NAMES)[number];
export type Ports = Readonly<Record<PortName, number>>;

/** Below every system's ephemeral range, so that no outgoing connection takes a port while its server restarts. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** A port that was asked for by name is taken. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * A port for each name: as asked for, else as in `previousFile` where still free, else a free one. Remembers them there.
 */
export async function choosePorts(
  wanted: Readonly<Partial<Record<PortName, number>>>,
  previousFile: string,
): Promise<Ports> {
  const previous = await readPorts(previousFile);
  const taken = new Set<number>(Object.values(wanted));
  const ports: Partial<Record<PortName, number>> = {};
  for (const name of PORT_NAMES) {
    const port = wanted[name] ?? (await freePort(previous[name], taken));
    if (wanted[name] !== undefined && !(await isFree(port))) {
      throw new PortTaken(
        `port ${port} on 127.0.0.1, asked for as ${name}, is in use; name another with --port-${name}`,
      );
    }
    taken.add(port);
    ports[name] = port;
  }
  await writeFile(previousFile, `${JSON.stringify(ports, undefined, 2)}\n`);
  return ports as Ports;
}

/** How often a start is tried with other ports. */
const MOST_STARTS = 3;

/**
 * Starts something on ports that were free when they were chosen, and once more with others where another program has taken one since: one that
 * starts at the same time, say.
 */
export async function startOnFreePorts<T>(start: () => Promise<T>): Promise<T> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await start();
    } catch (error) {
      if (starts === MOST_STARTS || !isOfTakenPort(error)) throw error;
    }
  }
}

/** In the words of whichever server. */
function isOfTakenPort(error: unknown): boolean {
  return /address already in use|EADDRINUSE/i.test(String(error));
}

/** Who asked for one may listen on it only seconds later: nobody else gets it meanwhile. */
const handedOut = new Set<number>();

/**
 * A port on 127.0.0.1 that nobody listens on, and that was not handed out before: `preferred` where nobody listens on that, and none of
 * `taken`.
 */
export async function freePort(preferred?: number, taken: ReadonlySet<number> = new Set()): Promise<number> {
  if (preferred !== undefined && !taken.has(preferred) && (await isFree(preferred))) return preferred;
  if (handedOut.size > (LAST_PORT - FIRST_PORT) / 2) handedOut.clear();
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (taken.has(port) || handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`found no free port between ${FIRST_PORT} and ${LAST_PORT} on 127.0.0.1 in 200 tries`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function readPorts(file: string): Promise<Partial<Record<PortName, number>>> {
  try {
    const stored: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).filter(([name, port]) => PORT_NAMES.includes(name as PortName) && Number.isInteger(port)),
    );
  } catch {
    return {}; // The first start, or a file cut short: any free port will do.
  }
}
