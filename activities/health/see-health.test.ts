import { describe, expect, it } from '@jest/globals';
import { APIS } from '../../k8s/dialects/registry.ts';
import type { Condition } from '../../k8s/model/condition.ts';
import type { HealthWishes } from '../../k8s/model/machine-health-check.ts';
import type { Machine, MachineStatus } from '../../k8s/model/machine.ts';
import type { Node } from '../../k8s/model/node.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { MADE_AT, refOf } from '../../test/world/builders/metadata.ts';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import {
  causesOf,
  nodeRulesOf,
  sameNode,
  suspectOf,
  turnedGoodSince,
  type Rules,
  type SeenBody,
} from './see-health.ts';
import { given } from '../../providers/given.ts';

const LATER = '2026-01-01T01:00:00Z';
const AFTER_THAT = '2026-01-01T02:00:00Z';
const MINUTES_5 = 300_000;
const RULES: Rules = {
  nodeRules: [{ type: 'Ready', statuses: ['False', 'Unknown'], timeoutMs: MINUTES_5 }],
  machineRules: [],
  limits: { maxUnhealthy: { percent: 100 }, nodeStartupTimeoutMs: 600_000 },
};
const WORDS_MOST = 300;

interface Facts {
  readonly machine?: Partial<Machine>;
  readonly status?: Partial<MachineStatus>;
  readonly health?: HealthWishes;
  readonly otherConditions?: readonly Condition[];
  /** @default its own, which is Ready */
  readonly node?: Node | 'none';
}

/** A Machine that runs, with its Node, but for what is told. */
function body({ machine, status, health = {}, otherConditions = [], node = aNode() }: Facts = {}): SeenBody {
  const object = aMachine();
  const read = APIS.kindOf('machine', object).read(object);
  const running = {
    phase: 'Running',
    nodeRef: { name: 'n', uid: 'uid-of-n' },
    instance: { id: 'i-1', state: 'running' },
  };
  const of = { ...read.machine, ...machine };
  const known = { ...of.status, ...running, ...status } as MachineStatus;
  return {
    read: { ...read, machine: { ...of, status: known }, health, otherConditions },
    node: node === 'none' ? undefined : node,
  };
}

const condition = (type: string, status: Condition['status'], changes: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: LATER,
  ...changes,
});
const withCondition = (changes: object): Node => ({
  ...aNode(),
  status: { conditions: [{ type: 'Ready', status: 'Unknown', ...changes }] },
});
const wordsOf = (facts: Facts, rules: Rules = RULES) => causesOf(body(facts), rules).map(({ words }) => words);
/** Without a Node, and without one in its status. */
const unjoined = (status: Partial<MachineStatus> = {}): Facts => {
  const { nodeRef: _none, ...rest } = body().read.machine.status;
  return {
    machine: { status: rest },
    status: { ...status, nodeRef: undefined } as never,
    node: 'none',
  };
};

describe('what turned good since a look', () => {
  const at = Date.parse(LATER);
  const READY_KEY = 'node Ready=False,Unknown 300000';
  const good = withCondition({ status: 'True', lastTransitionTime: LATER });
  const turned = (since: number | undefined, node: Node, rules: Rules = RULES) =>
    turnedGoodSince(since, [body({ node })], rules);

  it('is told with its own time, by the rule that it was bad by', () => {
    const { uid } = body().read.machine.ref;
    expect(turned(at, good)).toEqual({ [uid]: { [READY_KEY]: at } });
    expect(turned(at + 2000, good)).toEqual({ [uid]: { [READY_KEY]: at } });
  });

  it('is not told where it was good before, is bad, says no time, is not there, or nobody asks', () => {
    expect(turned(at + 2001, good)).toBeUndefined();
    expect(turned(at, withCondition({ lastTransitionTime: LATER }))).toBeUndefined();
    expect(turned(at, withCondition({ status: 'True' }))).toBeUndefined();
    expect(turned(at, { ...aNode(), status: {} })).toBeUndefined();
    expect(turned(undefined, good)).toBeUndefined();
  });

  it('is told of conditions of the Machine, whoever writes them', () => {
    const machineRules = [{ type: 'Fine', statuses: ['False'], timeoutMs: MINUTES_5 }] as const;
    const otherConditions = [condition('Fine', 'True')];
    const seen = body({ otherConditions });
    expect(turnedGoodSince(at, [seen], { ...RULES, nodeRules: [], machineRules })).toEqual({
      [seen.read.machine.ref.uid]: { 'machine Fine=False 300000': at },
    });
    const own = body({ status: { conditions: [condition('Drained', 'True')] } });
    const rules = [{ type: 'Drained', statuses: ['False'], timeoutMs: MINUTES_5 }] as const;
    expect(turnedGoodSince(at, [own], { ...RULES, nodeRules: [], machineRules: rules })).toEqual({
      [own.read.machine.ref.uid]: { 'machine Drained=False 300000': at },
    });
  });
});

