import Table from 'cli-table3';

/** How the rows of a list are shown. */
export interface RowOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** With more columns, and with whole sentences. */
  readonly isWide: boolean;
  readonly withNamespace: boolean;
}

/** Columns and no lines, as kubectl prints them. */
export function renderTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], chars: NO_LINES, style: PLAIN });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const PLAIN = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '   ',
};
