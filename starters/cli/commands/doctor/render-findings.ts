import { paint } from '../../output/paint.ts';
import type { Finding, FindingStatus } from './finding.ts';

const WORDS: Readonly<Record<FindingStatus, string>> = { ok: 'ok', failed: 'FAILED', unknown: 'unknown' };
const STYLES = { ok: 'green', failed: 'red', unknown: 'yellow' } as const;
const STATUS_WIDTH = 'unknown'.length;
/** Longer names of checks push their finding to the right. */
const MOST_CHECK_WIDTH = 64;

/** A line each; below what is not well, what to do about it; last, how many there are of each. */
export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.min(MOST_CHECK_WIDTH, Math.max(...findings.map(({ check }) => check.length), 'CHECK'.length));
  const lines = findings.flatMap(({ check, status, found, advice }, index) => [
    `${paint(STYLES[status], WORDS[status].padEnd(STATUS_WIDTH))}   ${check.padEnd(width)}   ${found}`,
    // The same to be done about several in a row is said below the last.
    ...(advice === undefined || advice === findings[index + 1]?.advice
      ? []
      : [`${' '.repeat(STATUS_WIDTH + 3)}${paint('dim', '→')} ${advice}`]),
  ]);
  const head = `${'STATUS'.padEnd(STATUS_WIDTH)}   ${'CHECK'.padEnd(width)}   FOUND`;
  return [head, ...lines, '', summaryOf(findings)].join('\n');
}

function summaryOf(findings: readonly Finding[]): string {
  const countOf = (wanted: FindingStatus): number => findings.filter(({ status }) => status === wanted).length;
  const [failed, unknown] = [countOf('failed'), countOf('unknown')];
  const all = failed === 0 ? 'Nothing is wrong' : `${failed} of ${findings.length} checks failed`;
  return unknown === 0 ? `${all}.` : `${all}; ${unknown} could not be looked at.`;
}
