import { describe, expect, it } from '@jest/globals';
import type { MachineDeployment, MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { NO_SETTINGS } from '../../k8s/model/template-settings.ts';
import { given } from '../../providers/given.ts';
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
const TEMPLATE = { labels: LABELS, annotations: {}, spec: {}, settings: NO_SETTINGS };

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
    strategy: {
      type: 'RollingUpdate',
      maxSurge: 1,
      maxUnavailable: 0,
      failureThreshold: 1,
      rollsBack: false,
      steps: [],
      mayReplace: true,
    },
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
      deploymentName: 'd',
      ...set,
    },
    status: { observedGeneration: 3 },
    resourceVersion: '7',
    createdAt: '2026-01-01T00:00:00Z',
    controller: 'uid-of-d',
    ...more,
  };
}

/** The status of a deployment whose template the cloud would launch. */
const asked = (revision: number) => ({
  preflight: { templateHash: 'new', revision, generation: 1, passed: true, checkedAt: '2026-01-01T11:00:00Z' },
});

const machine = (name: string, set: string, changes: Partial<RolloutMachine> = {}): RolloutMachine => ({
  name,
  uid: name,
  labels: { ...LABELS, set },
  controller: `uid-of-${set}`,
  deleting: false,
  hasNode: true,
  readySince: '2026-01-01T11:00:00Z',
  isFailed: false,
  markedForDeletion: false,
  ...changes,
});

const see = (of: MachineDeployment, sets: readonly SeenSet[], machines: readonly RolloutMachine[] = []) =>
  seeRollout(of, sets, machines, { setName: 'd-new', now: NOW });
const ordersOf = (sight: ReturnType<typeof see>) =>
  Object.fromEntries(
    sight.steps.orders.map(({ set, order }) => [set.name, [order.replicas, order.maxMachines, order.revision]]),
  );

describe('a rollout that stands still, and is scaled down', () => {
  const paused = deployment({ isRolloutPaused: true, replicas: 4 });
  const machinesOf = (set: string, count: number) =>
    Array.from({ length: count }, (_, at) => machine(`${set}-${at}`, set));
  const sets = [
    seen('old', { replicas: 6, maxMachines: 6 }),
    seen('new', { replicas: 2, maxMachines: 2, revision: 2 }, { createdAt: '2026-01-01T01:00:00Z' }),
  ];
  const machines = [...machinesOf('old', 6), ...machinesOf('new', 2)];
  const lookAgain = (goals?: Readonly<Record<string, number>>) =>
    seeRollout(paused, sets, machines, {
      setName: 'd-new',
      now: NOW,
      ...given({ scaleDown: goals && { goals } }),
    });

  it('comes down in proportion to what its sets have when it is first seen', () => {
    const sight = lookAgain();
    expect(sight.scaleDown).toEqual({ goals: { 'uid-of-old': 4, 'uid-of-new': 1 } });
    expect(ordersOf(sight)).toMatchObject({ old: [4, expect.anything(), 1] });
  });

  it('goes by what was remembered then', () => {
    const goals = { 'uid-of-old': 3, 'uid-of-new': 2 };
    const sight = lookAgain(goals);
    expect(sight.scaleDown).toEqual({ goals });
    expect(ordersOf(sight)).toMatchObject({ old: [3, expect.anything(), 1] });
  });
});

