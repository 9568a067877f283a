import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** The bundle is loaded once for all workflows of a thread: what a module kept would be another workflow's as well. */
test('no module of the workflows keeps a state', () => {
  const files = reachable(['workflows/index.ts', 'workflows/foreign-cluster.ts', 'workers/workflow-tracing.ts']);
  const states = files.flatMap((file) =>
    source(file)
      .split('\n')
      .filter((line) =>
        /^(export )?(let|var) |^(export )?const .*(new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\)|= (\[\]|\{\});)/.test(line),
      )
      .map((line) => `${file}: ${line}`),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(states).toEqual([]);
});

/** These files and all that they import, and so on; types are no matter. */
function reachable(entries: readonly string[]): readonly string[] {
  const found = new Set(entries);
  for (const file of found) for (const imported of importsOf(file)) found.add(imported);
  return [...found];
}

function importsOf(file: string): readonly string[] {
  const imports = source(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm);
  return [...imports].map(([, path = '']) => join(dirname(file), path));
}

function source(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
