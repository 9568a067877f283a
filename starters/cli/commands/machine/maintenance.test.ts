import { beforeEach, describe, expect, test } from '@jest/globals';
import { MACHINES } from '../../../../k8s/dialects/openshift/resources.ts';
import { DRAIN_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import { KubeError } from '../../../../k8s/kube-error.ts';
import { NODES } from '../../../../k8s/resources.ts';
import { aMachine } from '../../../../test/world/builders/a-machine.ts';
import { aNode } from '../../../../test/world/builders/a-node.ts';
import { before } from '../../../../test/world/kubernetes/request.ts';
import { EXIT } from '../../exit-codes.ts';
import { askForItsEnd, askForMaintenance } from './maintenance.ts';
import { Operated } from '../../../../test/world/operated.ts';
import type { OperationOptions } from './operation.ts';

let world: Operated;
beforeEach(() => {
  world = new Operated();
});

const begin = (names: readonly string[], options: Partial<OperationOptions> = {}) =>
  askForMaintenance(world.parts, names, { timeout: 600, ...options });
const end = (names: readonly string[], options: Partial<OperationOptions> = {}) =>
  askForItsEnd(world.parts, names, { timeout: 600, ...options });

const condition = {
  type: 'Maintenance',
  status: 'False',
  reason: 'Draining',
  message: 'Node n: pods are left',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

describe('a maintenance', () => {
  test('is written into spec.maintenance, and waited for until the Node is empty', async () => {
    world.put('a');
    world.writesAfter(1500, 'a', { maintenance: false });
    world.writesAfter(4500, 'a', { maintenance: true });
    await begin(['a'], { wait: true });
    expect(world.machine('a')?.spec.maintenance).toBe(true);
    expect(world.lines).toEqual([
      'Machine default/a goes into maintenance; Node n is cordoned and drained, its instance runs on',
      'Machine default/a: Waiting for a worker to drain Node n',
      'Machine default/a is in maintenance: nothing that has to leave is on Node n',
    ]);
  });

  test('is not taken for begun by the status of an earlier one', async () => {
    world.put('a', { status: { maintenance: true }, metadata: { generation: 3 } });
    await expect(begin(['a'], { wait: true, timeout: 2 })).rejects.toMatchObject({ exitCode: EXIT.timedOut });
  });

  test('of a Machine without a Node is asked for, and not waited for', async () => {
    const status = { phase: 'Provisioned', observedGeneration: 1 } as const;
    world.kube.put(aMachine({ name: 'a', instanceId: 'i-1', status }));
    world.put('b');
    world.writesAfter(1500, 'a', { maintenance: false });
    world.writesAfter(4500, 'b', { maintenance: true });
    await expect(begin(['a', 'b'], { wait: true })).rejects.toMatchObject({
      message: 'Machine default/a has no Node to empty: one that joins is cordoned and drained then',
      exitCode: EXIT.failed,
    });
    expect(world.machine('a')?.spec.maintenance).toBe(true);
    expect(world.lines[0]).toBe('Machine default/a goes into maintenance; it has no Node yet');
    expect(world.lines.at(-1)).toBe('Machine default/b is in maintenance: nothing that has to leave is on Node n');
  });

  test('that is there already is asked for once more, and said to be', async () => {
    world.put('a', { spec: { maintenance: true }, status: { maintenance: true } });
    world.put('b', { spec: { maintenance: true, delete: true }, status: { maintenance: false } });
    await begin(['a', 'b']);
    expect(world.lines).toEqual([
      'Machine default/a is in maintenance already; Node n is cordoned and drained, its instance runs on',
      'Machine default/b goes into maintenance already; Node n is cordoned and drained, its instance runs on; it is being deleted, which comes first (`millwright machine delete --abort b` takes that back)',
    ]);
  });

  test('of a Failed Machine is asked for, and not waited for', async () => {
    world.put('a', { status: { phase: 'Failed' } });
    await expect(begin(['a'], { wait: true })).rejects.toThrow(
      'Machine default/a is Failed: nothing but a deletion acts on it',
    );
    expect(world.lines[0]).toMatch(/; it is Failed, so nothing but a deletion acts on it$/);
  });

  test.each([
    [
      'is begun',
      begin,
      /could not put Machine default\/late into maintenance: it is being deleted, .*; nothing was changed/,
    ],
    [
      'ends',
      end,
      /could not take Machine default\/late out of maintenance: it is being deleted, .*; nothing was changed/,
    ],
  ])('of a Machine that is deleted for good neither %s nor that of others', async (_what, act, words) => {
    world.put('a', { status: { maintenance: true } });
    world.put('late', { deleting: true });
    await expect(act(['a', 'late'])).rejects.toThrow(words);
    expect(world.machine('a')?.spec).not.toHaveProperty('maintenance');
  });

  test.each<[string, object | undefined, RegExp]>([
    ['a deletion', undefined, /^Machine default\/a is being deleted: there is no maintenance of it any more$/],
    ['somebody who takes it back', { spec: { maintenance: false } }, /is not to be in maintenance any more/],
  ])('is overtaken by %s', async (_what, patch, words) => {
    world.put('a');
    world.clock.after(1500, () => {
      const { others } = world.kube;
      void (patch === undefined
        ? others.delete(MACHINES, 'default', 'a')
        : others.mergePatch(MACHINES, 'default', 'a', patch));
    });
    await expect(begin(['a'], { wait: true })).rejects.toThrow(words);
  });
});

describe('the end of a maintenance', () => {
  test('is waited for until the condition is gone with the cordon', async () => {
    world.put('a', { spec: { maintenance: true }, status: { maintenance: true } });
    world.writesAfter(1500, 'a', { maintenance: false, conditions: [condition] });
    world.writesAfter(3500, 'a', { conditions: [] });
    await end(['a'], { wait: true });
    expect(world.machine('a')?.spec.maintenance).toBe(false);
    expect(world.clock.now()).toBeGreaterThan(Date.parse('2026-01-01T00:00:03Z'));
    expect(world.lines[0]).toBe(
      'Machine default/a comes out of maintenance; Node n is uncordoned, unless somebody else has cordoned it',
    );
    expect(world.lines.at(-1)).toBe('Machine default/a is out of maintenance');
  });

  test('that is under way is waited for by whoever asks again', async () => {
    world.put('a', { spec: { maintenance: false }, status: { maintenance: false, conditions: [condition] } });
    world.writesAfter(1500, 'a', { conditions: [] });
    await end(['a'], { wait: true });
    expect(world.lines[0]).toBe(
      'Machine default/a comes out of maintenance already; Node n is uncordoned, unless somebody else has cordoned it',
    );
    expect(world.lines.at(-1)).toBe('Machine default/a is out of maintenance');
  });

  test('of one that there is not changes nothing', async () => {
    world.put('a', { status: { maintenance: false } });
    await end(['a'], { wait: true });
    expect(world.machine('a')?.spec).not.toHaveProperty('maintenance');
    expect(world.lines).toEqual(['Machine default/a is not in maintenance; nothing was changed']);
  });
});

describe('a cordon of somebody else', () => {
  const cordon = { spec: { unschedulable: true } };
  const putNode = () =>
    world.kube.others.create(
      NODES,
      undefined,
      { metadata: { name: 'n', labels: { zone: 'z' } } },
      { fieldManager: 'kubelet' },
    );
  const told = () => world.lines.filter((line) => line.includes('unschedulable'));

  test('is told, with who made it', async () => {
    world.put('a', { spec: { maintenance: true }, status: { maintenance: true } });
    await putNode();
    await world.kube.others.mergePatch(NODES, undefined, 'n', cordon, { fieldManager: 'kubectl' });
    await world.kube.others.apply(NODES, undefined, 'n', cordon, { fieldManager: DRAIN_FIELD_MANAGER });
    await end(['a']);
    expect(told()).toEqual([
      'Machine default/a: Node n stays unschedulable, as kubectl cordoned it as well; `kubectl uncordon n` takes that off',
    ]);
  });

  test('is told also where there was no maintenance to end', async () => {
    world.put('a');
    await putNode();
    await world.kube.others.mergePatch(NODES, undefined, 'n', cordon, { fieldManager: 'kubectl' });
    await end(['a']);
    expect(told()).toHaveLength(1);
  });

  test('is told also where nobody knows who made it', async () => {
    world.put('a');
    world.kube.put(aNode({ spec: { unschedulable: true } }));
    await end(['a']);
    expect(told()).toEqual([expect.stringContaining('as somebody cordoned it as well')]);
  });

  test('is left out where there is none, or where the Node may not be read', async () => {
    world.put('a', { spec: { maintenance: true }, status: { maintenance: true } });
    await putNode();
    await world.kube.others.apply(NODES, undefined, 'n', cordon, { fieldManager: DRAIN_FIELD_MANAGER });
    await end(['a']);
    world.kube.onRequest = before({ resource: NODES }, () => {
      throw new KubeError(403, 'Forbidden', 'nodes "n" is forbidden');
    });
    await end(['a']);
    expect(told()).toEqual([]);
  });
});
