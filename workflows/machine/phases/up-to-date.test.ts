import { expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { preparedLaunch } from '../../../test/workflow/prepared-launch.ts';
import { DONE } from '../answer.ts';
import { upToDate } from './up-to-date.ts';

const launch = preparedLaunch();

it('a machine whose spec changed after its launch says so, with one event, and goes on', () => {
  const pass = aPass({ machine: { specHash: 'spec-2' }, status: { launch } });
  expect(upToDate(pass)).toBe(DONE);
  expect(pass.status.conditions).toMatchObject([
    {
      type: 'UpToDate',
      status: 'False',
      reason: 'UnsupportedChange',
      message: expect.stringContaining('left as it is'),
    },
  ]);
  expect(pass.events).toMatchObject([{ type: 'Warning', reason: 'UnsupportedChange' }]);
  pass.written(undefined);
  upToDate(pass);
  expect(pass.events).toEqual([]);
});

it.each([
  ['whose spec is again as it was launched', { specHash: launch.specHash }, { launch }],
  ['that was not launched here', { specHash: 'spec-2' }, {}],
])('a machine %s says no more that it is not up to date', (_what, machine, status) => {
  const pass = aPass({ machine, status });
  pass.setCondition({ type: 'UpToDate', status: 'False', reason: 'UnsupportedChange', message: 'it was not' });
  expect(upToDate(pass)).toBe(DONE);
  expect(pass.status.conditions).toEqual([]);
  expect(pass.events).toEqual([]);
});

it('a machine says so beside what else it says', () => {
  const pass = aPass({ machine: { specHash: 'spec-2' }, status: { launch } });
  pass.setCondition({ type: 'NodeReady', status: 'True', reason: 'NodeReady', message: 'it is' });
  upToDate(pass);
  expect(pass.events).toMatchObject([{ reason: 'UnsupportedChange' }]);
});
