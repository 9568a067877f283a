import { expect, test } from '@jest/globals';
import { defaultStateDir, stopCommand } from './stack-files.ts';

test('what ends a stack names its folder, unless that is the one by default', () => {
  expect(stopCommand(defaultStateDir)).toBe('npm stop');
  expect(stopCommand('/elsewhere')).toBe('npm stop -- --state-dir /elsewhere');
});
