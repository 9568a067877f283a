import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';

const root = join(import.meta.dirname, '..', '..');
const COPIED = ['workflows', 'workers', 'k8s', 'providers', 'package.json'];

/**
 * Bundles a copy of the workflows in which one file is another, as a later release may have it.
 *
 * @param file from the root
 * @param change from its source, the new one
 */
export async function bundleChanged(file: string, change: (source: string) => string): Promise<{ code: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-changed-'));
  try {
    for (const name of COPIED) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')));
    return await bundleWorkflows(pathToFileURL(join(folder, 'workers', 'workflow-bundle.ts')).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The source with something else in the place of what stands in it once. */
export function replaceOnce(source: string, from: string, to: string): string {
  if (source.split(from).length !== 2) throw new Error(`the source should have this once: ${from}`);
  return source.replace(from, () => to);
}
