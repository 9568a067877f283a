/** Writes docs/reference/metrics.md anew, from the metrics themselves: `node test/write-metrics-page.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderMetricsPage } from '../starters/metrics-page.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'reference', 'metrics.md'), await renderMetricsPage());
