import { expect, test } from '@jest/globals';
import { jsonPatch, PatchStepFailed, type PatchStep } from './json-patch.ts';

const OBJECT = { map: { 'a/b': 1 }, list: ['x', 'y'] };

test.each<[string, PatchStep[], object]>([
  ['adds a field', [{ op: 'add', path: '/map/c', value: 2 }], { map: { 'a/b': 1, c: 2 } }],
  ['adds to a list', [{ op: 'add', path: '/list/1', value: 'z' }], { list: ['x', 'z', 'y'] }],
  ['adds to the end of a list', [{ op: 'add', path: '/list/-', value: 'z' }], { list: ['x', 'y', 'z'] }],
  ['replaces an item', [{ op: 'replace', path: '/list/0', value: 'z' }], { list: ['z', 'y'] }],
  [
    'removes what a test found',
    [
      { op: 'test', path: '/list/0', value: 'x' },
      { op: 'remove', path: '/list/0' },
    ],
    { list: ['y'] },
  ],
  ['replaces a field that is not there', [{ op: 'replace', path: '/map/c', value: 2 }], { map: { 'a/b': 1, c: 2 } }],
  ['tells a field that is not there from no other null', [{ op: 'test', path: '/map/c', value: null }], {}],
  ['reads slashes in names', [{ op: 'replace', path: '/map/a~1b', value: 2 }], { map: { 'a/b': 2 } }],
])('%s', (_what, steps, expected) => {
  expect(jsonPatch(OBJECT, steps)).toEqual({ ...OBJECT, ...expected });
});

test.each<[string, PatchStep]>([
  ['a test that fails', { op: 'test', path: '/list/0', value: 'y' }],
  ['a test of an item that is not there', { op: 'test', path: '/list/7', value: 'y' }],
  ['a field that is not there', { op: 'remove', path: '/map/c' }],
  ['an item that is not there', { op: 'remove', path: '/list/2' }],
  ['a path that leads nowhere', { op: 'add', path: '/none/a', value: 1 }],
])('refuses %s, and changes nothing', (_what, step) => {
  expect(() => jsonPatch(OBJECT, [{ op: 'remove', path: '/map/a~1b' }, step])).toThrow(PatchStepFailed);
  expect(OBJECT.map).toEqual({ 'a/b': 1 });
});
