import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINES } from './lines.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ADDED = join(import.meta.dirname, 'added');
const COPIED = [
  'activities',
  'bin',
  'deploy',
  'devstack',
  'docs/reference',
  'k8s',
  'process',
  'providers',
  'starters',
  'test',
  'tools',
  'workers',
  'workflows',
  'jest.config.js',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** The files of the new kind, by their place in the repository. */
export function addedFiles(): string[] {
  return globSync('**/*.*', { cwd: ADDED }).sort();
}

/** A copy of the repository in which somebody has added the kind Greeting, as docs/contributing.md says. */
export async function walk(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'millwright-hello-'));
  const isWanted = (source: string): boolean => source !== ADDED;
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true, filter: isWanted });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await cp(ADDED, copy, { recursive: true });
  for (const { file, before, line } of LINES) {
    const text = await readFile(join(copy, file), 'utf8');
    const [above, below, ...more] = text.split(before);
    if (below === undefined || more.length > 0) throw new Error(`${file} should have this once: ${before}`);
    await writeFile(join(copy, file), `${above}${line}${before}${below}`);
  }
  return copy;
}
