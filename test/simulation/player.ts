/** Plays the runs that its parent sends, one after the other, until that has no more. */
import { play } from './play.ts';
import type { Order } from './side-by-side.ts';
import { resultOf } from './tally.ts';

process.on('message', (order: Order) => void answer(order));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function answer(order: Order): Promise<void> {
  const result = resultOf(await play(order));
  process.send?.(result);
}
