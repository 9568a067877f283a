import { describe, expect, it } from '@jest/globals';
import { tokenOf } from '../k8s/launch-token.ts';
import type { Machine } from '../k8s/model/machine.ts';
import { machineKeyOf } from '../providers/machine-key.ts';
import type { Instance } from '../providers/provider.ts';
import { preparedLaunch } from '../test/workflow/prepared-launch.ts';
import { belonging, hasTokenOf, isPlainlyOwn, namesInstance, type BelongingWorld } from './belonging.ts';

/** As the Machine API leaves one: a Name, a cluster, no uid. */
const left: Instance = {
  id: 'i-1',
  providerID: 'aws:///z/i-1',
  state: 'running',
  region: 'r',
  zone: 'z',
  instanceType: 't',
  addresses: [],
  name: 'web',
  clusters: ['c'],
};

function machine(name: string, more: Partial<Machine> = {}, namespace = 'ns'): Machine {
  return {
    ref: { apiVersion: 'v1', kind: 'Machine', namespace, name, uid: `uid-${namespace}-${name}` },
    generation: 1,
    createdAt: '2026-01-02T00:00:00Z',
    hasFinalizer: true,
    paused: false,
    clusterName: 'c',
    status: { addresses: [], conditions: [] },
    ...more,
  };
}

const web = machine('web', { providerID: 'aws:///z/i-1' });
const instanceOf = (id: string) => ({ instance: { id, state: 'running' as const } });
const recorded = (id: string) => ({ status: { addresses: [], conditions: [], ...instanceOf(id) } });

function judge(instance: Instance, others: readonly Machine[] = [], world: Partial<BelongingWorld> = {}, one = web) {
  return belonging(one, instance, {
    machines: [one, ...others],
    clustersOf: (namespace) => new Set(namespace === 'ns' ? ['c'] : []),
    namesakes: [instance],
    clusterUid: 'this-cluster',
    keepsTokens: true,
    ...world,
  });
}

const another = (words: string) => ({ outcome: 'another', message: expect.stringContaining(words) });

describe('whose an instance is', () => {
  it('is told by the uid tag, whatever the operator allowed', () => {
    const own = { ...left, machineUid: web.ref.uid };
    expect(judge(own, [], { clustersOf: () => new Set() })).toEqual({ outcome: 'own', by: 'uid' });
  });

  it('is told by the token of any attempt of the Machine, also where its status was lost', () => {
    const own = { ...left, token: tokenOf(web.ref.uid, 7) };
    expect(judge(own, [], { clustersOf: () => new Set() })).toEqual({ outcome: 'own', by: 'token' });
    expect(judge({ ...left, name: 'x', token: tokenOf('uid-of-another', 7) })).toMatchObject({ outcome: 'another' });
  });

  it('is the living Machine’s that it is tagged with, whatever this one says', () => {
    const other = machine('other', { paused: true }, 'elsewhere');
    const tagged = { ...left, machineUid: other.ref.uid, token: tokenOf(web.ref.uid, 1) };
    expect(judge(tagged, [other])).toEqual({
      outcome: 'another',
      message: 'instance i-1 belongs to the Machine elsewhere/other',
      owner: other.ref,
    });
  });
});

