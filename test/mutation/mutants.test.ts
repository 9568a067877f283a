import { describe, expect, it } from '@jest/globals';
import { mutantsOf } from './mutants.ts';

const changes = (source: string) => mutantsOf(source).map(({ change }) => change);

describe('the mutants of a source', () => {
  it('are one change each, with its line and the whole source', () => {
    const source = '// é\nexport const isOld = (age: number) => age >= 3;\n';
    expect(mutantsOf(source)).toEqual([
      { line: 2, change: 'age >= 3 → age > 3', source: source.replace('>=', '>') },
      { line: 2, change: 'age >= 3 → age < 3', source: source.replace('>=', '<') },
    ]);
  });

  it.each([
    ['a condition', 'if (a) b;', ['if (a) → if (true)', 'if (a) → if (false)', 'without b;']],
    ['a guard among others', 'x = a && b;', ['without x = a && b;', 'a && b → a', 'a && b → b']],
    ['a fallback', 'f(a ?? 1);', ['without f(a ?? 1);', 'a ?? 1 → a', 'a ?? 1 → 1']],
    ['an optional step', 'const x = a?.[0];', ['a?.[0] → a[0]']],
    ['arithmetic', 'const x = a * b;', ['a * b → a / b']],
    ['the joining of texts', "const x = 'a' + b;", []],
    ['a method that narrows', 'const x = a.filter(f);', ['a.filter(f) → a']],
    ['a method with an opposite', 'const x = a.some(f);', ['a.some(f) → a.every(f)']],
    ['a field', 'const x = { a, b: 1 };', ['without a,', 'without , b: 1']],
    ['a method', 'class A { #a() { return 1 + 2; } get b() { return -a; } }', ['1 + 2 → 1 - 2', '-a → a']],
    ['a default', 'const { a = 1 } = b;', ['a = 1 → a']],
    ['an order', 'const x = a < b ? -1 : 1;', ['true ? -1 : 1', 'false ? -1 : 1', 'a >= b']],
    ['a field that may be absent', 'f(a || undefined);', ['undefined → a', 'undefined → undefined', '→ true']],
    ['a list that counts as absent', 'f(unlessEmpty(a));', ['unlessEmpty(a) → a']],
    ['a body', 'function f() { return g(); }', ['{ return g(); } → {}']],
    ['types', 'type A = B extends true ? 1 : 2;', []],
  ])('are made of %s', (_what, source, expected) => {
    const made = changes(source);
    expect(made.filter((change) => expected.some((end) => change.endsWith(end)))).toHaveLength(expected.length);
    if (expected.length === 0) expect(made).toEqual([]);
  });

  it('are told apart where the same is changed twice', () => {
    expect(changes('const x = !a; const y = !a;')).toEqual(['!a → a', '!a → a (2)']);
  });
});
