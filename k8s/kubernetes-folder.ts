import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's folder `k8s`: this file is within it as a source, and in `dist/k8s` when compiled. */
export function findKubernetesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'k8s', 'crds'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no folder k8s/crds above ${fileURLToPath(import.meta.url)}`);
    folder = parent;
  }
  return join(folder, 'k8s');
}
