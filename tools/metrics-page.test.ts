import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderMetricsPage } from './metrics-page.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'reference', 'metrics.md');

test('the page of the metrics has every metric, with its type, labels and help', async () => {
  // Where it differs: node tools/write-metrics-page.ts
  expect(await readFile(PAGE, 'utf8')).toBe(await renderMetricsPage());
});

test('every metric has a sentence for its help, and a name of the families that the page explains', async () => {
  const rows = (await renderMetricsPage())
    .split('\n')
    .filter((line) => /^\| `\w+` \| (counter|gauge|histogram) /.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    expect(row).toMatch(/^\| `(mapi|mcm|millwright|temporal)_\w+` \|.*\| [A-Z1].+[.`)\]] \|$/);
  }
});
