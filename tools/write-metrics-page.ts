/** Writes docs/reference/metrics.md anew, from the metrics themselves: `node tools/write-metrics-page.ts`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderMetricsPage } from './metrics-page.ts';

await writeFile(join(import.meta.dirname, '..', 'docs', 'reference', 'metrics.md'), await renderMetricsPage());
