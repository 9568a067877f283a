import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';

const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'millwright-workflows');
/** Folders the workflow code imports from, and what decides the version of the libraries in the bundle. */
const SOURCES = ['workflows', 'k8s/model', 'providers'];
const LOCK = 'package-lock.json';

/** The workflow bundle, built once for all test files and runs that see the same sources. */
export async function bundledWorkflows(): Promise<{ codePath: string }> {
  const hash = createHash('sha256');
  for (const file of [...(await sourceFiles()), LOCK]) hash.update(file).update(await readFile(join(root, file)));
  const codePath = join(cache, `${hash.digest('hex').slice(0, 16)}.js`);
  if (existsSync(codePath)) return { codePath };
  const { code } = await bundleWorkflows();
  await mkdir(cache, { recursive: true });
  const temporary = `${codePath}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, codePath);
  return { codePath };
}

async function sourceFiles(): Promise<string[]> {
  const files: string[] = ['k8s/selector.ts', 'workers/workflow-tracing.ts', 'workers/workflow-bundle.ts'];
  for (const folder of SOURCES) {
    const names = await readdir(join(root, folder), { recursive: true });
    files.push(...names.filter((n) => n.endsWith('.ts') && !n.endsWith('.test.ts')).map((n) => join(folder, n)));
  }
  return files.sort();
}
