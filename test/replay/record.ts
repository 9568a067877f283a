/**
 * Records the history of every story anew into test/histories, or of those that are named as arguments. Nothing was released
 * yet, so no workflow runs that an older history stands for; docs/decisions/012 says what changes with the first release. One that
 * was made under load is refused, and ends this with 1.
 */
import { join } from 'node:path';
import { Temporal } from '../workflow/temporal.ts';
import { isRecordedUnderLoad, writeHistory } from './history-file.ts';
import { STORIES } from './stories.ts';

const folder = join(import.meta.dirname, '..', 'histories');

const wanted = process.argv.slice(2);

for (const [name, story] of Object.entries(STORIES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const temporal = await Temporal.skippingTime();
  try {
    const handle = await story(temporal);
    const history = await handle.fetchHistory();
    if (isRecordedUnderLoad(history)) {
      console.error(
        `refused   ${name}.json: a workflow task timed out; the old one stays, record it anew at a quiet time`,
      );
      process.exitCode = 1;
    } else {
      await writeHistory(join(folder, `${name}.json`), history);
      console.log(`recorded  ${name}.json`);
    }
  } finally {
    await temporal.endAll();
    await temporal.stop();
  }
}
