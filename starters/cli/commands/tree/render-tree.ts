import { ageOf } from '../../output/age.ts';
import { paint, paintStatus } from '../../output/paint.ts';
import { renderTable } from '../../output/table.ts';
import type { TreeNode } from './cluster-tree.ts';
import { oneLine } from '../../../../providers/one-line.ts';

/** Longest message of a line that is not wide. */
const LONGEST_MESSAGE = 110;

export interface TreeOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** With the whole of each message. */
  readonly isWide: boolean;
}

/** For people: one line for each object, those that belong to it below. */
export function renderTree(root: TreeNode, options: TreeOptions): string {
  return renderTable([['NAME', 'READY', 'REASON', 'SINCE', 'MESSAGE'], ...rowsOf(root, '', '', options)]);
}

/**
 * @param here what stands before the object itself
 * @param below what stands before those that belong to it
 */
function rowsOf(node: TreeNode, here: string, below: string, options: TreeOptions): string[][] {
  const { kind, name, ready, reason = '', since, message = '', children } = node;
  const shown = options.isWide || message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
  const row = [
    `${paint('dim', here)}${kind} ${name}`,
    paintStatus(ready),
    reason,
    ageOf(since, options.now),
    oneLine(shown),
  ];
  return [
    row,
    ...children.flatMap((child, index) => {
      const isLast = index === children.length - 1;
      return rowsOf(child, `${below}${isLast ? '└─' : '├─'}`, `${below}${isLast ? '  ' : '│ '}`, options);
    }),
  ];
}
