import { expect, test } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { AGAIN, DONE } from '../answer.ts';
import { deleting, whereDeleted } from './deleting.ts';

test('a deletion is told when it begins, and once', async () => {
  const pass = aPass();
  expect(await deleting(pass)).toEqual(DONE);
  expect(pass.status.phase).toBe('Deleting');
  expect(pass.events).toMatchObject([{ type: 'Normal', reason: 'Delete' }]);
  pass.written(undefined);
  expect(await deleting(pass)).toEqual(DONE);
  expect(pass.events).toEqual([]);
});

test('a deletion is told with its cause', async () => {
  const deletedAt = '2026-01-01T00:00:02Z';
  const cause = '2026-01-01T00:00:00.000Z MachineSet default/web has 3 machines, and 2 are asked for';
  const pass = aPass({ machine: { deletedAt, cause } });
  await deleting(pass);
  const message = expect.stringContaining(': MachineSet default/web has 3 machines, and 2 are asked for');
  expect(pass.events).toMatchObject([{ reason: 'Delete', message }]);
  expect(pass.status.conditions).toContainEqual(expect.objectContaining({ type: 'Deleting', message }));
});

test('an object that others hold after our finalizer went says who they are, and tells nothing anew', async () => {
  const machine = { deletedAt: '2026-01-01T00:00:02Z', hasFinalizer: false, otherFinalizers: ['example.com/backup'] };
  const pass = aPass({ machine, status: { phase: 'Running' } });
  const message = expect.stringContaining('example.com/backup');
  expect(await deleting(pass)).toMatchObject({ outcome: 'wait', wait: { reason: 'HeldByFinalizers', message } });
  expect([pass.status.phase, pass.events]).toEqual(['Deleting', []]);
  expect(pass.status.conditions).toMatchObject([{ type: 'Deleting', status: 'True', message }]);
});

test('a Machine that somebody deletes while its abort is under way was not aborted too late: that abort is over', async () => {
  const machine = { deletedAt: '2026-01-01T00:00:02Z', delete: false };
  const pass = aPass({ machine, status: { preparation: 'aborting' } });
  await deleting(pass);
  expect(pass.status.preparation).toBe('aborted');
  expect(pass.status.conditions).toMatchObject([{ type: 'Deleting', reason: 'DeletionUnderWay' }]);
  expect(pass.events.map(({ reason }) => reason)).toEqual(['Delete']);
});

test('what comes in a deletion only does not come in its preparation', async () => {
  const phase = whereDeleted(() => AGAIN);
  expect(await phase(aPass({ machine: { deletedAt: 'then' } }))).toBe(AGAIN);
  expect(await phase(aPass({ machine: { delete: true } }))).toBe(DONE);
});
