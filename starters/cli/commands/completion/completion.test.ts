import { afterEach, expect, jest, test } from '@jest/globals';
import { createProgram } from '../../program.ts';
import { complete } from './completion.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** What the last word may become. */
async function completionsOf(...words: readonly string[]): Promise<string[]> {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  await complete(createProgram(), words);
  const lines = printed.mock.calls.map(([line]) => String(line));
  return lines.filter((line) => !line.startsWith(':')).map((line) => line.split('\t')[0] ?? '');
}

test.each([
  [
    ['machine', 'd'],
    ['describe', 'delete', 'drain'],
  ],
  [
    ['machines', 'maintenance', 'o'],
    ['on', 'off'],
  ],
  [
    ['machine', 'delete', 'a', '--policy', ''],
    ['graceful', 'unsafe', 'forced'],
  ],
  [['machine', 'delete', '--a'], ['--abort']],
  [
    ['mhc', ''],
    ['list', 'explain', 'proceed', 'help'],
  ],
  [['machine', 'remediate', 'a', '--r'], ['--reason']],
  [['machine', 'maintenance', 'on', '--w'], ['--wait']],
  [
    ['machine', 'uncordon', '--t'],
    ['--timeout', '--temporal-address', '--temporal-namespace'],
  ],
])('%j becomes one of %j', async (words, completions) => {
  expect(await completionsOf(...words)).toEqual(completions);
});

test('a command is completed with a few words about it, not with all that its help says', async () => {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  await complete(createProgram(), ['machine', 'unc']);
  expect(printed.mock.calls[0]).toEqual(['uncordon\tend the maintenance of machines: the same as maintenance off']);
});
