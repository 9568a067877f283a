import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { DeletePolicy, MachineSet, Replica } from '../../k8s/model/machine-set.ts';
import { NO_SETTINGS, textOfSettings } from '../../k8s/model/template-settings.ts';
import { given } from '../../providers/given.ts';
import { planReplicas } from './plan-replicas.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const UID = 'uid-of-the-set';
const LABELS = { set: 'workers' };
const DEPLOYMENT = { apiVersion: 'a/v1', kind: 'MachineDeployment', namespace: 'default', name: 'd', uid: 'd' };

function setOf(changes: Partial<MachineSet> = {}): MachineSet {
  return {
    ref: { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', namespace: 'default', name: 's', uid: UID },
    generation: 1,
    paused: false,
    replicas: 3,
    minReadySeconds: 0,
    deletePolicy: 'Random',
    replaceAfter: 'Deleted',
    selector: { matchLabels: LABELS },
    template: { labels: LABELS, annotations: {}, spec: {}, settings: NO_SETTINGS },
    templateHash: 'hash',
    revision: 0,
    ...changes,
  };
}

/** A Machine of the set, with a Ready Node. */
function replica(name: string, changes: Partial<Replica> = {}): Replica {
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    labels: LABELS,
    controller: UID,
    createdAt: '2026-01-01T00:00:00Z',
    deleting: false,
    phase: 'Running',
    hasNode: true,
    readySince: '2026-01-01T11:00:00Z',
    markedForDeletion: false,
    ...changes,
  };
}

function withoutController({ controller: _controller, ...rest }: Replica): Replica {
  return rest;
}

function withoutNode({ readySince: _readySince, ...rest }: Replica): Replica {
  return { ...rest, hasNode: false };
}

const names = (victims: readonly { readonly name: string }[]): string[] => victims.map((v) => v.name);

/** True once in so many times. */
const onceIn = (times: number) => fc.nat(times - 1).map((n) => n === 0);

/** Mostly the set's own: else there would hardly ever be too many. */
const anyReplica = fc
  .record({
    id: fc.nat(40),
    owner: fc.constantFrom('mine', 'mine', 'mine', 'mine', 'nobody', 'another'),
    selected: onceIn(6).map((isNot) => !isNot),
    deleting: onceIn(4),
    going: fc.constantFrom('begun', 'draining', 'drained', 'ending', undefined),
    marked: fc.boolean(),
    ready: fc.boolean(),
    failed: fc.boolean(),
  })
  .map(({ id, owner, selected, deleting, going, marked, ready, failed }) => {
    const own = replica(`m-${id}`, {
      labels: selected ? LABELS : {},
      deleting,
      ...given({ going: deleting ? going : undefined }),
      markedForDeletion: marked,
      phase: failed ? 'Failed' : 'Running',
      controller: owner === 'mine' ? UID : 'uid-of-another',
    });
    const owned = owner === 'nobody' ? withoutController(own) : own;
    return ready ? owned : withoutNode(owned);
  });

const anyWorld = fc.record({
  replicas: fc.nat(20),
  machines: fc.uniqueArray(anyReplica, { selector: (m) => m.name, maxLength: 30, size: 'max' }),
  issued: fc.uniqueArray(
    fc.nat(60).map((n) => `m-${n}`),
    { maxLength: 12 },
  ),
  deletePolicy: fc.constantFrom<DeletePolicy>('Random', 'Newest', 'Oldest'),
});

