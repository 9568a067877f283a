/**
 * Writes what is used of @kubernetes/client-node into one file: `node tools/write-client-bundle.ts [FILE]`, by default for the package, as a
 * part of `npm run build`.
 */
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleClient } from './client-bundle.ts';

const [file = fileURLToPath(new URL('../dist/k8s/kubernetes-client.bundle.mjs', import.meta.url))] =
  process.argv.slice(2);
await bundleClient(file);
console.log(`wrote ${basename(file)} to ${dirname(file)}`);