describe('an instance without an owner', () => {
  it('may be adopted by the Machine whose name it has, in a cluster that the operator allowed', () => {
    expect(judge(left)).toEqual({ outcome: 'adoptable', by: 'name' });
  });

  it('may not where only the Machine’s own label brings the cluster', () => {
    expect(judge(left, [], { clustersOf: () => new Set() })).toEqual(another('may adopt from: none'));
    const both = { clustersOf: () => new Set(['b', 'a']) };
    expect(judge({ ...left, clusters: ['other'] }, [], both)).toEqual(
      another('has the cluster other, and the Machines of namespace ns may adopt from: a, b.'),
    );
    const { clusters: _none, ...unowned } = left;
    expect(judge(unowned)).toEqual(another('no tag kubernetes.io/cluster/<id>: owned'));
  });

  it('may not where its Name is another', () => {
    expect(judge({ ...left, name: 'db' })).toEqual(another('has the Name "db"'));
    const { name: _none, ...nameless } = left;
    expect(judge(nameless)).toEqual(another('has the Name ""'));
  });

  it('may not where another Machine names it, a paused one of another namespace too', () => {
    const byID = machine('rival', { paused: true, providerID: 'aws:///z/i-1' }, 'elsewhere');
    expect(judge(left, [byID])).toEqual(another('Machine elsewhere/rival names it too'));
    const recorder = machine('rival', recorded('i-1'), 'elsewhere');
    // Whose it is stands on record, so it says nothing about this Machine.
    expect(judge(left, [recorder], { clustersOf: () => new Set() })).toEqual({
      outcome: 'another',
      message: 'instance i-1 is on record as that of the Machine elsewhere/rival',
      owner: recorder.ref,
    });
    expect(judge(left, [machine('rival', recorded('i-2'), 'elsewhere')])).toMatchObject({ outcome: 'adoptable' });
  });

  it('may not where a second living one has the name, unless that is another Machine’s', () => {
    const second = { ...left, id: 'i-2' };
    for (const one of [left, second]) {
      expect(judge(one, [], { namesakes: [left, second] })).toEqual(another('i-1 and i-2 both'));
    }
    expect(judge(left, [], { namesakes: [left, { ...second, state: 'terminated' }] })).toMatchObject({ by: 'name' });
    const other = machine('web', {}, 'elsewhere');
    const its = { ...second, machineUid: other.ref.uid };
    expect(judge(left, [other], { namesakes: [left, its] })).toMatchObject({ by: 'name' });
  });

  it('may not where a Machine of the same name elsewhere may adopt it as well', () => {
    const twin = machine('web', {}, 'elsewhere');
    const clustersOf = () => new Set(['c']);
    expect(judge(left, [twin], { clustersOf })).toEqual(another('the name of the Machine elsewhere/web too'));
    expect(judge(left, [machine('web', recorded('i-9'), 'elsewhere')], { clustersOf })).toMatchObject({ by: 'name' });
    expect(judge(left, [twin])).toMatchObject({ by: 'name' });
  });

  it('may beside instances and Machines of other names, whatever these have or lack', () => {
    const namesakes = [left, { ...left, id: 'i-2', name: 'db' }];
    expect(judge(left, [machine('db')], { namesakes })).toEqual({ outcome: 'adoptable', by: 'name' });
  });
});

describe('an instance of a Machine that is gone', () => {
  const gone = { ...left, machineUid: 'uid-before', machineKey: 'ns/web', clusterUid: 'this-cluster' };

  it('may be adopted by the one that was restored under its namespace and name', () => {
    expect(judge(gone)).toEqual({ outcome: 'adoptable', by: 'machineKey' });
  });

  it('may be also where namespace and name are longer together than the tag that tells them', () => {
    const named = (end: string) => machine(`${'w'.repeat(240)}${end}`, {}, 'n'.repeat(63));
    const restored = named('-1');
    const clustersOf = () => new Set(['c']);
    const judged = ({ ref }: Machine) =>
      judge({ ...gone, machineKey: machineKeyOf(ref) }, [], { machines: [restored], clustersOf }, restored);
    expect(judged(restored)).toEqual({ outcome: 'adoptable', by: 'machineKey' });
    expect(judged(named('-2'))).toEqual(another('launched for another Machine'));
  });

  it('may not by another of its name, nor without the operator’s leave', () => {
    expect(judge({ ...gone, machineKey: 'elsewhere/web' })).toEqual(
      another('launched for another Machine (elsewhere/web)'),
    );
    expect(judge(gone, [], { clustersOf: () => new Set() })).toEqual(another('may adopt from: none'));
    const { machineKey: _none, ...unnamed } = gone;
    expect(judge(unnamed)).toEqual(another('launched for another Machine (uid-before)'));
    expect(judge({ ...left, machineKey: 'elsewhere/web' })).toEqual(another('for another Machine (elsewhere/web)'));
  });

  it('may not where it was launched from another Kubernetes cluster, whose Machines nobody sees here', () => {
    expect(judge({ ...gone, clusterUid: 'that-cluster' })).toEqual(another('another Kubernetes cluster'));
  });
});

