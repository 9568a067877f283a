import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(dirname(import.meta.dirname));
/** What the product does depends on these. */
const SOURCES = ['workflows', 'activities', 'providers', 'k8s', 'workers', 'starters/watcher', 'process'];

/** Another one for each state of the sources: each change is met with runs that none was met with before. */
export function seedOfSources(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).sort();
  for (const file of files) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 10);
}