describe('the plan of a set', () => {
  it('never lets members, issued names, held places and new ones exceed the replicas', () => {
    fc.assert(
      fc.property(anyWorld, ({ machines, issued, ...set }) => {
        const plan = planReplicas(setOf(set), machines, issued, NOW);
        const all = plan.counts.replicas + plan.unseen.length + plan.held + plan.create;
        if (plan.create + plan.unseen.length > 0) expect(all).toBeLessThanOrEqual(set.replicas);
        if (all < set.replicas) throw new Error(`${set.replicas - all} machines are forgotten`);
      }),
    );
  });

  it('deletes its own down to the replicas, never what is deleting already, and never what is not its own yet', () => {
    fc.assert(
      fc.property(anyWorld, ({ machines, issued, ...set }) => {
        const plan = planReplicas(setOf(set), machines, issued, NOW);
        const own = plan.counts.replicas - plan.adopt.length;
        expect(own - plan.remove.length).toBe(Math.min(own, set.replicas));
        for (const { name } of plan.remove) {
          const victim = machines.find((m) => m.name === name);
          expect(victim).toMatchObject({ deleting: false, labels: LABELS, controller: UID });
        }
      }),
    );
  });

  it('never creates and deletes at once', () => {
    fc.assert(
      fc.property(anyWorld, ({ machines, issued, ...set }) => {
        const plan = planReplicas(setOf(set), machines, issued, NOW);
        expect(plan.remove.length === 0 || plan.create + plan.unseen.length === 0).toBe(true);
      }),
    );
  });

  it('chooses the same Machines to delete in whatever order they are listed', () => {
    fc.assert(
      fc.property(anyWorld, fc.nat(), ({ machines, issued, ...set }, turn) => {
        const at = machines.length === 0 ? 0 : turn % machines.length;
        const turned = [...machines.slice(at), ...machines.slice(0, at)];
        const [one, other] = [machines, turned].map((m) => planReplicas(setOf(set), m, issued, NOW).remove);
        expect(other).toEqual(one);
      }),
    );
  });

  it('is the same where less is known of those that concern the set no more', () => {
    fc.assert(
      fc.property(anyWorld, ({ machines, issued, ...set }) => {
        const concern = (m: Replica): boolean =>
          m.controller === UID || (m.controller === undefined && m.labels === LABELS);
        const others = machines
          .filter((m) => !concern(m))
          .map(({ name, labels, deleting, controller }) => ({ name, labels, deleting, ...given({ controller }) }));
        const plan = planReplicas(setOf(set), machines.filter(concern), issued, NOW, others);
        expect(plan).toEqual(planReplicas(setOf(set), machines, issued, NOW));
      }),
    );
  });

  it('counts names that were issued and not yet seen, and forgets those that are there by now', () => {
    const plan = planReplicas(setOf(), [replica('s-a')], ['s-a', 's-b'], NOW);
    expect(plan).toMatchObject({ unseen: ['s-b'], create: 1 });
    // Every look is recorded: what there is none of costs nothing.
    expect(plan).not.toHaveProperty('spare');
  });

  it('does not create issued names that are wanted no more, and remembers them: they may still come to be', () => {
    const plan = planReplicas(setOf({ replicas: 2 }), [replica('s-a')], ['s-b', 's-c'], NOW);
    expect(plan).toMatchObject({ unseen: ['s-b'], spare: ['s-c'], create: 0, remove: [] });
  });

  it.each([
    ['Deleted', [1, 0, 0, 0, 0]],
    ['Drained', [1, 1, 0, 0, 0]],
    ['Gone', [1, 1, 1, 1, 0]],
  ] as const)(
    'replaces a deleted Machine after it is %s, and holds back one creation until then',
    (replaceAfter, held) => {
      const stages = ['begun', 'draining', 'drained', 'ending', undefined] as const;
      const plans = stages.map((going) =>
        planReplicas(setOf({ replaceAfter }), [replica('s-a', { deleting: true, ...given({ going }) })], [], NOW),
      );
      expect(plans.map((plan) => plan.held)).toEqual(held);
      expect(plans.map(({ create }) => create)).toEqual(held.map((one) => 3 - one));
    },
  );
});

