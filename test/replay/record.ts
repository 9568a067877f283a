/**
 * Records the history of every story whose file is not there yet into test/histories. A file that is there is never
 * written again: it stands for workflows of an earlier release that may still run. `node test/replay/record.ts v2`
 * records all stories once more, beside the older ones, when a release changes what the workflows do.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Temporal } from '../workflow/temporal.ts';
import { writeHistory } from './history-file.ts';
import { STORIES } from './stories.ts';

const release = process.argv[2] ?? 'v1';
const folder = join(import.meta.dirname, '..', 'histories');

for (const [name, story] of Object.entries(STORIES)) {
  const file = join(folder, `${release}-${name}.json`);
  if (existsSync(file)) {
    console.log(`kept      ${release}-${name}.json`);
    continue;
  }
  const temporal = await Temporal.skippingTime();
  try {
    const handle = await story(temporal);
    await writeHistory(file, await handle.fetchHistory());
    console.log(`recorded  ${release}-${name}.json`);
  } finally {
    await temporal.endAll();
    await temporal.stop();
  }
}
