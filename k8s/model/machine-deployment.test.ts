import { expect, test } from '@jest/globals';
import { isUntouched } from './machine-deployment.ts';

test('a deployment is untouched until somebody says in its status which generation he saw', () => {
  expect(isUntouched({})).toBe(true);
  expect(isUntouched({ labelSelector: 'pool=a', replicas: 0 })).toBe(true);
  expect(isUntouched({ observedGeneration: 1 })).toBe(false);
});
