import { expect, test } from '@jest/globals';
import { machineKeyOf } from './machine-key.ts';

const NAMESPACE = 'n'.repeat(63);

test('a Machine is known by its namespace and name as long as a tag has room for them', () => {
  expect(machineKeyOf({ namespace: 'default', name: 'web-1' })).toBe('default/web-1');
  const longest = { namespace: NAMESPACE, name: 'a'.repeat(192) };
  expect(machineKeyOf(longest)).toBe(`${NAMESPACE}/${longest.name}`);
  expect(machineKeyOf(longest)).toHaveLength(256);
});

test('of Machines whose names differ in what is cut off each is known by another key', () => {
  const names = [193, 194, 252].flatMap((length) => [`${'a'.repeat(length)}b`, `${'a'.repeat(length)}c`]);
  const keys = names.map((name) => machineKeyOf({ namespace: NAMESPACE, name }));
  expect(new Set(keys).size).toBe(names.length);
  for (const key of keys) {
    expect(key).toHaveLength(256);
    expect(key.startsWith(`${NAMESPACE}/aaa`)).toBe(true);
  }
  const short = machineKeyOf({ namespace: NAMESPACE, name: 'a'.repeat(192) });
  expect(keys).not.toContain(short);
});
