import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import type { ReadMachine } from './effective-spec.ts';
import { dropLook, keepLook, recentFinalizers, recentLook, renewLook, type StoredMachine } from './recent-looks.ts';

const API = 'machine.openshift.io/v1beta1';
const NOW = '2026-01-01T00:00:00Z';
const kube = {} as KubeClient;

function read(uid: string, paused = false): ReadMachine {
  return { machine: { ref: { uid }, generation: 1, paused, specHash: 'h' }, spec: {} } as unknown as ReadMachine;
}

function stored(uid: string, generation = 1): StoredMachine {
  const metadata = {
    name: uid,
    namespace: 'ns',
    uid,
    generation,
    creationTimestamp: NOW,
    finalizers: ['renewed'],
    resourceVersion: '1',
  };
  const spec = { providerSpec: { value: { kind: 'X' } } };
  return { apiVersion: API, kind: 'Machine', metadata, spec } as StoredMachine;
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a look counts for three seconds, or for less where less is asked for', () => {
  keepLook(kube, read('kept'), []);
  jest.advanceTimersByTime(1500);
  expect(recentLook(kube, 'kept')).toBeDefined();
  expect(recentLook(kube, 'kept', 1000)).toBeUndefined();
  jest.advanceTimersByTime(1500);
  expect(recentLook(kube, 'kept')).toBeUndefined();
});

test('a look is as old as it is, whatever the clock of the host is set to', () => {
  keepLook(kube, read('set'), []);
  jest.advanceTimersByTime(1500);
  jest.setSystemTime(Date.now() - 3_600_000);
  expect(recentLook(kube, 'set', 1000)).toBeUndefined();
  jest.setSystemTime(Date.now() + 7_200_000);
  expect(recentLook(kube, 'set')).toBeDefined();
});

test('a look is over where the Machine is being written', () => {
  keepLook(kube, read('dropped'), []);
  dropLook(kube, 'dropped');
  expect(recentLook(kube, 'dropped')).toBeUndefined();
});

test('of a paused Machine there are no finalizers to take off', () => {
  keepLook(kube, read('acted'), ['ours']);
  keepLook(kube, read('paused', true), ['ours']);
  expect([recentFinalizers(kube, 'acted'), recentFinalizers(kube, 'paused')]).toEqual([['ours'], undefined]);
});

test('a look goes on with what our own write was answered with', () => {
  keepLook(kube, read('written'), []);
  renewLook(kube, stored('written'), performance.now());
  expect(recentFinalizers(kube, 'written')).toEqual(['renewed']);
});

test('a look is over where the answer to our write shows another spec, or somebody looked since it began', () => {
  keepLook(kube, read('changed'), []);
  renewLook(kube, stored('changed', 2), performance.now());
  expect(recentLook(kube, 'changed')).toBeUndefined();
  const since = performance.now();
  jest.advanceTimersByTime(10);
  keepLook(kube, read('looked'), []);
  renewLook(kube, stored('looked'), since);
  expect(recentLook(kube, 'looked')).toBeUndefined();
});