describe('a rollout in its midst that is scaled up', () => {
  const sets = [seen('old', { replicas: 2 }), seen('new', { replicas: 2, maxMachines: 2, revision: 2 })];
  const machines = ['old', 'new'].flatMap((set) => [machine(`${set}-0`, set), machine(`${set}-1`, set)]);
  const look = (replicas: number, before: Partial<Parameters<typeof seeRollout>[3]>) =>
    seeRollout(deployment({ replicas }), sets, machines, { setName: 'd-new', now: NOW, ...before });

  it('comes up in proportion to what its sets have when more are wanted than at the look before, and remembers that', () => {
    const sight = look(5, { replicasBefore: 3 });
    expect(sight.scaleUp).toEqual({ goals: { 'uid-of-old': 3, 'uid-of-new': 3 } });
    expect(ordersOf(sight)).toEqual({ old: [3, 3, 1], new: [3, 3, 2] });
    expect(look(5, { replicasBefore: 5, ...given({ scaleUp: sight.scaleUp }) }).scaleUp).toEqual(sight.scaleUp);
    expect(look(5, { replicasBefore: 5 })).not.toHaveProperty('scaleUp');
  });
});

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

  it('keeps the set that an earlier release made, which has come to another hash of the same template', () => {
    const made = seen('made-before', { replicas: 2, maxMachines: 3, templateHashNow: 'new', revision: 1 });
    const machines = [machine('a', 'made-before'), machine('b', 'made-before')];
    const sight = see(deployment(), [made], machines);
    expect(sight.steps.create).toBeUndefined();
    expect(sight.rollout.sets).toMatchObject([{ name: 'made-before', isCurrent: true }]);
    // What is on record of the template is under the hash of its set.
    expect(sight.templateHash).toBe('made-before');
    expect(see(deployment({ templateHash: 'other' }), [made], machines).templateHash).toBe('other');
  });

  it('keeps the newest of the sets that read as its template does, in whatever order they come', () => {
    const [first, second] = [1, 2].map((revision) => seen(`made-${revision}`, { templateHashNow: 'new', revision }));
    const exact = seen('new', { revision: 2 });
    const going = seen('going', { templateHashNow: 'new', revision: 9, deletedAt: '2026-01-01T11:00:00Z' });
    for (const [sets, current] of [
      [[first, second], 'made-2'],
      [[second, first], 'made-2'],
      [[first, second, going], 'made-2'],
      // One that has the very hash comes first only where it is as new.
      [[exact, second], 'new'],
      [[second, exact], 'new'],
      [[seen('new', { revision: 1 }), second], 'made-2'],
    ] as [SeenSet[], string][]) {
      const { rollout, templateHash } = see(deployment(), sets);
      expect([templateHash, rollout.sets.find(({ isCurrent }) => isCurrent)?.name]).toEqual([current, current]);
    }
  });

  it('makes the one that it goes back to the newest revision', () => {
    const sets = [seen('new', { revision: 1, replicas: 2, maxMachines: 3 }), seen('old', { revision: 2 })];
    const machines = [machine('a', 'new'), machine('b', 'new')];
    expect(ordersOf(see(deployment(), sets, machines))).toEqual({ new: [2, 3, 3] });
  });

  it('has a set that it adopted name it, as cluster-autoscaler looks for its sets', () => {
    const { deploymentName: _none, ...set } = seen('new', { replicas: 2, maxMachines: 3 }).set;
    const { orders } = see(deployment(), [{ ...seen('new'), set }], [machine('a', 'new'), machine('b', 'new')]).steps;
    expect(orders).toMatchObject([{ order: { deploymentName: 'd', replicas: 2 } }]);
  });

  it('tells which of their Machines go before others', () => {
    const sets = [seen('new', { replicas: 5, maxMachines: 6 })];
    const { readySince: _never, ...unready } = machine('d', 'new');
    const machines = [
      machine('a', 'new', { markedForDeletion: true }),
      { ...unready, name: 'b', uid: 'b', markedForDeletion: true },
      { ...unready, name: 'c', uid: 'c', hasNode: false, isFailed: true },
      { ...unready, hasNode: false },
      machine('e', 'new'),
    ];
    expect(see(deployment(), sets, machines).rollout.sets).toMatchObject([
      { first: { marked: 2, markedAvailable: 1, failed: 1, pending: 1 } },
    ]);
    expect(see(deployment(), sets, machines.slice(4)).rollout.sets[0]).not.toHaveProperty('first');
  });

  it('leaves a set alone that is as it is to be', () => {
    const sets = [seen('new', { replicas: 2, maxMachines: 3 })];
    const machines = [machine('a', 'new'), machine('b', 'new')];
    expect(see(deployment(), sets, machines).steps.orders).toEqual([]);
    expect(ordersOf(see(deployment({ minReadySeconds: 5 }), sets, machines))).toEqual({ new: [2, 3, 1] });
  });

  describe('what is changed in place', () => {
    const wanted = { ...NO_SETTINGS, labels: { tier: 'gold' }, drain: { timeout: '1h' } };
    const settled = deployment({ template: { ...TEMPLATE, settings: wanted } });
    const [of, old] = [
      { replicas: 2, maxMachines: 3, revision: 2 },
      { replicas: 0, maxMachines: 0, revision: 1 },
    ];
    const behind = (sets: readonly SeenSet[]) =>
      see(settled, sets, [machine('a', 'new'), machine('b', 'new')]).steps.orders.map(({ set, isBehind }) => [
        set.name,
        isBehind,
      ]);
    const has = (settings: Partial<typeof NO_SETTINGS>) => ({
      template: { ...TEMPLATE, settings: { ...NO_SETTINGS, ...settings } },
    });

    it('goes to all sets: to one of an earlier template only how machines go', () => {
      expect(behind([seen('new', of), seen('old', old)])).toEqual([
        ['new', true],
        ['old', true],
      ]);
      const drains = has({ drain: { timeout: '1h' } });
      expect(behind([seen('new', { ...of, ...drains }), seen('old', { ...old, ...drains })])).toEqual([['new', true]]);
      expect(behind([seen('new', { ...of, ...has(wanted) }), seen('old', { ...old, ...drains })])).toEqual([]);
    });

    it('does not go to a set that has it and is told something else', () => {
      expect(behind([seen('new', { ...of, ...has(wanted), replicas: 1 })])).toEqual([['new', undefined]]);
    });

    it('goes to the set of the template also where it has it, and has what it was before on record', () => {
      const back = { ...has(wanted), revisionTemplate: TEMPLATE };
      expect(behind([seen('new', { ...of, ...back }), seen('old', { ...old, ...back })])).toEqual([['new', true]]);
    });

    it('goes to none of an earlier template before the cloud has said that a launch of the new one works', () => {
      const sets = [seen('new', { ...of, replicas: 0 }), seen('old', { ...old, replicas: 2 })];
      const machines = [machine('a', 'old'), machine('b', 'old')];
      const told = (passed?: boolean) => {
        const status = given({ preflight: passed === undefined ? undefined : { ...asked(2).preflight, passed } });
        const sight = seeRollout(settled, sets, machines, { setName: 'd-new', now: NOW, status });
        return sight.steps.orders.map(({ set, isBehind }) => [set.name, isBehind]);
      };
      expect(told()).not.toContainEqual(['old', true]);
      expect(told(false)).not.toContainEqual(['old', true]);
      expect(told(false)).toContainEqual(['new', true]);
      expect(told(true)).toContainEqual(['old', true]);
    });

    it('goes there also while the rollout is paused', () => {
      const paused = { ...settled, isRolloutPaused: true };
      const [order] = see(paused, [seen('new', of)], [machine('a', 'new'), machine('b', 'new')]).steps.orders;
      expect(order).toMatchObject({ set: { name: 'new' }, isBehind: true });
    });
  });

  describe('the word of a rollout', () => {
    const [current, old] = [
      { replicas: 1, maxMachines: 1, revision: 2 },
      { replicas: 1, maxMachines: 0, revision: 1 },
    ];
    const sets = [seen('old', old), seen('new', current)];
    const words = (of: MachineDeployment, machines: readonly RolloutMachine[], seenSets = sets) =>
      Object.fromEntries(see(of, seenSets, machines).steps.orders.map(({ set, order }) => [set.name, order.rollout]));
    const both = [machine('a', 'old'), machine('b', 'new')];

    it('goes to all sets while machines of an earlier template are there, those included that are being deleted', () => {
      expect(words(deployment(), both)).toEqual({ old: 'outdated', new: 'rolling' });
      const going = [machine('a', 'old', { deleting: true }), machine('b', 'new')];
      expect(words(deployment(), going)).toMatchObject({ new: 'rolling' });
    });

    it('is there before the first of them is taken', () => {
      const { strategy } = deployment();
      const of = deployment({ strategy: { ...strategy, maxSurge: 0, maxUnavailable: 1 } });
      const olds = [machine('a', 'old'), machine('c', 'old')];
      const orderedFor = (told: Partial<MachineSet>, status = { observedGeneration: 3 }) => {
        const ofOld = seen('old', { ...old, replicas: 2, ...told }, { status });
        const all = [ofOld, seen('new', { ...current, replicas: 0, maxMachines: 0, rollout: 'rolling' })];
        const sight = seeRollout(of, all, olds, { setName: 'd-new', now: NOW, status: asked(2) });
        return sight.steps.orders.find(({ set }) => set.name === 'old')?.order;
      };
      expect(orderedFor({})).toMatchObject({ replicas: 2, rollout: 'outdated' });
      expect(orderedFor({ rollout: 'outdated' }, { observedGeneration: 2 })).toBeUndefined();
      expect(orderedFor({ rollout: 'outdated' })).toMatchObject({ replicas: 1, rollout: 'outdated' });
    });

    it('is taken back when they are gone, when it is paused, and where people delete them', () => {
      const told = [seen('old', { ...old, rollout: 'outdated' }), seen('new', { ...current, rollout: 'rolling' })];
      const { type: _rolls, ...strategy } = deployment().strategy;
      const none = { old: undefined, new: undefined };
      expect(words(deployment(), [machine('b', 'new')], told)).toEqual(none);
      expect(words(deployment({ isRolloutPaused: true }), both, told)).toEqual(none);
      expect(words(deployment({ strategy: { ...strategy, type: 'OnDelete' } }), both, told)).toEqual(none);
    });
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

  it('makes none of its template beside one that it adopts, though that has the name of the one to make', () => {
    const { controller: _none, ...orphan } = seen('new', { replicas: 2 });
    const named = { ...orphan, set: { ...orphan.set, ref: refOf('MachineSet', 'd-new') } };
    for (const one of [orphan, named]) {
      const { steps } = see(deployment(), [one]);
      expect(steps.adopt).toHaveLength(1);
      expect(steps).not.toHaveProperty('create');
      expect(steps).not.toHaveProperty('taken');
    }
    const { controller: _no, ...other } = seen('other', { replicas: 0 });
    expect(see(deployment(), [other]).steps).toMatchObject({ adopt: [{ name: 'other' }], create: { name: 'd-new' } });
  });

  it('makes one under another name where a set of its own has that name and another template, unless it goes', () => {
    const as = (name: string) => ({ setName: name, now: NOW });
    const edited = (set: Partial<MachineSet> = {}) =>
      seen('other', { ref: refOf('MachineSet', 'd-new'), revision: 4, ...set });
    const made = seeRollout(
      deployment(),
      [edited({ ref: refOf('MachineSet', 'd-0123456789') })],
      [],
      as('d-0123456789'),
    );
    expect(made.steps.create).toEqual({ name: 'd-01234567-5', revision: 5 });
    expect(see(deployment(), [edited({ deletedAt: '2026-01-01T11:00:00Z' })]).steps).toMatchObject({ taken: 'd-new' });
    const both = [edited(), seen('x', { ref: refOf('MachineSet', 'd-n-5') }, { controller: 'another' })];
    expect(see(deployment(), both).steps).toMatchObject({ taken: 'd-n-5' });
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
    expect(sight.deadlineMs).toBe(60_000);
    const pauses = [{ from: NOW - 20_000, to: NOW - 10_000 }];
    const paused = seeRollout(deployment(), [seen('new')], [coming], { setName: 'd-new', now: NOW, pauses });
    expect(paused.coming).toEqual({ failed: [], lateAt: NOW + 40_000 });
  });

  it('checks no deadline once the template was rolled out whole and the status says so, and no sooner', () => {
    const { readySince: _well, ...ill } = machine('m', 'new', { launchedAt: NOW - 90_000, downSince: NOW - 40_000 });
    const progress = {
      type: 'Progressing',
      status: 'True' as const,
      message: '',
      lastTransitionTime: '2026-01-01T11:00:00Z',
    };
    const over = { ...progress, reason: 'NewReplicaSetAvailable' } as const;
    const whole = { conditions: [over], revision: 2, completeTemplateHash: 'new' } as const;
    const failed = (status: Partial<MachineDeploymentStatus>, ...others: RolloutMachine[]) =>
      seeRollout(
        deployment(),
        [seen('new', { templateHash: 'new', revision: 2 }), seen('old', { replicas: others.length, revision: 1 })],
        [ill, ...others],
        { setName: 'd-new', now: NOW, status },
      ).coming.failed.length;
    expect(failed(whole)).toBe(0);
    expect(failed(whole, machine('o', 'old'))).toBe(1);
    expect(failed({ ...whole, conditions: [{ ...over, reason: 'ReplicaSetUpdated' }] })).toBe(1);
    expect(failed({ ...whole, revision: 7 })).toBe(1);
    // Of no machines it said so, too: what comes after that has to show that the template is any good.
    expect(failed({ ...whole, completeTemplateHash: 'old' })).toBe(1);
  });

  it('counts no machine as failed that is lost after its Node had joined where the template was rolled out whole', () => {
    const { readySince: _well, ...lost } = machine('m', 'new', { failure: 'its instance is gone', isFailed: true });
    const failed = (completeTemplateHash: string, ...others: RolloutMachine[]) =>
      seeRollout(
        deployment(),
        [seen('new', { templateHash: 'new', replicas: 2 }), seen('old', { replicas: others.length })],
        [lost, ...others],
        { setName: 'd-new', now: NOW, status: { completeTemplateHash } },
      ).coming.failed.length;
    const old = machine('o', 'old');
    expect([failed('new'), failed('old'), failed('new', old), failed('old', old)]).toEqual([0, 1, 1, 1]);
  });

  it('counts none as available that cannot be used, and says of a new one why', () => {
    const why = { unusable: 'Node n still has the taint booting:NoSchedule' };
    const sight = see(deployment(), [seen('new')], [machine('a', 'new'), machine('b', 'new', why)]);
    expect(sight.counts).toMatchObject({ readyReplicas: 2, availableReplicas: 1 });
    expect(sight.rollout.sets[0]?.available).toBe(1);
    expect(sight.coming.unusable).toBe('Machine b: Node n still has the taint booting:NoSchedule');
  });

  it('tells what one of its sets is refused', () => {
    const failing = seen(
      'new',
      {},
      { status: { observedGeneration: 3, error: { reason: 'CreateError', message: 'quota' } } },
    );
    const refused = { reason: 'FailedCreate', message: 'MachineSet new: quota' };
    expect(see(deployment(), [failing]).failure).toEqual(refused);
    const refusal = { type: 'MachinesDeleted', status: 'False', message: 'cannot delete a: no' } as const;
    const conditions = [{ ...refusal, reason: 'FailedDelete', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const keeping = seen('old', { replicas: 1 }, { status: { observedGeneration: 3, conditions } });
    const kept = { reason: 'FailedDelete', message: 'MachineSet old: cannot delete a: no' };
    const sight = see(deployment(), [keeping, seen('new')]);
    expect([sight.failure, sight.rollout.sets.map(({ isRefused }) => isRefused)]).toEqual([kept, [undefined, true]]);
    expect(see(deployment(), [keeping, failing]).failure).toEqual(refused);
    // A creation comes first, whichever set is the older.
    const young = { ...failing, createdAt: '2026-01-02T00:00:00Z' };
    expect(see(deployment(), [keeping, young]).failure).toEqual(refused);
    // Then a deletion: settings that are refused hold no rollout up.
    const settings = conditions.map((condition) => ({ ...condition, type: 'MachinesUpdated', message: 'no label' }));
    const told = { reason: 'FailedSettings', message: 'MachineSet new: no label' };
    const unlabelled = seen('new', {}, { status: { observedGeneration: 3, conditions: settings } });
    expect(see(deployment(), [unlabelled]).failure).toEqual(told);
    expect(see(deployment(), [unlabelled]).rollout.sets[0]).not.toHaveProperty('isRefused');
    for (const sets of [
      [unlabelled, keeping],
      [keeping, unlabelled],
    ]) {
      expect(see(deployment(), sets).failure).toEqual(kept);
    }
    const both = seen(
      'old',
      { replicas: 1 },
      { status: { observedGeneration: 3, conditions: [...settings, ...conditions] } },
    );
    expect(see(deployment(), [both, seen('new')]).failure).toEqual(kept);
    const done = conditions.map((condition) => ({ ...condition, status: 'True' as const }));
    const through = seen('old', { replicas: 1 }, { status: { observedGeneration: 3, conditions: done } });
    expect(see(deployment(), [through, seen('new')])).not.toHaveProperty('failure');
  });

  it('tells which machine of any of its sets keeps its place although it is being deleted, and of no other set', () => {
    const held = (name: string, set: string) => machine(name, set, { deleting: true, heldBy: 'HookPresent' });
    const sets = [seen('old'), seen('new', { revision: 2 }), seen('foreign', {}, { controller: 'another' })];
    const { controller: _none, ...orphan } = held('b', 'x');
    const heldUp = (...machines: RolloutMachine[]) => see(deployment(), sets, machines).heldUp;
    const others = [held('a', 'foreign'), orphan];
    expect(heldUp(...others, held('c', 'old'), held('d', 'new'))).toEqual({
      name: 'c',
      reason: 'HookPresent',
      more: 1,
    });
    expect(heldUp(...others, machine('c', 'old', { deleting: true }))).toBeUndefined();
  });

  it('tells which of its sets is paused, as long as there is something to hold', () => {
    const held = seen('old', { paused: true, replicas: 1 });
    expect(see(deployment(), [held, seen('new')]).pausedSet).toBe('old');
    expect(see(deployment(), [seen('old', { replicas: 1 }), seen('new')])).not.toHaveProperty('pausedSet');
    const empty = seen('old', { paused: true });
    expect(see(deployment(), [empty, seen('new')])).not.toHaveProperty('pausedSet');
    expect(see(deployment(), [empty, seen('new')], [machine('a', 'old')]).pausedSet).toBe('old');
    const going = seen('old', { paused: true, replicas: 1, deletedAt: '2026-01-01T00:00:00Z' });
    expect(see(deployment(), [going, seen('new')])).not.toHaveProperty('pausedSet');
  });
});

describe('the sets of a deployment', () => {
  it('come by their age, and by their names where that is the same', () => {
    const at = (day: number) => ({ createdAt: `2026-01-0${day}T00:00:00Z` });
    const sets = [seen('c', {}, at(3)), seen('b', {}, at(2)), seen('a', {}, at(2)), seen('d', {}, at(1))];
    const named = (all: readonly SeenSet[]) => see(deployment(), all).rollout.sets.map(({ name }) => name);
    expect(named(sets)).toEqual(['d', 'a', 'b', 'c']);
    expect(named(sets.toReversed())).toEqual(['d', 'a', 'b', 'c']);
  });

  it('are seen as they are told to be, with their Machines; those that it does not select any more are not active', () => {
    const of = seen('new', { replicas: 4, maxMachines: 5, revision: 7 });
    const { readySince: _never, ...coming } = machine('d', 'new');
    const machines = [
      machine('a', 'new'),
      machine('b', 'new', { deleting: true }),
      machine('c', 'new', { labels: LABELS }),
      coming,
    ];
    expect(see(deployment({ replicas: 4 }), [of], machines).rollout.sets).toEqual([
      {
        name: 'new',
        uid: 'uid-of-new',
        isCurrent: true,
        revision: 7,
        replicas: 4,
        maxMachines: 5,
        hasAnswered: true,
        isDeleting: false,
        existing: 4,
        active: 2,
        available: 1,
      },
    ]);
    const { maxMachines: _none, ...free } = of.set;
    expect(see(deployment(), [{ ...of, set: free }]).rollout.sets[0]).not.toHaveProperty('maxMachines');
    expect(see(deployment(), [{ ...of, status: {} }]).rollout.sets[0]).toMatchObject({ hasAnswered: false });
  });

  it('that are being deleted are not that of its template', () => {
    const going = seen('new', { deletedAt: '2026-01-01T11:00:00Z', revision: 3 });
    const { rollout, steps } = see(deployment(), [going]);
    expect(rollout.sets).toMatchObject([{ isCurrent: false, isDeleting: true }]);
    expect(steps.create).toEqual({ name: 'd-new', revision: 4 });
  });

  it('that have no revision get the next ones, by their age; that of its template gets the greatest', () => {
    const sets = ['a', 'b', 'new'].map((name) => seen(name, { revision: 0 }));
    const revisions = (all: readonly SeenSet[]) =>
      Object.fromEntries(see(deployment(), all).rollout.sets.map(({ name, revision }) => [name, revision]));
    expect(revisions([...sets, seen('c', { revision: 4 })])).toEqual({ c: 4, a: 5, b: 6, new: 7 });
    expect(revisions([seen('new', { revision: 4 }), seen('c', { revision: 4 })])).toEqual({ c: 4, new: 5 });
    expect(revisions([seen('new', { revision: 4 }), seen('c', { revision: 3 })])).toEqual({ c: 3, new: 4 });
  });

  it('of its template are several after an adoption: the newest revision is that of it, and else the oldest', () => {
    const day = (number: number) => ({ createdAt: `2026-01-0${number}T00:00:00Z` });
    const same = { templateHash: 'new' };
    const adopted = seen('adopted', { ...same, revision: 0 }, day(1));
    const own = seen('own', { ...same, revision: 3 }, day(2));
    const currentOf = (...sets: SeenSet[]) =>
      see(deployment(), sets)
        .rollout.sets.filter(({ isCurrent }) => isCurrent)
        .map(({ name }) => name);
    expect(currentOf(adopted, own)).toEqual(['own']);
    expect(currentOf(own, adopted)).toEqual(['own']);
    expect(currentOf(seen('younger', { ...same, revision: 0 }, day(3)), adopted)).toEqual(['adopted']);
  });

  it('are paused for first where several have its template by an adoption: machines of all but one are replaced', () => {
    const orphan = (name: string, set: Partial<MachineSet> = {}) => {
      const { controller: _none, ...without } = seen(name, { templateHash: 'new', replicas: 2, revision: 0, ...set });
      return without;
    };
    const pausesFor = (...sets: SeenSet[]) => see(deployment(), sets).steps.pauseFirst;
    const own = seen('own', { templateHash: 'new', replicas: 2, revision: 3 });
    expect(pausesFor(orphan('a'))).toBe(false);
    expect(pausesFor(orphan('a'), orphan('b'))).toBe(true);
    expect(pausesFor(own, orphan('a'))).toBe(true);
    expect(pausesFor(own, orphan('a', { replicas: 0 }))).toBe(false);
    // By its revision it is to be that of the template.
    expect(pausesFor(own, orphan('a', { revision: 7, replicas: 0 }))).toBe(true);
    expect(pausesFor(seen('own', { templateHash: 'new', revision: 3 }), orphan('a', { revision: 7 }))).toBe(false);
    // Of equals the oldest is.
    const older = { ...orphan('a', { revision: 3, replicas: 0 }), createdAt: '2025-12-31T00:00:00Z' };
    expect(pausesFor(own, older)).toBe(true);
    // An earlier release came to another hash of the same template.
    expect(pausesFor(seen('made-before', { templateHashNow: 'new', replicas: 2 }), orphan('a'))).toBe(true);
  });

  it('of somebody else, and of its names, are in its way one by one', () => {
    const named = { ref: refOf('MachineSet', 'd-new') };
    const others = [seen('x', {}, { controller: 'another' }), seen('y', named, { controller: 'a third' })];
    expect(see(deployment(), others).steps).toMatchObject({ taken: 'd-new' });
  });

  it('are not adopted where another has them, they are going, or are not what they should be', () => {
    const { controller: _none, ...orphan } = seen('other', { replicas: 2 });
    const broken = { ...orphan, set: { ...orphan.set, malformed: 'no template' } };
    const going = { ...orphan, set: { ...orphan.set, deletedAt: '2026-01-01T11:00:00Z' } };
    for (const one of [broken, going, { ...orphan, controller: 'another' }]) {
      expect(see(deployment(), [one]).steps).toMatchObject({ adopt: [], pauseFirst: false });
    }
    expect(see(deployment({ isRolloutPaused: true }), [orphan]).steps).toMatchObject({ pauseFirst: false });
    const { controller: _no, ...same } = seen('new', { replicas: 2 });
    expect(see(deployment(), [same, orphan]).steps).toMatchObject({ pauseFirst: true });
  });

  it('are kept while it is paused, while they are going or have not answered, and where they may be gone back to', () => {
    const old = (n: number, set: Partial<MachineSet> = {}, more: Partial<SeenSet> = {}) =>
      seen(`old-${n}`, { revision: n, ...set }, more);
    const removed = (of: MachineDeployment, sets: readonly SeenSet[], completeTemplateHash?: string) =>
      seeRollout(of, [seen('new', { revision: 9 }), ...sets], [], {
        setName: 'd-new',
        now: NOW,
        ...given({ status: completeTemplateHash === undefined ? undefined : { completeTemplateHash } }),
      }).steps.remove.map(({ name }) => name);
    expect(removed(deployment(), [old(3), old(1), old(2)])).toEqual(['old-1', 'old-2']);
    expect(removed(deployment({ isRolloutPaused: true }), [old(1), old(2)])).toEqual([]);
    expect(removed(deployment(), [old(1, { deletedAt: '2026-01-01T11:00:00Z' }), old(2)])).toEqual([]);
    expect(removed(deployment(), [old(1, {}, { status: {} }), old(2)])).toEqual([]);
    expect(removed(deployment(), [old(1, { replicas: 1 }), old(2)])).toEqual([]);
    expect(removed(deployment(), [old(1), old(2), old(3)], 'old-1')).toEqual(['old-2']);
    const late = { createdAt: '2026-01-01T10:00:00Z' };
    expect(removed(deployment(), [old(1, {}, late), old(2)])).toEqual(['old-1']);
    const filled = [old(1, { replicas: 1 }), old(2), old(3)];
    const sight = see(deployment(), [seen('new', { revision: 9 }), ...filled], [machine('a', 'old-1')]);
    expect(sight.steps.remove.map(({ name }) => name)).toEqual(['old-2']);
  });
});

describe('the Machines that go before others', () => {
  const { readySince: _never, ...unready } = machine('x', 'new');
  const [marked, failed] = [{ markedForDeletion: true }, { isFailed: true }];
  const first = (...changes: Partial<RolloutMachine>[]) =>
    see(
      deployment(),
      [seen('new', { replicas: 5, maxMachines: 6 })],
      changes.map((each, at) => ({ ...unready, name: `m-${at}`, uid: `m-${at}`, ...each })),
    ).rollout.sets[0]?.first;

  it('are counted once each: as marked, else as failed, else as without a Node', () => {
    const none = { hasNode: false };
    expect(first({ ...marked, ...failed, ...none }, { ...failed, ...none }, none, none)).toEqual({
      marked: 1,
      markedAvailable: 0,
      failed: 1,
      pending: 2,
    });
  });

  it('are told of whichever there are', () => {
    expect(first(marked, failed)).toMatchObject({ marked: 1, failed: 1, pending: 0 });
    expect(first(marked, { hasNode: false })).toMatchObject({ marked: 1, failed: 0, pending: 1 });
    expect(first({})).toBeUndefined();
  });
});

describe('what a deployment counts', () => {
  it('are the Machines of its sets', () => {
    const machines = [machine('a', 'new'), machine('b', 'foreign')];
    const sets = [seen('new'), seen('foreign', {}, { controller: 'another' })];
    expect(see(deployment(), sets, machines).counts).toMatchObject({ replicas: 1, unavailableReplicas: 1 });
  });

  it('are available from the very moment on at which they have been Ready for long enough', () => {
    const sight = (readySince: string) =>
      see(deployment({ minReadySeconds: 5 }), [seen('new')], [machine('a', 'new', { readySince })]);
    const now = sight('2026-01-01T11:59:55Z');
    expect([now.counts.availableReplicas, now.rollout.sets[0]?.available]).toEqual([1, 1]);
    expect(now).not.toHaveProperty('availableAt');
    const soon = sight('2026-01-01T11:59:55.001Z');
    expect([soon.counts.availableReplicas, soon.rollout.sets[0]?.available]).toEqual([0, 0]);
    expect(soon.availableAt).toBe(NOW + 1);
  });

  it('are available next when the first of them is', () => {
    const machines = [58, 56, 57].map((second) =>
      machine(`m-${second}`, 'new', { readySince: `2026-01-01T11:59:${second}Z` }),
    );
    expect(see(deployment({ minReadySeconds: 5 }), [seen('new')], machines).availableAt).toBe(NOW + 1000);
  });

  it('are strays only where its selector matches them', () => {
    const { controller: _none, ...orphan } = machine('a', 'x');
    const sight = see(deployment(), [seen('new')], [orphan, { ...orphan, name: 'b', labels: {} }]);
    expect(sight.rollout.strays).toBe(1);
  });

  it('are new ones only of the set of its template', () => {
    const late = { launchedAt: NOW - 90_000 };
    const { readySince: _never, ...old } = machine('a', 'old', late);
    const { controller: _none, ...orphan } = old;
    const sets = [seen('old'), seen('new', { revision: 2 })];
    expect(see(deployment(), sets, [old, orphan]).coming).toEqual({ failed: [] });
    expect(see(deployment(), [seen('old')], [old, orphan]).coming).toEqual({ failed: [] });
  });

  it('have failed as often as may be, or never too often', () => {
    expect(see(deployment(), []).failureThreshold).toBe(1);
    const { failureThreshold: _none, ...strategy } = deployment().strategy;
    expect(see(deployment({ strategy }), [])).not.toHaveProperty('failureThreshold');
  });
});

describe('a rollout by steps', () => {
  const steps = [{ kind: 'machines', machines: 1 }, { kind: 'approval' }] as const;
  const stepped = deployment({ replicas: 3, strategy: { ...deployment().strategy, steps } });
  const sets = [seen('old', { replicas: 3 }), seen('new', { revision: 2 })];
  const at = (passed: number, revision = 2) => ({
    ...asked(revision),
    step: { templateHash: 'new', revision, passed, since: '2026-01-01T11:00:00Z' },
  });
  const sightOf = (
    of: MachineDeployment,
    seenSets: readonly SeenSet[],
    status: object,
    machines: RolloutMachine[] = [],
  ) => seeRollout(of, seenSets, machines, { setName: 'd-new', now: NOW, status });

  it('makes as many new machines as its step allows, and stands still where that waits', () => {
    const first = sightOf(stepped, sets, at(0));
    expect(first.rollout).toMatchObject({ isHeld: false, mostNew: 1 });
    expect([first.step?.number, first.hold]).toEqual([1, undefined]);
    const second = sightOf(stepped, sets, at(1));
    expect(second.rollout).toMatchObject({ isHeld: true });
    expect(second.hold).toMatchObject({ reason: 'WaitingForApproval' });
    expect(second.rollout).not.toHaveProperty('mostNew');
  });

  it('begins anew with another revision of its template, and before there is a set of it', () => {
    expect(sightOf(stepped, sets, at(1, 1)).step).toMatchObject({ number: 1 });
    expect(sightOf(stepped, [sets[0]!], at(1)).step).toMatchObject({ number: 1 });
    expect(sightOf(stepped, sets, at(1)).step).toMatchObject({ number: 2 });
  });

  it('has steps while machines of an earlier template are there, or are to be', () => {
    const [empty, current] = [seen('old'), seen('new', { revision: 2, replicas: 3 })];
    const own = [machine('a', 'new')];
    expect(sightOf(stepped, [empty, current], at(0), own).step).toBeUndefined();
    expect(sightOf(stepped, [current], at(0), own).step).toBeUndefined();
    expect(sightOf(stepped, [empty, current], at(0), [...own, machine('b', 'old')]).step).toBeDefined();
    expect(sightOf(stepped, [seen('old', { replicas: 1 }), empty, current], at(0), own).step).toBeDefined();
  });
});

describe('what the cloud says before a rollout', () => {
  const sets = [seen('old', { replicas: 1 }), seen('new', { revision: 2 })];
  const of = (seenSets: readonly SeenSet[], status: object, machines: RolloutMachine[] = [machine('a', 'old')]) =>
    seeRollout(deployment(), seenSets, machines, { setName: 'd-new', now: NOW, status });

  it('is waited for while there is no machine of the template, and is told with what is known', () => {
    const waiting = of(sets, {});
    expect(waiting.hold).toMatchObject({ reason: 'PreflightPending' });
    expect(waiting.preflight).toEqual({ hasNew: false });
    const passed = of(sets, asked(2));
    expect(passed).not.toHaveProperty('hold');
    expect(passed.preflight).toEqual({ hasNew: false, known: asked(2).preflight });
  });

  it('is known of a template of which there are machines, and is of no weight where nothing is replaced', () => {
    expect(of(sets, {}, [machine('a', 'old'), machine('b', 'new')])).not.toHaveProperty('hold');
    expect(of([sets[1]!], {}, [])).not.toHaveProperty('preflight');
  });
});

describe('a deployment that may replace nothing', () => {
  it('makes no set of another template', () => {
    const strategy = { ...deployment().strategy, mayReplace: false };
    const sight = see(deployment({ strategy }), [seen('old', { replicas: 1 })], [machine('a', 'old')]);
    expect(sight.hold).toMatchObject({ reason: 'ReplaceNotAllowed' });
    expect(sight.steps).not.toHaveProperty('create');
  });
});

describe('the way back of a rollout', () => {
  const strategy = { ...deployment().strategy, rollsBack: true };
  const sets = [seen('old', { revision: 1 }), seen('new', { revision: 2 })];

  it('is the set of the last template that was rolled out whole', () => {
    const sight = seeRollout(deployment({ strategy }), sets, [], {
      setName: 'd-new',
      now: NOW,
      status: { completeTemplateHash: 'old' },
    });
    expect(sight.wayBack).toMatchObject({ to: { name: 'old', revision: 1 } });
    expect(see(deployment(), sets)).not.toHaveProperty('wayBack');
  });

  it('is told to have been taken as long as the revision is the one after that which failed', () => {
    const rolledBack = { from: 'bad', revision: 1, why: 'Machine m: no Node joined' } as never;
    expect(see(deployment({ rolledBack }), sets).rolledBack).toBe(rolledBack);
    const later = [seen('old', { revision: 1 }), seen('new', { revision: 3 })];
    expect(see(deployment({ rolledBack }), later)).not.toHaveProperty('rolledBack');
    expect(see(deployment(), sets)).not.toHaveProperty('rolledBack');
  });
});

describe('what sets are told', () => {
  it('goes first to those that are to have fewer machines', () => {
    const sets = [
      seen('new', { revision: 2, replicas: 1, maxMachines: 3 }),
      seen('old', { revision: 1, replicas: 2, maxMachines: 0, rollout: 'outdated' }),
    ];
    const machines = [machine('a', 'new'), machine('b', 'old'), machine('c', 'old')];
    const named = (all: readonly SeenSet[]) =>
      see(deployment({ replicas: 2 }), all, machines).steps.orders.map(({ set, order, from }) => [
        set.name,
        order.replicas - from,
      ]);
    expect(named(sets)).toEqual([
      ['old', -1],
      ['new', 0],
    ]);
    expect(named(sets.toReversed())).toEqual([
      ['old', -1],
      ['new', 0],
    ]);
  });

  it('goes first to those that are to have fewer machines, also where others are to have as many more', () => {
    const strategy = { ...deployment().strategy, type: 'OnDelete' as const };
    const sets = [
      seen('new', { revision: 2, maxMachines: 1 }, { createdAt: '2026-01-01T00:00:00Z' }),
      seen('old', { revision: 1, replicas: 2, maxMachines: 0 }, { createdAt: '2026-01-02T00:00:00Z' }),
    ];
    const machines = [machine('a', 'old'), machine('b', 'old', { deleting: true })];
    const beside = { setName: 'd-new', now: NOW, status: asked(2) };
    const { orders } = seeRollout(deployment({ replicas: 2, strategy }), sets, machines, beside).steps;
    expect(orders.map(({ set, order, from }) => [set.name, order.replicas - from])).toEqual([
      ['old', -1],
      ['new', 1],
    ]);
  });

  it('is told where only the limit is another, or only the number of machines', () => {
    const machines = [machine('a', 'new'), machine('b', 'new')];
    const of = (set: Partial<MachineSet>) =>
      ordersOf(see(deployment(), [seen('new', { replicas: 2, maxMachines: 3, ...set })], machines));
    expect(of({ maxMachines: 2 })).toEqual({ new: [2, 3, 1] });
    expect(of({ replicas: 1 })).toEqual({ new: [2, 3, 1] });
    expect(of({})).toEqual({});
  });
});
