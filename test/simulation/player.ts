/** Plays the runs that its parent sends, one after the other, until that has no more. */
import { play } from './play.ts';
import type { Run } from './side-by-side.ts';
import { resultOf } from './tally.ts';

process.on('message', (run: Run) => void answer(run));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function answer(run: Run): Promise<void> {
  const result = resultOf(await play(run));
  process.send?.(result);
}
