/** Part of `npm run build`: bundles the workflow code once, so that no worker has to when it starts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from './workflow-bundle.ts';

const folder = new URL('../dist/workers/', import.meta.url);
await mkdir(folder, { recursive: true });
const { code } = await bundleWorkflows();
await writeFile(new URL('workflows.bundle.js', folder), code);
console.log(`wrote ${fileURLToPath(folder)}workflows.bundle.js, ${Math.round(code.length / 1024)} KiB`);
