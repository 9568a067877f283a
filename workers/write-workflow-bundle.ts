/**
 * Bundles the workflow code once, so that no worker has to: `node workers/write-workflow-bundle.ts [FILE]`, by default for
 * the package, as a part of `npm run build`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from './workflow-bundle.ts';

const [file = fileURLToPath(new URL('../dist/workers/workflows.bundle.js', import.meta.url))] = process.argv.slice(2);
await mkdir(dirname(file), { recursive: true });
const { code } = await bundleWorkflows();
await writeFile(file, code);
console.log(`wrote ${file}, ${Math.round(code.length / 1024)} KiB`);