describe('what is bad of a machine', () => {
  it('is nothing of one that runs, with a Node that is Ready', () => {
    expect(causesOf(body(), RULES)).toEqual([]);
  });

  it('is that somebody wants it remediated, with the words for that where there are any', () => {
    expect(wordsOf({ health: { remediate: 'disk' } })).toEqual(['somebody wants it remediated: disk']);
    expect(wordsOf({ health: { remediate: '' } })).toEqual(['somebody wants it remediated']);
  });

  it('is that it failed, for what reason, by which it is known again', () => {
    const error = { reason: 'CreateError', message: 'no such image' } as const;
    const failed = body({ status: { phase: 'Failed', error } });
    expect(causesOf(failed, RULES)).toEqual([
      { key: 'failed CreateError', kind: 'failed', words: 'it is Failed: CreateError: no such image', timeoutMs: 0 },
    ]);
    expect(causesOf(body({ status: { phase: 'Failed' } }), RULES)).toMatchObject([
      { key: 'failed ', words: 'it is Failed: ' },
    ]);
    const since = body({ status: { phase: 'Failed', error, updatedAt: '2026-01-01T00:00:00Z' } });
    expect(causesOf(since, RULES)).toMatchObject([{ changedAt: Date.parse('2026-01-01T00:00:00Z') }]);
    const long = { reason: 'x'.repeat(101) as 'CreateError', message: '' };
    expect(causesOf(body({ status: { phase: 'Failed', error: long } }), RULES)[0]?.key).toHaveLength(
      'failed '.length + 100,
    );
  });

  it('is told in so many characters at most: others write what is told', () => {
    const most = 'x'.repeat(WORDS_MOST - 'somebody wants it remediated: '.length);
    const [whole] = wordsOf({ health: { remediate: most } });
    expect(whole).toBe(`somebody wants it remediated: ${most}`);
    const [cut = ''] = wordsOf({ health: { remediate: `${most}y` } });
    expect(cut).toHaveLength(WORDS_MOST);
    expect(cut.endsWith('x…')).toBe(true);
  });

  it('is that the Node of its status is gone', () => {
    expect(wordsOf({ node: 'none' })).toEqual(['its Node n is gone']);
  });

  it('is a condition of its Node, or of itself, whoever wrote that', () => {
    const machineRules = [{ type: 'Sound', statuses: ['False'], timeoutMs: 1000 } as const];
    const rules = { ...RULES, machineRules };
    expect(wordsOf({ node: withCondition({ reason: 'NodeStatusUnknown' }) })).toEqual([
      'Ready of its Node n is Unknown (NodeStatusUnknown)',
    ]);
    const sound = condition('Sound', 'False');
    expect(wordsOf({ status: { conditions: [sound] } }, rules)).toEqual(['Sound of the Machine is False (Because)']);
    expect(causesOf(body({ otherConditions: [sound] }), rules)).toMatchObject([
      { key: 'machine Sound=False 1000', kind: 'condition', timeoutMs: 1000, changedAt: Date.parse(LATER) },
    ]);
    expect(wordsOf({ otherConditions: [condition('Sound', 'True'), condition('Other', 'False')] }, rules)).toEqual([]);
  });

  it('is no condition that is not there, be it that nobody wrote it or that it has disappeared', () => {
    const rule = { type: 'Sick', statuses: ['True', 'False', 'Unknown'], timeoutMs: 0 } as const;
    const rules = { ...RULES, nodeRules: [...RULES.nodeRules, rule], machineRules: [rule] };
    const bare = aNode({ name: 'n' });
    expect(wordsOf({ node: { ...bare, status: { ...bare.status, conditions: [] } } }, rules)).toEqual([]);
    expect(wordsOf({ node: { ...bare, status: {} } }, rules)).toEqual([]);
  });

  it('tells when a condition changed, where it does, and since when its Node is there', () => {
    const at = (node: Node) => causesOf(body({ node }), RULES)[0];
    expect(at(withCondition({ lastTransitionTime: LATER }))).toEqual({
      key: 'node Ready=False,Unknown 300000',
      kind: 'condition',
      condition: 'node Ready',
      words: 'Ready of its Node n is Unknown',
      timeoutMs: MINUTES_5,
      changedAt: Date.parse(LATER),
      notBefore: Date.parse(MADE_AT),
    });
    expect(at(withCondition({ reason: '', lastTransitionTime: 'once' }))).not.toHaveProperty('changedAt');
    expect(at(withCondition({ reason: '' }))?.words).toBe('Ready of its Node n is Unknown');
    const own = body({ otherConditions: [condition('Sound', 'False')] });
    const machineRules = [{ type: 'Sound', statuses: ['False'], timeoutMs: 0 } as const];
    expect(causesOf(own, { ...RULES, machineRules })[0]).not.toHaveProperty('notBefore');
  });
});

