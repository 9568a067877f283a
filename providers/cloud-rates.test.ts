import { expect, it } from '@jest/globals';
import { parseCloudRates } from './cloud-rates.ts';

it('reads rates by provider and action, in their order', () => {
  expect(parseCloudRates('aws:RunInstances=10+4, aws:Describe*=200+0.5,simulated=none,aws=none')).toEqual({
    aws: [
      { actions: 'RunInstances', limit: { burst: 10, perSecond: 4 } },
      { actions: 'Describe*', limit: { burst: 200, perSecond: 0.5 } },
      { actions: '*', limit: 'none' },
    ],
    simulated: [{ actions: '*', limit: 'none' }],
  });
  expect(parseCloudRates('')).toEqual({});
});

it.each([
  'aws',
  'aws:RunInstances',
  'aws=',
  'aws=5',
  'aws=0+2',
  'aws=5+0',
  'aws:=5+2',
  'aws:Run Instances=5+2',
  '=5+2',
])('refuses %s, and says how it has to be', (text) => {
  expect(() => parseCloudRates(text)).toThrow(/has to be <provider>/);
});
