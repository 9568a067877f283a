import { expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { DONE } from '../answer.ts';
import { unhooked } from './unhooked.ts';

it('a Machine that lives waits for no hook, and no condition says that it does', () => {
  const hooks = (['preDrain', 'preTerminate'] as const).map((point) => ({ point, name: 'Guard', owner: 'somebody' }));
  const pass = aPass({ machine: { hooks } });
  for (const type of ['Drainable', 'Terminable'] as const) {
    pass.setCondition({ type, status: 'False', reason: 'HookPresent', message: 'the controller before us said so' });
  }
  expect(unhooked(pass)).toBe(DONE);
  expect(pass.status.conditions).toEqual([]);
});
