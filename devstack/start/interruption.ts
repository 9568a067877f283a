/** Somebody asked this program to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(signal: string) {
    super(`interrupted by ${signal}`);
  }
}

/** Signals this soon after the first are echoes of it, in milliseconds: a terminal sends one, npm and start.mjs pass on theirs. */
const ECHO_MS = 2000;

/** Calls `act` at the first SIGINT, SIGTERM or SIGHUP. A later one ends this program at once; `npm stop` then helps. */
export function onceInterrupted(act: (signal: string) => void): void {
  let firstAt: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (firstAt === undefined) {
        firstAt = Date.now();
        act(name);
      } else if (Date.now() - firstAt > ECHO_MS) {
        console.error('Ended before everything was stopped; npm stop ends the rest.');
        process.exit(1);
      }
    });
  }
}