describe('a machine whose Node has not come', () => {
  const sinceOf = (facts: Facts, nodeStartupTimeoutMs = 600_000) =>
    causesOf(body(facts), { ...RULES, limits: { ...RULES.limits, nodeStartupTimeoutMs } })[0]?.since;

  it('is ill since its launch, with so much time as there is', () => {
    expect(causesOf(body(unjoined()), RULES)).toMatchObject([
      { key: 'never joined', kind: 'neverJoined', timeoutMs: 600_000, since: Date.parse(MADE_AT) },
    ]);
    expect(sinceOf(unjoined({ launch: { ...preparedLaunch(), preparedAt: LATER } }))).toBe(Date.parse(LATER));
  });

  it('is so since the cloud took the launch, where that is later', () => {
    const launch = { ...preparedLaunch(), preparedAt: LATER };
    const taken = (lastTransitionTime: string, changes: Partial<Condition> = {}) => ({
      launch,
      conditions: [condition('MachineCreation', 'True', { lastTransitionTime, ...changes })],
    });
    expect(sinceOf(unjoined(taken(AFTER_THAT)))).toBe(Date.parse(AFTER_THAT));
    expect(sinceOf(unjoined(taken(MADE_AT)))).toBe(Date.parse(LATER));
    expect(sinceOf(unjoined(taken('once')))).toBe(Date.parse(LATER));
    expect(sinceOf(unjoined(taken(AFTER_THAT, { status: 'False' })))).toBe(Date.parse(LATER));
    expect(sinceOf(unjoined(taken(AFTER_THAT, { type: 'InstanceExists' })))).toBe(Date.parse(LATER));
  });

  it('is not, before it has an instance, where it may take any time, or nobody knows when it was launched', () => {
    expect(sinceOf(unjoined({ instance: undefined } as never))).toBeUndefined();
    expect(sinceOf(unjoined(), 0)).toBeUndefined();
    expect(sinceOf(unjoined({ launch: { ...preparedLaunch(), preparedAt: 'once' } }))).toBeUndefined();
    expect(sinceOf({})).toBeUndefined();
  });
});

