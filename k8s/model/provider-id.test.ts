import { expect, test } from '@jest/globals';
import { instanceIdOf } from './provider-id.ts';

test.each([
  ['aws:///eu-central-1a/i-0abc', 'i-0abc'],
  ['aws:///eu-central-1/i-0abc', 'i-0abc'],
  ['openstack:///5f3c', '5f3c'],
  ['i-0abc', 'i-0abc'],
  ['', ''],
])('the providerID "%s" names the instance "%s"', (providerID, id) => {
  expect(instanceIdOf(providerID)).toBe(id);
});

test('without a providerID there is no instance', () => {
  expect(instanceIdOf(undefined)).toBeUndefined();
});
