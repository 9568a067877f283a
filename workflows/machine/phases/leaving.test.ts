import { expect, test } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { newMemory } from '../memory.ts';
import type { Pass } from '../pass.ts';
import { AGAIN, DONE } from '../answer.ts';
import { leaving, whileAbortable } from './leaving.ts';

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

const NODE = { name: 'n', uid: 'u', readySince: '2026-01-01T00:01:00Z', readyMessage: 'silent', inSync: true } as const;
const LINKED = { nodeRef: { name: 'n', uid: 'u' } };
const nodeReady = ({ status }: Pass) => status.conditions.find(({ type }) => type === 'NodeReady');

test('its Node is followed while it is prepared: a set counts it until it goes', () => {
  const silent = aPass({ machine: toGo, status: LINKED, node: { ...NODE, ready: 'Unknown' } });
  silent.setCondition({ type: 'NodeReady', status: 'True', reason: 'NodeReady', message: 'Node n is Ready' });
  leaving(silent);
  expect(nodeReady(silent)).toMatchObject({
    status: 'Unknown',
    reason: 'NodeNotReady',
    lastTransitionTime: NODE.readySince,
  });
  const gone = aPass({ machine: toGo, status: LINKED });
  leaving(gone);
  expect(nodeReady(gone)).toMatchObject({ status: 'Unknown', reason: 'NodeMissing' });
});

test('of one that has failed, and of one that never had a Node, nothing is said of it', () => {
  const error = { reason: 'UpdateError', message: 'instance i-1 is gone' } as const;
  for (const status of [{ ...LINKED, phase: 'Failed', error } as const, {}]) {
    const pass = aPass({ machine: toGo, status });
    leaving(pass);
    expect(nodeReady(pass)).toBeUndefined();
  }
});

test('what can be aborted comes only before the Machine is deleted', async () => {
  const phase = whileAbortable(() => AGAIN);
  expect(await phase(aPass({ machine: toGo }))).toBe(AGAIN);
  expect(await phase(aPass({ machine: { ...toGo, deletedAt: 'then' } }))).toBe(DONE);
});
