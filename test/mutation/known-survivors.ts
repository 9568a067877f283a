/** A mutant that no test fails for, and why that is right. */
export interface KnownSurvivor {
  readonly file: string;
  readonly change: string;
}

/** Where docs/fault-matrix.md lists them: a table of file, change and reason. */
const HEADING = '## Changes that no test sees';

/** Reads the table of known survivors. */
export function readKnownSurvivors(page: string): readonly KnownSurvivor[] {
  const [, section = ''] = page.split(`${HEADING}\n`);
  const rows =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('| `')) ?? [];
  return rows.map((row) => {
    const [file = '', change = '', reason = ''] = row
      .split(/(?<!\\)\|/)
      .slice(1)
      .map(readCell);
    if (reason === '') throw new Error(`no reason is given for ${change} of ${file}`);
    return { file, change };
  });
}

/** The row of the table; the reason is for a person to say. */
export function rowOf({ file, change }: KnownSurvivor): string {
  return `| \`${file}\` | \`${change.replaceAll('|', '\\|')}\` | |`;
}

function readCell(cell: string): string {
  return cell
    .trim()
    .replaceAll('\\|', '|')
    .replace(/^`(.*)`$/, '$1');
}