describe('what proves a launch of the Machine', () => {
  const { name: _none, ...nameless } = left;
  const withToken = (attempt: number): Instance => ({ ...nameless, token: tokenOf(web.ref.uid, attempt) });
  const launched = (attempt: number) =>
    machine('web', { status: { ...recorded('i-1').status, launch: preparedLaunch(attempt) } });

  it.each<[string, Machine, Instance, boolean]>([
    ['the hundredth attempt, which no status tells of', web, withToken(100), true],
    ['a later one that no status tells of', web, withToken(101), false],
    ['a later one that its status tells of', launched(150), withToken(150), true],
    ['one after that', launched(150), withToken(151), false],
    ['an attempt of any number that its status tells of', launched(2_147_483_647), withToken(2_147_483_600), true],
    ['the oldest of the last hundred up to that', launched(300), withToken(201), true],
    ['the one before', launched(300), withToken(200), false],
    ['one long before that', launched(2_147_483_647), withToken(2_147_483_000), false],
    ['no attempt', web, nameless, false],
  ])('is the token of %s', (_what, of, instance, isOwn) => {
    expect(hasTokenOf(of, instance)).toBe(isOwn);
  });

  it.each<[string, Instance, boolean]>([
    ['its uid, whatever the token', { ...left, machineUid: web.ref.uid }, true],
    ['the uid of another, whatever the token', { ...withToken(1), machineUid: 'another' }, false],
    ['no uid and its token', withToken(1), true],
    ['neither', nameless, false],
  ])('is in the tags alone: %s', (_what, instance, isOwn) => {
    expect(isPlainlyOwn(web, instance)).toBe(isOwn);
  });
});

describe('an instance on record beside a launch, without a uid and without a token', () => {
  const { name: _none, clusters: _either, ...bare } = left;
  const status = { ...recorded('i-1').status, launch: preparedLaunch(1) };
  const judgeIt = (instance: Instance, others: readonly Machine[] = [], keepsTokens = false) =>
    judge(instance, others, { keepsTokens }, machine('web', { status }));

  it.each<[string, Instance]>([
    ['it has the Machine’s Name', { ...bare, name: 'web' }],
    ['its cluster is allowed', { ...bare, clusters: ['c'] }],
    ['it was launched for a Machine of that name', { ...bare, name: 'web', machineKey: 'ns/web' }],
    ['it has the Machine’s Name, and of several clusters none that is allowed', { ...left, clusters: ['d', 'e'] }],
  ])('is the Machine’s where %s', (_what, instance) => {
    expect(judgeIt(instance)).toEqual({ outcome: 'own', by: 'record' });
    expect(judgeIt(instance, [machine('rival', { providerID: 'aws:///z/i-1' })])).toMatchObject({ by: 'record' });
    // Launched by the Machine it would have its token there.
    expect(judgeIt(instance, [], true)).not.toMatchObject({ outcome: 'own' });
  });

  it.each<[string, Instance]>([
    ['carries nothing else', bare],
    ['is of a cluster that is not allowed', { ...bare, clusters: ['d'] }],
    ['has another Name, in a cluster that is allowed', { ...bare, name: 'control-plane', clusters: ['c'] }],
    ['was launched for another Machine', { ...left, machineKey: 'ns/other' }],
    ['has the Machine’s Name, and a token of another', { ...bare, name: 'web', token: tokenOf('uid-of-another', 1) }],
    ['has the Machine’s Name, and the uid of one that is gone', { ...bare, name: 'web', machineUid: 'uid-before' }],
    ['has a token of another', { ...left, name: 'db', token: tokenOf('uid-of-another', 1) }],
    ['is of another Kubernetes cluster', { ...left, clusterUid: 'that-cluster' }],
  ])('is another’s where it %s', (_what, instance) => {
    expect(judgeIt(instance)).toMatchObject({ outcome: 'another' });
  });

  it('is another’s where another Machine has it on record, too', () => {
    expect(judgeIt(left, [machine('rival', recorded('i-1'))])).toMatchObject(another('is on record as that of'));
  });

  it('is only adopted where no launch is on record', () => {
    for (const keepsTokens of [true, false]) {
      const belongs = judge(left, [], { keepsTokens }, machine('web', recorded('i-1')));
      expect(belongs).toMatchObject({ outcome: 'adoptable' });
    }
  });
});

it.each<[string, Partial<Machine>, boolean]>([
  ['in its status', recorded('i-1'), true],
  ['in its providerID', { providerID: 'aws:///z/i-1' }, true],
  ['in its providerID, although another is on record', { providerID: 'aws:///z/i-1', ...recorded('i-2') }, true],
  ['nowhere', { providerID: 'aws:///z/i-2', ...recorded('i-2') }, false],
])('a Machine names an instance %s', (_where, more, isNamed) => {
  expect(namesInstance(machine('web', more), left)).toBe(isNamed);
});