describe('which Machines a set deletes', () => {
  it('goes by mark, then Failed, then without Node, then not Ready', () => {
    const { readySince: _readySince, ...notReady } = replica('s-2-not-ready');
    const machines = [
      replica('s-1-ready'),
      notReady,
      withoutNode(replica('s-3-node-less')),
      replica('s-4-failed', { phase: 'Failed' }),
      replica('s-5-marked', { markedForDeletion: true }),
    ];
    const order = [1, 2, 3, 4].map(
      (count) => names(planReplicas(setOf({ replicas: 5 - count }), machines, [], NOW).remove).at(-1) ?? '',
    );
    expect(order).toEqual(['s-5-marked', 's-4-failed', 's-3-node-less', 's-2-not-ready']);
  });

  it.each([
    ['Oldest', 's-old'],
    ['Newest', 's-new'],
  ] as const)('goes, among equals, by the policy %s', (deletePolicy, victim) => {
    const machines = [
      replica('s-new', { createdAt: '2026-01-01T03:00:00Z' }),
      replica('s-old', { createdAt: '2026-01-01T01:00:00Z' }),
      replica('s-mid', { createdAt: '2026-01-01T02:00:00Z' }),
    ];
    expect(names(planReplicas(setOf({ replicas: 2, deletePolicy }), machines, [], NOW).remove)).toEqual([victim]);
  });
});

describe('who belongs to a set', () => {
  it('adopts orphans that its selector selects, and nobody else’s Machine', () => {
    const orphan = withoutController(replica('s-orphan'));
    const another = replica('s-another', { controller: 'uid-of-another' });
    const unselected = withoutController(replica('s-unselected', { labels: {} }));
    const plan = planReplicas(setOf(), [orphan, another, unselected], [], NOW);
    expect(names(plan.adopt)).toEqual(['s-orphan']);
    expect(plan).toMatchObject({ create: 2, release: [] });
  });

  it('counts an orphan as a filled place before it is adopted, and deletes neither it nor another for it', () => {
    const orphan = withoutController(replica('s-orphan', { markedForDeletion: true }));
    const own = ['s-a', 's-b', 's-c'].map((name) => replica(name));
    expect(planReplicas(setOf(), [...own, orphan], [], NOW)).toMatchObject({ remove: [], create: 0 });
    expect(planReplicas(setOf(), [...own.slice(1), orphan], [], NOW)).toMatchObject({ remove: [], create: 0 });
    const plan = planReplicas(setOf({ replicas: 2 }), [...own, orphan], [], NOW);
    expect(plan.remove).toHaveLength(1);
    expect(names(plan.remove)).not.toContain('s-orphan');
  });

  it('tells of a Machine that its selector matches and another controller has', () => {
    const another = replica('s-another', { controller: 'uid-of-another' });
    const contested = (...machines: Replica[]) => planReplicas(setOf(), machines, [], NOW).contested;
    expect(contested(replica('s-a'), withoutController(replica('s-b')), another)).toBe('s-another');
    expect(contested(replica('s-a'), withoutController(replica('s-b')))).toBeUndefined();
    expect(contested({ ...another, deleting: true }, { ...another, labels: {} })).toBeUndefined();
  });

  it('lets go of a Machine whose labels no longer match, and replaces it', () => {
    const machines = [replica('s-a', { labels: {} }), replica('s-b')];
    const plan = planReplicas(setOf({ replicas: 2 }), machines, [], NOW);
    expect(names(plan.release)).toEqual(['s-a']);
    expect(plan).toMatchObject({ create: 1, remove: [] });
  });

  it('leaves Machines that are being deleted where they are', () => {
    const orphan = withoutController(replica('s-orphan', { deleting: true }));
    const stray = replica('s-stray', { deleting: true, labels: {} });
    expect(planReplicas(setOf(), [orphan, stray], [], NOW)).toMatchObject({ adopt: [], release: [] });
  });
});