describe('a machine that is not plainly healthy', () => {
  const suspect = (facts: Facts = {}) => suspectOf(body(facts), RULES);
  const CLAIM = { name: 'check', uid: 'uid-of-check' };

  it('is none of one that is whole, and that nobody sees to', () => {
    expect(suspect()).toBeUndefined();
  });

  it.each<[string, Facts]>([
    ['has something bad', { health: { remediate: '' } }],
    ['has no Node', unjoined()],
    ['has no Node, and no instance either', unjoined({ instance: undefined } as never)],
    ['is being deleted', { machine: { deletedAt: LATER } }],
    ['another program remedies', { health: { external: true } }],
    ['a check has claimed', { health: { claim: CLAIM } }],
  ])('is one that %s', (_what, facts) => {
    expect(suspect(facts)).toMatchObject({ name: 'm', uid: 'uid-of-m', createdAt: MADE_AT });
  });

  it('tells nothing of what there is not', () => {
    expect(suspect({ health: { claim: CLAIM } })).toEqual({
      name: 'm',
      uid: 'uid-of-m',
      createdAt: MADE_AT,
      node: 'n',
      nodeReady: 'True',
      causes: [],
      claim: CLAIM,
    });
  });

  it('tells who wants what of it', () => {
    const told = suspect({ health: { skip: LATER, external: true, claim: CLAIM }, machine: { deletedAt: LATER } });
    expect(told).toMatchObject({ skip: LATER, isExternal: true, claim: CLAIM, isDeleting: true });
  });

  it('tells which set would replace it', () => {
    const set = aMachineSet({ name: 'workers' });
    const object = aMachine({ set });
    const { meta } = APIS.kindOf('machine', object).read(object);
    const of = body({ health: { claim: CLAIM } });
    expect(suspectOf({ ...of, read: { ...of.read, meta } }, RULES)).toMatchObject({ set: refOf(set) });
  });

  it('tells of its Node what Kubernetes says of that, and in which zone it is', () => {
    const zone = { 'topology.kubernetes.io/zone': 'a' };
    const node = { ...withCondition({ status: 'False' }), metadata: { ...aNode().metadata, labels: zone } };
    expect(suspect({ node })).toMatchObject({ nodeReady: 'False', zone: 'a' });
    expect(suspect({ node: { ...node, status: {} }, health: { claim: CLAIM } })).toMatchObject({
      nodeReady: 'Unknown',
    });
  });

  it('is of a control plane, where its status says so, or the Node', () => {
    const labels = { 'node-role.kubernetes.io/control-plane': '' };
    const node = { ...aNode(), metadata: { ...aNode().metadata, labels } };
    expect(suspect({ status: { isControlPlane: true }, node: 'none' })).toMatchObject({ isControlPlane: true });
    expect(suspect({ node, health: { claim: CLAIM } })).toMatchObject({ isControlPlane: true });
    expect(suspect({ node: 'none' })).not.toHaveProperty('isControlPlane');
  });

  it('is proved to be so by what the cloud says of its instance', () => {
    const of = (state: 'stopped' | 'terminated' | 'running') =>
      suspect({ status: { instance: { id: 'i-1', state } }, node: 'none' });
    expect(of('stopped')).toMatchObject({ isProved: true });
    expect(of('terminated')).toMatchObject({ isProved: true });
    expect(of('running')).not.toHaveProperty('isProved');
  });

  it('lacks room in the cloud only where it failed for that', () => {
    const error = { reason: 'InsufficientResources', message: '' } as never;
    expect(suspect({ status: { phase: 'Failed', error } })).toMatchObject({ lacksRoom: true });
    expect(suspect({ status: { phase: 'Running', error }, node: 'none' })).not.toHaveProperty('lacksRoom');
    const other = { reason: 'CreateError', message: '' } as const;
    expect(suspect({ status: { phase: 'Failed', error: other } })).not.toHaveProperty('lacksRoom');
  });
});

