/** Plays the runs that its parent sends, one after the other, until that has no more. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { play } from './play.ts';
import { encodeHistory, realHistory } from './real-history.ts';
import type { Order } from './side-by-side.ts';
import { resultOf } from './tally.ts';

process.on('message', (order: Order) => void answer(order));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function answer({ histories, ...run }: Order): Promise<void> {
  const outcome = await play({
    ...run,
    onSample: ({ history, identity }) => {
      const file = join(histories, `${run.scenario} ${run.seed} ${identity.runId}`);
      writeFileSync(file, encodeHistory(realHistory(history, identity)));
    },
  });
  process.send?.(resultOf(outcome));
}
