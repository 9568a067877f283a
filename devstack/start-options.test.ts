import { expect, test } from '@jest/globals';
import { parseStartArguments } from './start-options.mjs';

test('the cloud is the simulated one unless another is named', () => {
  expect(parseStartArguments([]).provider).toBe('simulated');
  expect(parseStartArguments(['--provider', 'aws']).provider).toBe('aws');
});

test('a cloud that there is not is refused, with those that there are', () => {
  expect(() => parseStartArguments(['--provider', 'azure'])).toThrow('there is: simulated, aws');
});
