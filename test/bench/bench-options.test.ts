import { describe, expect, it, test } from '@jest/globals';
import { BenchOptionsError, readBenchOptions, USAGE } from './bench-options.ts';

test('without options 50 machines come up and go, with drains', () => {
  expect(readBenchOptions([])).toEqual({
    scenario: 'down',
    machines: 50,
    pods: 10,
    failing: 3,
    terminated: 3,
    surge: '25%',
    minutes: 10,
    withoutDrain: false,
    provider: 'simulated',
    withLimits: false,
  });
});

test('what is given counts', () => {
  const args = ['--scenario=down', '--machines', '200', '--no-drain', '--provider=aws', '--limits', '--json=a.json'];
  const given = { machines: 200, withoutDrain: true, provider: 'aws', withLimits: true, json: 'a.json' };
  expect(readBenchOptions(args)).toMatchObject(given);
});

test('the help names every option and scenario', () => {
  expect(readBenchOptions(['--help', '--scenario=sideways'])).toBe('help');
  for (const name of ['up', 'down', 'delete', 'blocked', 'idle', 'heal', 'storm', 'roll'])
    expect(USAGE).toContain(`--scenario ${name}`);
  for (const name of [
    'machines',
    'pods',
    'failing',
    'in-flight',
    'rewrite-every',
    'terminated',
    'surge',
    'minutes',
    'no-drain',
    'provider',
    'limits',
    'json',
    'help',
  ]) {
    expect(USAGE).toContain(`  --${name}`);
  }
});

describe('refused, with what is wrong:', () => {
  it.each([
    ['--scenario=sideways', '--scenario sideways: one of up, down, delete, blocked, idle, heal, storm, roll is needed'],
    ['--machines=0', '--machines 0: a whole number above 0 is needed'],
    ['--surge=0', '--surge 0: a whole number above 0, or a percent of the machines such as 25%, is needed'],
    ['--in-flight=0', '--in-flight 0: a whole number above 0 is needed'],
    ['--pods=1.5', '--pods 1.5: a whole number above 0 is needed'],
    ['--minutes=-1', '--minutes -1: a number above 0 is needed'],
    ['--provider=azure', '--provider azure: one of simulated, aws is needed'],
    ['--machine=5', "Unknown option '--machine'"],
  ])('%s', (arg, words) => {
    expect(() => readBenchOptions([arg])).toThrow(BenchOptionsError);
    expect(() => readBenchOptions([arg])).toThrow(words);
  });

  it('--no-drain where nothing is deleted, or drains are what is measured', () => {
    for (const scenario of ['up', 'delete', 'blocked', 'idle']) {
      expect(() => readBenchOptions(['--no-drain', '--scenario', scenario])).toThrow(`and not with ${scenario}`);
    }
  });
});
