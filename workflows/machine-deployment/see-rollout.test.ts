import { describe, expect, it } from '@jest/globals';
import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import type { RolloutMachine } from './new-machines.ts';
import { seeRollout, type SeenSet } from './see-rollout.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const LABELS = { pool: 'p' };
const refOf = (kind: string, name: string) => ({
  apiVersion: 'a/v1',
  kind,
  namespace: 'ns',
  name,
  uid: `uid-of-${name}`,
});
const TEMPLATE = { labels: LABELS, annotations: {}, spec: {} };

function deployment(changes: Partial<MachineDeployment> = {}): MachineDeployment {
  return {
    ref: refOf('MachineDeployment', 'd'),
    generation: 1,
    paused: false,
    isRolloutPaused: false,
    replicas: 2,
    minReadySeconds: 0,
    progressDeadlineSeconds: 60,
    revisionHistoryLimit: 1,
    strategy: { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 0, failureThreshold: 1 },
    selector: { matchLabels: LABELS },
    template: TEMPLATE,
    templateHash: 'new',
    ...changes,
  };
}

function seen(name: string, set: Partial<MachineSet> = {}, more: Partial<SeenSet> = {}): SeenSet {
  return {
    set: {
      ref: refOf('MachineSet', name),
      generation: 3,
      paused: false,
      replicas: 0,
      minReadySeconds: 0,
      deletePolicy: 'Random',
      replaceAfter: 'Deleted',
      maxMachines: 0,
      selector: { matchLabels: { set: name } },
      template: TEMPLATE,
      templateHash: name,
      revision: 1,
      ...set,
    },
    status: { observedGeneration: 3 },
    resourceVersion: '7',
    createdAt: '2026-01-01T00:00:00Z',
    controller: 'uid-of-d',
    ...more,
  };
}

const machine = (name: string, set: string, changes: Partial<RolloutMachine> = {}): RolloutMachine => ({
  name,
  uid: name,
  resourceVersion: '1',
  labels: { ...LABELS, set },
  controller: `uid-of-${set}`,
  createdAt: '2026-01-01T11:00:00Z',
  deleting: false,
  hasNode: true,
  readySince: '2026-01-01T11:00:00Z',
  markedForDeletion: false,
  ...changes,
});

const see = (of: MachineDeployment, sets: readonly SeenSet[], machines: readonly RolloutMachine[] = []) =>
  seeRollout(of, sets, machines, { setName: 'd-new', now: NOW });
const ordersOf = (sight: ReturnType<typeof see>) =>
  Object.fromEntries(
    sight.steps.orders.map(({ set, order }) => [set.name, [order.replicas, order.maxMachines, order.revision]]),
  );

describe('what a deployment does about its sets', () => {
  it('makes one for its template, as the next revision', () => {
    expect(see(deployment(), [seen('old', { revision: 4 })]).steps.create).toEqual({ name: 'd-new', revision: 5 });
    expect(see(deployment(), [seen('new')]).steps).not.toHaveProperty('create');
    expect(see(deployment({ isRolloutPaused: true }), []).steps).not.toHaveProperty('create');
  });

  it('makes none where something else has its name, and says so', () => {
    const other = seen('x', { ref: refOf('MachineSet', 'd-new') }, { controller: 'another' });
    expect(see(deployment(), [other]).steps).toMatchObject({ taken: 'd-new' });
  });

  it('makes the one that it goes back to the newest revision', () => {
    const sets = [seen('new', { revision: 1, replicas: 2, maxMachines: 3 }), seen('old', { revision: 2 })];
    const machines = [machine('a', 'new'), machine('b', 'new')];
    expect(ordersOf(see(deployment(), sets, machines))).toEqual({ new: [2, 3, 3] });
  });

  it('leaves a set alone that is as it is to be', () => {
    const sets = [seen('new', { replicas: 2, maxMachines: 3 })];
    const machines = [machine('a', 'new'), machine('b', 'new')];
    expect(see(deployment(), sets, machines).steps.orders).toEqual([]);
    expect(ordersOf(see(deployment({ minReadySeconds: 5 }), sets, machines))).toEqual({ new: [2, 3, 1] });
  });

  it('adopts what its selector matches and nobody has; where that has another template, it pauses first', () => {
    const orphan = (name: string, set: Partial<MachineSet>) => {
      const { controller: _none, ...without } = seen(name, set);
      return without;
    };
    expect(see(deployment(), [orphan('new', { replicas: 2 })]).steps).toMatchObject({
      adopt: [{ name: 'new' }],
      pauseFirst: false,
    });
    expect(see(deployment(), [orphan('other', { replicas: 2 })]).steps).toMatchObject({ pauseFirst: true });
    expect(see(deployment(), [orphan('other', { replicas: 0 })]).steps).toMatchObject({ pauseFirst: false });
    const unlike = { template: { ...TEMPLATE, labels: { pool: 'q' } } };
    expect(see(deployment(), [orphan('other', unlike)]).steps.adopt).toEqual([]);
  });

  it('deletes the oldest empty sets beyond those that are kept', () => {
    const sets = [seen('new', { revision: 9 }), ...[1, 2, 3].map((n) => seen(`old-${n}`, { revision: n }))];
    const removed = (machines: readonly RolloutMachine[]) =>
      see(deployment(), sets, machines).steps.remove.map(({ name }) => name);
    expect(removed([])).toEqual(['old-1', 'old-2']);
    expect(removed([machine('a', 'old-1', { deleting: true })])).toEqual(['old-2']);
  });

  it('counts machines that it selects and that no set has, and those whose set is gone', () => {
    const { controller: _none, ...orphan } = machine('a', 'x');
    const machines = [orphan, machine('b', 'gone'), machine('c', 'foreign')];
    const foreign = seen('foreign', {}, { controller: 'another' });
    expect(see(deployment(), [seen('new'), foreign], machines).rollout.strays).toBe(2);
  });

  it('counts its machines, and says when the next one is available, or too late', () => {
    const fresh = { readySince: '2026-01-01T11:59:58Z' };
    const { readySince: _none, ...coming } = machine('c', 'new', { launchedAt: NOW - 30_000 });
    const machines = [machine('a', 'old'), machine('b', 'new', fresh), coming, machine('d', 'old', { deleting: true })];
    const sight = see(deployment({ minReadySeconds: 5 }), [seen('old'), seen('new', { revision: 2 })], machines);
    expect(sight.counts).toEqual({
      replicas: 3,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      unavailableReplicas: 1,
      labelSelector: 'pool=p',
    });
    expect(sight.availableAt).toBe(NOW + 3000);
    expect(sight.coming).toEqual({ failed: [], lateAt: NOW + 30_000 });
  });

  it('tells what one of its sets is refused', () => {
    const failing = seen(
      'new',
      {},
      { status: { observedGeneration: 3, error: { reason: 'CreateError', message: 'quota' } } },
    );
    expect(see(deployment(), [failing]).failure).toBe('MachineSet new: quota');
  });
});
