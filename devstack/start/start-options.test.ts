import { expect, test } from '@jest/globals';
import { parseStartArguments, WrongArguments } from './start-options.mjs';

test('the cloud is the simulated one unless another is named', () => {
  expect(parseStartArguments([]).provider).toBe('simulated');
  expect(parseStartArguments(['--provider', 'aws']).provider).toBe('aws');
});

test('the cloud has limits of calls where it is told to', () => {
  expect(parseStartArguments([]).cloudLimits).toBe(false);
  expect(parseStartArguments(['--cloud-limits']).cloudLimits).toBe(true);
});

test('the grace of Nodes that do not report is what the stack and the worker have, unless it is given', () => {
  expect(parseStartArguments([]).nodeMonitorGrace).toBeUndefined();
  expect(parseStartArguments(['--node-monitor-grace', '40']).nodeMonitorGrace).toBe(40);
});

test.each(['5', '3601', '7.5', '40s', ''])('a grace of %j is refused with what may be asked for', (text) => {
  expect(() => parseStartArguments(['--node-monitor-grace', text])).toThrow('whole seconds, from 6 to 3600');
});

test('a cloud that there is not is refused, with those that there are', () => {
  expect(() => parseStartArguments(['--provider', 'azure'])).toThrow('there is: simulated, aws');
});

test('your own cluster and Temporal are used where --external says so, and the example is not applied unasked', () => {
  expect(parseStartArguments([])).toMatchObject({ external: undefined, example: true });
  expect(parseStartArguments(['--external', '--context', 'prod', '--profile', 'cloud', '--yes'])).toMatchObject({
    external: { yes: true, context: 'prod', profile: 'cloud', kubeconfig: undefined },
    example: false,
  });
  expect(parseStartArguments(['--external', '--example']).example).toBe(true);
});

test.each([
  [['--context', 'prod'], '--context is of your own cluster'],
  [['--yes'], '--yes is of your own cluster'],
  [['--external', '--fresh'], '--fresh is of the embedded stack'],
  [['--external', '--cloud-limits'], '--cloud-limits is of the embedded stack'],
  [['--external', '--node-monitor-grace', '40'], '--node-monitor-grace is of the embedded stack'],
  [['--external', '--port-temporal', '7233'], '--port-temporal is of the embedded stack'],
])('options of the one are refused with the other: %j', (args, message) => {
  expect(() => parseStartArguments(args)).toThrow(WrongArguments);
  expect(() => parseStartArguments(args)).toThrow(message);
});
