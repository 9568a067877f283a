import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** From the ground up: a room imports from those before it and from itself. */
const ROOMS = [
  'providers',
  'k8s',
  'workflows',
  'process',
  'activities',
  'workers',
  'starters',
  'devstack',
  'devstack/servers',
  'devstack/doubles',
  'devstack/stack',
  'devstack/start',
  'tools',
  'deploy',
  'test',
];

/** The number of a file's room; -1: it is in none. */
const roomOf = (path: string): number => ROOMS.findLastIndex((room) => path.startsWith(`${room}/`));

test('no import runs back', () => {
  // A test may look at everything.
  const files = globSync(`{${ROOMS.join()}}/**/*.{ts,mts,mjs}`, { cwd: root }).filter((f) => !f.endsWith('.test.ts'));
  const back = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => roomOf(imported) > roomOf(file))
      .map((imported) => `${file} -> ${imported}`),
  );
  expect(files.length).toBeGreaterThan(ROOMS.length);
  expect(back).toEqual([]);
});

function importsOf(file: string): string[] {
  const found = readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from|import)[ (]'(\.[^']+)'/g);
  return [...found].map(([, path = '']) => join(dirname(file), path));
}
