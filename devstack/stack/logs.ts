import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const TAIL_BYTES = 8192;

/** The last lines of a log, each cut to a terminal's width or two; empty where there is none. */
export function lastLogLines(path: string, lines = 12): string {
  if (!existsSync(path)) return '';
  const size = statSync(path).size;
  const length = Math.min(size, TAIL_BYTES);
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, length, size - length);
  } finally {
    closeSync(file);
  }
  return bytes
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => `  ${line.slice(0, 300)}`)
    .join('\n')
    .trimEnd();
}

/** Puts the log of the last start aside as `<path>.previous`, so that logs do not grow for ever. */
export function setLogAside(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.previous`);
}
