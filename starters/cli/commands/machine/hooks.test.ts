import { expect, test } from '@jest/globals';
import { aMachine, readMachine } from '../../../../test/world/builders/a-machine.ts';
import type { MachineObject } from '../../../../k8s/api/machine.openshift.io/machine.ts';
import { renderTable } from '../../output/table.ts';
import { hookRows, hookStatesOf } from './hooks.ts';

const lifecycleHooks = {
  preDrain: [{ name: 'EtcdQuorumOperator', owner: 'clusteroperator/etcd' }],
  preTerminate: [{ name: 'example.com/CopyLogs', owner: 'log-copier' }],
};
const waiting = {
  step: 'LifecycleHooks',
  reason: 'HookPresent',
  message: 'waits for hooks',
  since: '2026-01-01T00:02:00Z',
};
const statesOf = (status: MachineObject['status'] = {}) =>
  hookStatesOf(readMachine(aMachine({ spec: { lifecycleHooks }, status })));

test('no hook holds a machine that is not being deleted, nor one whose Node is drained', () => {
  const deletion = { preDrainHookStartTime: '2026-01-01T00:01:00Z', drainStartTime: '2026-01-01T00:02:00Z' };
  for (const status of [{}, { deletion, waiting: { ...waiting, reason: 'Draining' } }]) {
    expect(statesOf(status)).toEqual([
      { point: 'preDrain', ...lifecycleHooks.preDrain[0], holds: false },
      { point: 'preTerminate', ...lifecycleHooks.preTerminate[0], holds: false },
    ]);
  }
});

test('a preDrain hook holds a deletion that waits for hooks and was not drained, since it came to that', () => {
  expect(statesOf({ waiting, deletion: { preDrainHookStartTime: '2026-01-01T00:01:00Z' } })).toMatchObject([
    { holds: true, since: '2026-01-01T00:01:00Z' },
    { holds: false },
  ]);
});

test('a preTerminate hook holds a deletion that waits for hooks after the drain', () => {
  const deletion = {
    preDrainHookStartTime: '2026-01-01T00:01:00Z',
    preTerminateHookStartTime: '2026-01-01T00:05:00Z',
  };
  const states = statesOf({ waiting, deletion });
  expect(states).toMatchObject([{ holds: false }, { holds: true, since: '2026-01-01T00:05:00Z' }]);
  expect(renderTable(hookRows(states, Date.parse('2026-01-01T00:10:00Z'))).split('\n')).toEqual([
    'POINT          NAME                   OWNER                  HOLDS   SINCE',
    'preDrain       EtcdQuorumOperator     clusteroperator/etcd   no',
    'preTerminate   example.com/CopyLogs   log-copier             yes     5m',
  ]);
});

test('where the point was not noted, the hook holds since it is waited for', () => {
  expect(statesOf({ waiting })[0]).toMatchObject({ holds: true, since: waiting.since });
});

test('one that came while the point had been reached before holds since it came', () => {
  const deletion = { preDrainHookStartTime: '2026-01-01T00:01:00Z', drainStartTime: '2026-01-01T00:02:00Z' };
  const since = '2026-01-01T00:04:00Z';
  const told = (type: string, status: 'True' | 'False') => ({
    conditions: [{ type, status, reason: 'HookPresent', message: '', lastTransitionTime: since }],
  });
  expect(statesOf({ waiting, deletion, ...told('Drainable', 'False') })[0]).toMatchObject({ holds: true, since });
  for (const other of [told('Drainable', 'True'), told('Terminable', 'False')])
    expect(statesOf({ waiting, deletion, ...other })[0]).toMatchObject({ since: deletion.preDrainHookStartTime });
  const late = { ...deletion, preTerminateHookStartTime: '2026-01-01T00:03:00Z' };
  expect(statesOf({ waiting, deletion: late, ...told('Terminable', 'False') })[1]).toMatchObject({ since });
});
