import { describe, expect, test } from '@jest/globals';
import { renderTemplate } from './json-path.ts';
import { given } from '../../../providers/given.ts';

const machine = (name: string, phase?: string) => ({
  metadata: { name, labels: { 'machine.openshift.io/zone': 'zone-a' }, finalizers: ['f1', 'f2', 'f3'] },
  spec: { replicas: 3, paused: false },
  ...given({ status: phase === undefined ? undefined : { phase, nodeRef: { name: `node-${name}` } } }),
});
const list = { kind: 'List', items: [machine('a', 'Running'), machine('b', 'Failed'), machine('c')] };

describe('a template as kubectl takes it', () => {
  test.each([
    ['{.items[*].metadata.name}', 'a b c'],
    ['{.items[0].metadata.name}', 'a'],
    ['{.items[-1].metadata.name}', 'c'],
    ['{.items[-2].metadata.name}', 'b'],
    ['{.items[0:2].metadata.name}', 'a b'],
    ['{.items[*].status.phase}', 'Running Failed'],
    ['{$.kind}', 'List'],
    ['{.kind}: {.items[0].metadata.name}{"\\n"}', 'List: a\n'],
    ['{.items[0].metadata.labels.machine\\.openshift\\.io/zone}', 'zone-a'],
    ["{.items[0].metadata.labels['machine\\.openshift\\.io/zone']}", 'zone-a'],
    ["{.items[0]['metadata.name']}", 'a'],
    ['{.items[?(@.status.phase=="Running")].metadata.name}', 'a'],
    ['{.items[?(@.metadata.name!="a")].metadata.name}', 'b c'],
    ['{..nodeRef.name}', 'node-a node-b'],
    ['{.items[0].spec}', '{"replicas":3,"paused":false}'],
    ['{.items[0].spec.replicas}', '3'],
    ['{.items[0].spec.paused}', 'false'],
    ['{.items[0].metadata.finalizers[*]}', 'f1 f2 f3'],
    ['{.items[0].metadata.finalizers}', '["f1","f2","f3"]'],
    ['{.nothing.there}', ''],
    ['{"{}"}', '{}'],
  ])('%s is filled in as %j', (template, text) => {
    expect(renderTemplate(template, list)).toBe(text);
  });
});

test.each([
  ['{range .items[*]}{.metadata.name}{end}', /\{range\} is not supported.*\{\.items\[\*\]\.metadata\.name\}/],
  ['.items', /no expression in braces/],
  ['{.items', /braces do not match/],
  ['{items}', /does not begin with a dot/],
  ["{.items[0]['metadata.name','kind']}", /write an expression for each/],
  ['{.items[}', /cannot be read from "\[" on/],
])('%s is refused, and it is said why', (template, why) => {
  expect(() => renderTemplate(template, list)).toThrow(why);
});