describe('what is seen of the reboot of a machine', () => {
  const WISH = { id: 'wish', causes: [] };
  const SENT = { id: 'wish', state: 'Sent', bootID: 'before', sentAt: LATER, times: [LATER], message: 'm' } as const;
  const booted = (bootID: string, ready: 'True' | 'False' = 'True'): Node => ({
    ...aNode({ ready }),
    status: { ...aNode({ ready }).status, nodeInfo: { bootID } },
  });
  const seen = (
    machine: Partial<Machine>,
    status: Partial<MachineStatus> = {},
    node: Node | 'none' = booted('after'),
  ) => suspectOf(body({ machine, status, node, health: { remediate: '' } }), RULES)?.reboot;

  it('is nothing where none was ever wanted', () => {
    expect(seen({})).toBeUndefined();
  });

  it('is that it is wanted, before the machine has said anything of it', () => {
    expect(seen({ rebootWish: WISH })).toEqual({ wanted: 'wish', times: [] });
  });

  it('is what its status tells, also when it is wanted no more', () => {
    const told = { told: 'wish', state: 'Sent', sentAt: LATER, message: 'm', times: [LATER] };
    expect(seen({}, { reboot: SENT })).toEqual(told);
    expect(seen({ rebootWish: { ...WISH, id: 'another' } }, { reboot: SENT })).toEqual({ wanted: 'another', ...told });
  });

  it('is that it awaits its turn, while it is wanted and another machine of the control plane is in the way', () => {
    const awaits = (wish: Partial<Machine>, type = 'Rebooted', reason = 'ControlPlaneInTheWay') =>
      seen(wish, { reboot: SENT, conditions: [condition(type, 'False', { reason })] })?.awaitsTurn;
    expect(awaits({ rebootWish: WISH })).toBe(true);
    expect(awaits({})).toBeUndefined();
    expect(awaits({ rebootWish: WISH }, 'Drained')).toBeUndefined();
    expect(awaits({ rebootWish: WISH }, 'Rebooted', 'Waiting')).toBeUndefined();
  });

  it('cuts a message that is too long', () => {
    expect(seen({}, { reboot: { ...SENT, message: 'x'.repeat(WORDS_MOST + 1) } })?.message).toHaveLength(WORDS_MOST);
  });

  it('is that it took place, when its Node tells of another boot and is Ready', () => {
    const isDone = (...rest: [Partial<MachineStatus>, (Node | 'none')?]) => seen({ rebootWish: WISH }, ...rest)?.isDone;
    expect(isDone({ reboot: SENT })).toBe(true);
    expect(isDone({ reboot: SENT }, booted('before'))).toBeUndefined();
    expect(isDone({ reboot: SENT }, booted('after', 'False'))).toBeUndefined();
    expect(isDone({ reboot: SENT }, aNode())).toBeUndefined();
    expect(isDone({ reboot: SENT }, 'none')).toBeUndefined();
    expect(isDone({ reboot: { ...SENT, id: 'another' } })).toBeUndefined();
  });
});

describe('the Node that has the name of the one in the status of a machine', () => {
  const { machine } = body().read;
  const anew = (providerID?: string): Node => ({
    ...aNode(given({ providerID })),
    metadata: { ...aNode().metadata, uid: 'uid-of-another' },
  });

  it('is that one, or one that its kubelet registered anew', () => {
    const own = aNode({ providerID: 'x:///z/i-9' });
    expect(sameNode(own, machine)).toBe(own);
    const [unknown, same] = [anew(), anew('x:///z/i-1')];
    expect([sameNode(unknown, machine), sameNode(same, machine)]).toEqual([unknown, same]);
  });

  it('is not, where it is of another instance, or not there', () => {
    expect(sameNode(anew('x:///z/i-2'), machine)).toBeUndefined();
    expect(sameNode(undefined, machine)).toBeUndefined();
  });
});

describe('the rules that causes are of', () => {
  it('are those on Nodes, read from the keys as they were written', () => {
    const rules: Rules = { ...RULES, machineRules: [{ type: 'Sound', statuses: ['False'], timeoutMs: 0 }] };
    const ill = body({ node: withCondition({}), otherConditions: [condition('Sound', 'False')] });
    const keys = causesOf(ill, rules).map(({ key }) => key);
    expect(keys).toHaveLength(2);
    expect(nodeRulesOf([...keys, 'failed CreateError', 'never joined'])).toEqual(RULES.nodeRules);
  });
});
