import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';

const root = join(import.meta.dirname, '..', '..');
const COPIED = ['workflows', 'k8s', 'providers', 'package.json'];

/**
 * Bundles a copy of the workflows in which two steps have changed places.
 *
 * @param file where they are, from the root
 * @param first a line of that file, as it stands; it must occur once, and so must `second`
 */
export async function bundleWithSwappedSteps(file: string, first: string, second: string): Promise<{ code: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-swapped-'));
  try {
    for (const name of COPIED) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const source = await readFile(join(folder, file), 'utf8');
    await writeFile(join(folder, file), swap(source, first, second));
    return await bundleWorkflowCode({
      workflowsPath: join(folder, 'workflows', 'index.ts'),
      logger: { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function swap(source: string, first: string, second: string): string {
  for (const step of [first, second]) {
    if (source.split(step).length !== 2) throw new Error(`the source should have this step once: ${step}`);
  }
  const placeholder = '/* first step */';
  return source.replace(first, placeholder).replace(second, first).replace(placeholder, second);
}
