import { describe, expect, test } from '@jest/globals';
import type { OpenApiSchema } from './crd-schema.ts';
import { faultIn, mistake } from './faults.ts';

const SCHEMA: OpenApiSchema = {
  type: 'object',
  required: ['kind'],
  properties: {
    kind: { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]*$' },
    phase: { type: 'string', enum: ['On', 'Off'] },
    count: { type: 'integer', minimum: 1 },
    since: { type: 'string', format: 'date-time' },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    hooks: {
      type: 'array',
      maxItems: 2,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    },
  },
};
const GOOD = {
  kind: 'a',
  phase: 'On',
  count: 1,
  since: '2026-01-01T00:00:00Z',
  open: { any: 1 },
  labels: { a: 'b' },
  hooks: [{ name: 'a' }, { name: 'b' }],
};

describe('a value', () => {
  test('that a definition allows has no fault', () => {
    expect(faultIn(GOOD, SCHEMA)).toBeUndefined();
    expect(mistake(GOOD, SCHEMA)).toBeUndefined();
  });

  test.each<[string, object]>([
    ['lacks a field', { kind: undefined }],
    ['is too short', { kind: '' }],
    ['is too long', { kind: 'abcdef' }],
    ['does not follow its pattern', { kind: 'A' }],
    ['is none of those allowed', { phase: 'Idle' }],
    ['is too small', { count: 0 }],
    ['is no whole number', { count: 1.5 }],
    ['is no time', { since: 'yesterday' }],
    ['is not of its type', { labels: { a: 1 } }],
    ['has too many fields', { labels: { a: 'a', b: 'b' } }],
    ['has too many items', { hooks: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }],
    ['has an item without its key', { hooks: [{}] }],
    ['has the same item twice', { hooks: [{ name: 'a' }, { name: 'a' }] }],
  ])('that %s has a fault', (_what, part) => {
    expect(faultIn({ ...GOOD, ...part }, SCHEMA)).toMatch(new RegExp(`^[.]${Object.keys(part)[0] ?? 'kind'}`));
  });

  test.each<[string, object, string | undefined]>([
    ['a field that is not declared', { unheardOf: 1 }, '.unheardOf: field not declared in schema'],
    ['another type', { count: 'one' }, '.count: expected integer'],
    ['an item without its key', { hooks: [{}] }, '.hooks: an item has no key'],
    ['what only the rules refuse', { phase: 'Idle', count: 0, since: 1 }, undefined],
  ])('that is applied and has %s', (_what, part, found) => {
    expect(mistake({ ...GOOD, ...part }, SCHEMA)).toBe(found);
  });
});
