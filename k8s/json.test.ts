import { describe, expect, it } from '@jest/globals';
import { isSameJson, sortedJson } from './json.ts';

const STATUS = { phase: 'Running', addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], nodeRef: { name: 'n' } };

describe('two values are the same as JSON', () => {
  it.each<[string, unknown, unknown]>([
    [
      'whatever the order of their fields',
      STATUS,
      { nodeRef: { name: 'n' }, addresses: [{ address: '10.0.0.1', type: 'InternalIP' }], phase: 'Running' },
    ],
    ['where one has a field that is undefined', STATUS, { ...STATUS, error: undefined }],
    ['where both are missing', undefined, undefined],
  ])('%s', (_, a, b) => {
    expect(isSameJson(a, b)).toBe(true);
    expect(isSameJson(b, a)).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['a field is another', STATUS, { ...STATUS, phase: 'Deleting' }],
    ['one has a field more', STATUS, { ...STATUS, error: { reason: 'r' } }],
    ['one has a field that is null', STATUS, { ...STATUS, error: null }],
    ['a list is in another order', [1, 2], [2, 1]],
    ['a list is longer', [1], [1, 2]],
    ['one is a list', {}, []],
    ['one is missing', undefined, {}],
    ['one is null', null, {}],
  ])('but not where %s', (_, a, b) => {
    expect(isSameJson(a, b)).toBe(false);
    expect(isSameJson(b, a)).toBe(false);
  });
});

it('as text, fields stand in the order of their names, and those that are undefined nowhere', () => {
  const value = { b: [{ d: 1, c: 'x"y' }, undefined, null], a: undefined, A: true };
  expect(sortedJson(value)).toBe('{"A":true,"b":[{"c":"x\\"y","d":1},null,null]}');
  expect(sortedJson(undefined)).toBe('null');
});
