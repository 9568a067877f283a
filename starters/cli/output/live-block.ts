import { clearScreenDown, moveCursor } from 'node:readline';

/** A terminal: `process.stdout`, where it is one. */
export type Terminal = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/** A few lines of a terminal that are written over again and again. */
export class LiveBlock {
  readonly #terminal: Terminal;
  #lines = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Shows this in place of what was shown before, as far as it fits the terminal. */
  show(text: string): void {
    this.clear();
    const columns = knownOr(80, this.#terminal.columns);
    const rows = knownOr(24, this.#terminal.rows);
    // What the terminal breaks itself would be more lines than are counted here.
    const fitting = new RegExp(`.{1,${Math.max(1, columns - 1)}}`, 'g');
    const lines = text.split('\n').flatMap((line) => line.match(fitting) ?? ['']);
    const shown = lines.slice(0, Math.max(1, rows - 1));
    this.#terminal.write(`${shown.join('\n')}\n`);
    this.#lines = shown.length;
  }

  /** What follows is written in its place. */
  clear(): void {
    if (this.#lines === 0) return;
    moveCursor(this.#terminal, 0, -this.#lines);
    clearScreenDown(this.#terminal);
    this.#lines = 0;
  }
}

/** A terminal that does not know its size says 0, or nothing. */
function knownOr(usual: number, told: number | undefined): number {
  return told === undefined || told === 0 ? usual : told;
}
