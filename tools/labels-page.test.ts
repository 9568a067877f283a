import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
/** A label, an annotation, a taint or a finalizer, as it stands in code; and not a name of an API's version. */
const NAME =
  /'((?:[a-z0-9.]*millwright\.dev|machine\.openshift\.io)\/(?!v\d)[A-Za-z-]+|[a-z]+\.machine\.openshift\.io)'/g;
/** Of hollow nodes, which only the embedded stack has. */
const HOLLOW = 'devstack.millwright.dev/';

test('each name that the product writes or reads stands on the page of labels and annotations', () => {
  const files = globSync('{k8s,activities}/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && !file.startsWith('k8s/api/'),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(NAME)].map(([, name = '']) => name),
  );
  const page = readFileSync(join(root, 'docs/reference/labels-and-annotations.md'), 'utf8');
  expect(new Set(names).size).toBeGreaterThan(40);
  expect([...new Set(names)].filter((name) => !name.startsWith(HOLLOW) && !page.includes(name))).toEqual([]);
});
