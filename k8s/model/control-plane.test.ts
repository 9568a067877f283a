import { describe, expect, test } from '@jest/globals';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aMachine, readMachine, type MachineFacts } from '../../test/world/builders/a-machine.ts';
import {
  isControlPlaneNode,
  isToLeanOn,
  OUT_OF_TURN_ANNOTATION,
  outOfTurnOf,
  sizeOf,
  whyNotNow,
} from './control-plane.ts';
import { INSTANCE_UNKNOWN_ANNOTATION } from './node.ts';

const ready = (name: string) => aNode({ name });
const silent = (name: string) => aNode({ name, ready: 'Unknown' });
const why = (size: number, others: readonly ReturnType<typeof aNode>[], going: readonly string[] = []) =>
  whyNotNow({ size, others, going: new Set(going) }, 'as Cluster default/c1 says');

describe('one of a control plane may go', () => {
  test.each([
    ['of three', 3, [ready('b'), ready('c')]],
    ['of three, while a fourth replaces another', 3, [ready('b'), ready('c'), silent('d')]],
    ['of five', 5, [ready('b'), ready('c'), ready('d'), ready('e')]],
  ])('%s, where all but it are Ready', (_which, size, others) => {
    expect(why(size, others)).toBeUndefined();
  });
});

describe('one of a control plane may not go', () => {
  test('before the replacement of the one before it is there: that one is named', () => {
    const message = whyNotNow({ size: 3, others: [ready('b')], going: new Set(), last: 'Machine default/a' }, '');
    expect(message).toContain(
      '1 is not there (the last turn was that of Machine default/a: its replacement has to be Ready first)',
    );
    const ofFive = whyNotNow({ size: 5, others: [ready('b')], going: new Set(), last: 'Machine default/a' }, '');
    expect(ofFive).toContain('3 are not there (the last turn was that of Machine default/a)');
  });

  test.each([
    ['that is alone', 1, [], [], "0 of the control plane's other Nodes are Ready, and 2 have to be; 2 are not there"],
    ['of two', 1, [ready('b')], [], "1 of the control plane's other Nodes is Ready, and 2 have to be; 1 is not there"],
    [
      'of three, while another does not answer',
      3,
      [ready('b'), silent('c')],
      [],
      "1 of the control plane's other Nodes is Ready, and 2 have to be; Node c is not Ready",
    ],
    [
      'of three, while another goes out of turn',
      3,
      [ready('b'), ready('c')],
      ['c'],
      "1 of the control plane's other Nodes is Ready, and 2 have to be; Node c is about to go",
    ],
    [
      'of five, of which one is missing',
      5,
      [ready('b'), ready('c'), ready('d')],
      [],
      "3 of the control plane's other Nodes are Ready, and 4 have to be (its size is 5, as Cluster default/c1 says); 1 is not there",
    ],
  ])('%s', (_which, size, others, going, words) => {
    expect(why(size, others, going)).toBe(words);
  });

  test('whose Node is being deleted counts as gone for the others', () => {
    const leaving = aNode({ name: 'c', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(why(3, [ready('b'), leaving])).toContain('Node c is about to go');
  });

  test('whose Node a forced deletion left counts as gone for the others, however Ready it is', () => {
    const left = aNode({ name: 'c', annotations: { [INSTANCE_UNKNOWN_ANNOTATION]: 'i-c' } });
    expect(why(3, [ready('b'), left])).toContain(
      `Node c is about to go, since a forced deletion left it (annotation ${INSTANCE_UNKNOWN_ANNOTATION})`,
    );
  });
});

test('the others lean on one that is Ready and stays', () => {
  const leansOn = (node: ReturnType<typeof aNode>, going: readonly string[] = []) => isToLeanOn(node, new Set(going));
  expect([leansOn(ready('b')), leansOn(ready('b'), ['c'])]).toEqual([true, true]);
  expect([leansOn(silent('b')), leansOn(ready('b'), ['b'])]).toEqual([false, false]);
});

test('the size is odd: an even number is one too many, or one too few', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(sizeOf)).toEqual([0, 1, 1, 3, 3, 5, 5]);
});

test.each([
  [{ 'node-role.kubernetes.io/control-plane': '' }, true],
  [{ 'node-role.kubernetes.io/master': 'true' }, true],
  [{ 'node-role.kubernetes.io/worker': '' }, false],
])('a Node with the labels %j is of the control plane, or not', (labels, isOne) => {
  expect(isControlPlaneNode(aNode({ metadata: { labels } }))).toBe(isOne);
});

const DELETED_AT = Date.parse('2026-01-02T00:00:00Z');
const minutesBefore = (minutes: number) => new Date(DELETED_AT - minutes * 60_000).toISOString();

/** Who wanted it out of turn, where that was written so. */
function outOfTurn(written: string, facts: MachineFacts): string | undefined {
  const { metadata } = aMachine(facts);
  const annotations = { [OUT_OF_TURN_ANNOTATION]: written };
  return outOfTurnOf(readMachine(aMachine({ ...facts, metadata: { ...metadata, annotations } })));
}
const gone: MachineFacts = { metadata: { deletionTimestamp: new Date(DELETED_AT).toISOString() } };

test.each<[string, string, MachineFacts]>([
  ['that is being deleted', minutesBefore(0), gone],
  ['whose deletion had begun in turn', minutesBefore(-60), gone],
  ['that is to be deleted, however long that takes', minutesBefore(60), { spec: { delete: true } }],
  ['whose deletion was prepared for long', minutesBefore(60), { ...gone, spec: { delete: true } }],
])('a Machine %s goes out of turn where somebody wants that', (_which, at, facts) => {
  expect(outOfTurn(`${at} ops are in a hurry`, facts)).toBe('ops are in a hurry');
  expect(outOfTurnOf(readMachine(aMachine(facts)))).toBeUndefined();
});

test.each<[string, string, MachineFacts]>([
  ['that stays', minutesBefore(0), {}],
  ['that is in maintenance', minutesBefore(0), { spec: { maintenance: true } }],
  ['of which an earlier deletion was to go so', minutesBefore(60), gone],
  ['that was marked by somebody who tells no time', 'ops', gone],
  ['that is only asked to go, and was marked without a time', 'ops', { spec: { delete: true } }],
])('a Machine %s does not go out of turn', (_which, written, facts) => {
  expect(outOfTurn(`${written} ops are in a hurry`, facts)).toBeUndefined();
});