describe('what a set counts', () => {
  it('calls a Machine available minReadySeconds after it became ready, and says when the next one will be', () => {
    const machines = [
      replica('s-a', { readySince: '2026-01-01T11:59:00Z' }),
      replica('s-b', { readySince: '2026-01-01T11:59:30Z' }),
      withoutNode(replica('s-c')),
      replica('s-d', { readySince: '2026-01-01T11:59:45Z' }),
    ];
    const plan = planReplicas(setOf({ minReadySeconds: 60 }), machines, [], NOW);
    expect(plan.counts).toMatchObject({ replicas: 4, readyReplicas: 3, availableReplicas: 1 });
    expect(plan.availableAt).toBe(NOW + 30_000);
    expect(planReplicas(setOf({ minReadySeconds: 60 }), machines.slice(0, 1), [], NOW)).not.toHaveProperty(
      'availableAt',
    );
  });

  it('calls a Machine available from that very moment on', () => {
    const machines = [replica('s-a', { readySince: '2026-01-01T11:59:00Z' })];
    const plan = planReplicas(setOf({ minReadySeconds: 60 }), machines, [], NOW);
    expect(plan.counts).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    expect(plan).not.toHaveProperty('availableAt');
  });

  it('calls one that is Ready available at once, where that is enough, although the clock of who says so is ahead', () => {
    const plan = planReplicas(setOf(), [replica('s-a', { readySince: '2026-01-01T12:00:30Z' })], [], NOW);
    expect(plan.counts).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    expect(plan).not.toHaveProperty('availableAt');
  });

  it('calls none available that cannot be used, says of one why, and takes it first', () => {
    const why = { unusable: 'Node n still has the taint booting:NoSchedule' };
    const machines = [replica('s-a'), withoutNode(replica('s-c', why)), replica('s-b', why)];
    const plan = planReplicas(setOf({ replicas: 2 }), machines, [], NOW);
    expect(plan.counts).toMatchObject({ readyReplicas: 2, availableReplicas: 1 });
    expect(plan.unusable).toBe('Machine s-b: Node n still has the taint booting:NoSchedule');
    expect(plan.remove.map(({ name }) => name)).toEqual(['s-c']);
    expect(planReplicas(setOf({ replicas: 1 }), machines, [], NOW).remove.map(({ name }) => name)).toEqual([
      's-c',
      's-b',
    ]);
    expect(planReplicas(setOf(), [replica('s-a')], [], NOW)).not.toHaveProperty('unusable');
  });

  it('calls only those fully labelled that carry all labels of the template', () => {
    const set = setOf({
      template: { labels: { ...LABELS, tier: 'gold' }, annotations: {}, spec: {}, settings: NO_SETTINGS },
    });
    const machines = [replica('s-a', { labels: { ...LABELS, tier: 'gold' } }), replica('s-b')];
    const { counts } = planReplicas(set, machines, [], NOW);
    expect(counts).toMatchObject({ fullyLabeledReplicas: 1, labelSelector: 'set=workers' });
  });
});

describe('which Machines a set changes', () => {
  const SETTINGS = { ...NO_SETTINGS, labels: { tier: 'gold' } };
  const template = { labels: LABELS, annotations: {}, spec: {}, settings: SETTINGS };
  const settings = textOfSettings(SETTINGS) ?? '';
  const changed = (set: Partial<MachineSet>, ...machines: Replica[]) =>
    planReplicas(setOf(set), machines, [], NOW).update?.map(({ name }) => name);

  it('are those of a deployment that do not have what its template says, also while they are being deleted', () => {
    const behind = [replica('s-a'), replica('s-b', { settings: '{}' }), replica('s-c', { deleting: true })];
    expect(changed({ deployment: DEPLOYMENT, template }, ...behind)).toEqual(['s-a', 's-b', 's-c']);
    expect(changed({ deployment: DEPLOYMENT, template }, replica('s-a', { settings }))).toBeUndefined();
  });

  it('are none of a set that no deployment has, none of others, and none that it lets go of', () => {
    expect(changed({ template }, replica('s-a'))).toBeUndefined();
    const others = [replica('s-a', { controller: 'uid-of-another' }), replica('s-b', { labels: {} })];
    expect(changed({ deployment: DEPLOYMENT, template }, ...others)).toBeUndefined();
  });

  it('are those that a rollout has not reached, or that it is over for; one that is being deleted needs to know no more', () => {
    const machines = [
      replica('s-a'),
      replica('s-b', { rollout: 'rolling' }),
      replica('s-c', { rollout: 'outdated', deleting: true }),
    ];
    expect(changed({ rollout: 'rolling' }, ...machines)).toEqual(['s-a']);
    expect(changed({}, ...machines)).toEqual(['s-b']);
  });
});

