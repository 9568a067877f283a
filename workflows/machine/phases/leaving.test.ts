import { expect, test } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { newMemory } from '../memory.ts';
import { DONE } from '../answer.ts';
import { leaving } from './leaving.ts';

const toGo = { delete: true };

test('its preparation is told when it begins, with its cause, and once', () => {
  const cause = '2026-01-01T00:00:00.000Z kubernetes-admin asked for it';
  const pass = aPass({ machine: { ...toGo, cause } });
  expect(leaving(pass)).toEqual(DONE);
  expect(pass.status).toMatchObject({ phase: 'Deleting', preparation: 'started' });
  const message = expect.stringMatching(
    /^spec.delete is true: .*until then false aborts that: kubernetes-admin asked for it/,
  );
  expect(pass.status.conditions).toContainEqual(expect.objectContaining({ type: 'Deleting', status: 'True', message }));
  expect(pass.events).toMatchObject([{ type: 'Normal', reason: 'Delete', message }]);
  pass.written(undefined);
  expect(leaving(pass)).toEqual(DONE);
  expect(pass.events).toEqual([]);
});

test('one that the API server refused goes on without being told again', () => {
  const pass = aPass({ machine: toGo, status: { preparation: 'failed' } });
  leaving(pass);
  expect(pass.status.preparation).toBe('started');
  expect(pass.events).toEqual([]);
});

test('one that was completed is under way again while the Machine is there: a hook may have come meanwhile', () => {
  const pass = aPass({ machine: toGo, status: { preparation: 'completed' } });
  leaving(pass);
  expect(pass.status.preparation).toBe('started');
  expect(pass.events).toEqual([]);
});

test('it outranks a maintenance, and an abort that is not over', () => {
  const { emptying, ...memory } = newMemory();
  const pods = { purpose: 'maintenance', isDone: true } as const;
  const pass = aPass({
    machine: toGo,
    status: { maintenance: true },
    memory: { ...memory, emptying: { ...emptying, pods }, returned: { quietFrom: 1 } },
  });
  leaving(pass);
  expect(pass.status.maintenance).toBe(false);
  expect(pass.memory).toMatchObject({ emptying: { pods: {} } });
  expect(pass.memory.emptying.pods.isDone).toBeUndefined();
  expect(pass.memory.returned).toBeUndefined();
});
