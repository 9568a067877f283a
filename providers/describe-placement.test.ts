import { expect, test } from '@jest/globals';
import { describePlacement } from './describe-placement.ts';

test('a placement is described by as much of it as the cloud has', () => {
  expect(describePlacement({ instanceType: 'm5.large', zone: 'eu-west-1a' })).toBe('m5.large in eu-west-1a');
  expect(describePlacement({ instanceType: 'large' })).toBe('large');
  expect(describePlacement({ zone: 'rack-7' })).toBe('an instance in rack-7');
  expect(describePlacement({})).toBe('an instance');
});