describe('marks of cluster-autoscaler', () => {
  const marks = (replicas: number, ...machines: Replica[]) =>
    planReplicas(setOf({ replicas }), machines, [], NOW).marks;

  it('are told where they are on Machines that have a Node, and stay', () => {
    const marked = (name: string, changes: Partial<Replica> = {}) => replica(name, { markedAt: NOW, ...changes });
    const machines = [
      marked('s-a'),
      marked('s-b', { deleting: true }),
      marked('s-c', { controller: 'uid-of-another' }),
      withoutNode(marked('s-d')),
      replica('s-e'),
    ];
    expect(marks(3, ...machines)).toEqual([{ name: 's-a', uid: 'uid-of-s-a', markedAt: NOW }]);
    expect(marks(2, ...machines)).toBeUndefined();
    expect(marks(3, ...machines.slice(1))).toBeUndefined();
  });
});

describe('a set with a limit', () => {
  it('makes no Machine beyond it, those that are being deleted included', () => {
    const machines = [replica('a'), replica('b', { deleting: true })];
    expect(planReplicas(setOf({ replicas: 3, maxMachines: 3 }), machines, [], NOW).create).toBe(1);
    expect(planReplicas(setOf({ replicas: 3, maxMachines: 2 }), machines, [], NOW).create).toBe(0);
    expect(planReplicas(setOf({ replicas: 3, maxMachines: 0 }), machines, [], NOW).create).toBe(0);
  });

  it('counts Machines that it is to adopt: they are its own the next moment', () => {
    const orphans = ['a', 'b'].map((name) => withoutController(replica(name)));
    const changes = { replicas: 5, maxMachines: 4 };
    const machines = [replica('c'), ...orphans];
    expect(planReplicas(setOf(changes), machines, [], NOW)).toMatchObject({ create: 1, adopt: [{}, {}] });
  });

  it('goes by that alone: replaceAfter does not count', () => {
    const going = replica('b', { deleting: true, going: 'begun' });
    const changes = { replicas: 2, maxMachines: 3, replaceAfter: 'Gone' } as const;
    expect(planReplicas(setOf(changes), [replica('a'), going], [], NOW)).toMatchObject({ create: 1, held: 0 });
  });

  it('keeps the names that it may not make now', () => {
    const plan = planReplicas(setOf({ replicas: 3, maxMachines: 1 }), [replica('a')], ['x', 'y'], NOW);
    expect(plan).toMatchObject({ create: 0, unseen: [], spare: ['x', 'y'] });
  });

  it('takes what is Ready but not for long enough before what is available', () => {
    const fresh = replica('fresh', { readySince: '2026-01-01T11:59:30Z', uid: 'z' });
    const changes = { replicas: 1, minReadySeconds: 60 };
    const plan = planReplicas(setOf(changes), [replica('old'), fresh], [], NOW);
    expect(plan.remove.map(({ name }) => name)).toEqual(['fresh']);
  });

  it('takes none before others that has been Ready for long enough since this very moment', () => {
    const just = replica('just', { readySince: '2026-01-01T11:59:00Z', createdAt: '2026-01-01T01:00:00Z' });
    const changes = { replicas: 1, minReadySeconds: 60, deletePolicy: 'Oldest' } as const;
    expect(names(planReplicas(setOf(changes), [replica('old'), just], [], NOW).remove)).toEqual(['old']);
  });

  it('finds nothing wrong with Machines of another set of its deployment that its selector matches', () => {
    const others = [replica('a', { controller: 'another' })];
    expect(planReplicas(setOf({ deployment: DEPLOYMENT }), others, [], NOW)).not.toHaveProperty('contested');
    expect(planReplicas(setOf(), others, [], NOW)).toMatchObject({ contested: 'a' });
  });
});
