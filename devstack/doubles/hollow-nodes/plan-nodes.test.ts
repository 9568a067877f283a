import { describe, expect, test } from '@jest/globals';
import { planNodes, type HollowInstance, type HollowNode } from './plan-nodes.ts';

const instance = (id: string, changes: Partial<HollowInstance> = {}): HollowInstance => ({
  id,
  providerID: `simulated:///zone-a/${id}`,
  state: 'running',
  region: 'sim-1',
  zone: 'zone-a',
  instanceType: 'small',
  addresses: [],
  ...changes,
});
const node = (instanceId: string, beats: boolean, isStopped = false): HollowNode => ({
  name: `node-${instanceId}`,
  instanceId,
  beats,
  isStopped,
  bootID: `${instanceId}-boot-0`,
});
const sightings = (instances: HollowInstance[], at: number) => new Map(instances.map(({ id }) => [id, at]));
const plan = (instances: HollowInstance[], nodes: HollowNode[], runningForMs = 6000) =>
  planNodes(
    instances,
    nodes,
    { runningSince: sightings(instances, 10_000), lastRunning: new Map() },
    10_000 + runningForMs,
    1000,
  );
const nothing = { register: [], wake: [], silence: [], boot: [] };

describe('planNodes', () => {
  test('registers a running instance once its join delay is over', () => {
    expect(plan([instance('a')], [], 999)).toEqual(nothing);
    expect(plan([instance('a')], [], 1000)).toEqual({ ...nothing, register: [instance('a')] });
  });

  test('registers a running instance again whose Node was deleted, and leaves one that has its Node', () => {
    expect(plan([instance('a'), instance('b')], [node('b', true)]).register).toEqual([instance('a')]);
  });

  test.each(['pending', 'stopping', 'stopped', 'shutting-down', 'terminated'])('registers no %s instance', (state) => {
    expect(plan([instance('a', { state })], [])).toEqual(nothing);
  });

  test('registers no instance that never joins, and silences one that stopped joining', () => {
    expect(plan([instance('a', { joins: false })], [])).toEqual(nothing);
    expect(plan([instance('a', { joins: false })], [node('a', true)]).silence).toEqual(['node-a']);
  });

  test('silences the Node of an instance that is gone or does not run, once', () => {
    expect(plan([instance('b', { state: 'stopped' })], [node('a', true), node('b', true)])).toEqual({
      ...nothing,
      silence: ['node-a', 'node-b'],
    });
    expect(plan([], [node('a', false)])).toEqual(nothing);
  });

  test('silences the Node of an instance that just ended a little later: most are deleted by then', () => {
    const ended = { runningSince: new Map(), lastRunning: sightings([instance('a')], 10_000) };
    expect(planNodes([], [node('a', true)], ended, 14_999, 1000)).toEqual(nothing);
    expect(planNodes([], [node('a', true)], ended, 15_000, 1000).silence).toEqual(['node-a']);
  });

  test('leaves a kubelet that somebody stopped', () => {
    expect(plan([instance('a')], [node('a', false, true)])).toEqual(nothing);
  });

  test('has the Node of an instance that was rebooted tell of another boot, also where somebody had stopped its kubelet', () => {
    const rebooted = [instance('a', { reboots: 1 })];
    const boot = [{ name: 'node-a', bootID: 'a-boot-1' }];
    expect(plan(rebooted, [node('a', true)])).toEqual({ ...nothing, boot });
    expect(plan(rebooted, [node('a', false, true)])).toEqual({ ...nothing, boot });
    expect(plan(rebooted, [{ ...node('a', true), bootID: 'a-boot-1' }])).toEqual(nothing);
  });

  test('wakes the Node of an instance that runs again', () => {
    expect(plan([instance('a')], [node('a', false)])).toEqual({ ...nothing, wake: ['node-a'] });
  });
});
