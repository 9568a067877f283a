import { expect, test } from '@jest/globals';
import type { ConditionRule } from '../../k8s/model/machine-health-check.ts';
import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { lostZones } from './lost-zones.ts';

/** Nodes of a zone, whose Ready is this. */
function zoneOf(zone: string, ...readiness: ('True' | 'False' | 'Unknown')[]) {
  const metadata = { labels: { 'topology.kubernetes.io/zone': zone } };
  return readiness.map((ready, n) => aNode({ name: `${zone}-${n}`, ready, metadata }));
}

const rule = (...statuses: ConditionRule['statuses']): ConditionRule => ({ type: 'Ready', statuses, timeoutMs: 1000 });
const well = zoneOf('b', 'True');

test.each([
  ['by one rule', [rule('False', 'Unknown')]],
  ['by a rule for each status', [rule('False'), rule('Unknown')]],
])('a zone is lost where one condition of all its Nodes is bad, %s', (_words, rules) => {
  const nodes = [...zoneOf('a', 'False', 'Unknown', 'Unknown'), ...well];
  expect(lostZones(nodes, [], rules)).toEqual([{ zone: 'a', nodes: 3, cause: 'node Ready', isAlone: true }]);
});

test('it is not where a Node is bad by no rule, nor where there are two Nodes', () => {
  expect(lostZones([...zoneOf('a', 'False', 'Unknown', 'Unknown'), ...well], [], [rule('Unknown')])).toEqual([]);
  expect(lostZones([...zoneOf('a', 'Unknown', 'Unknown'), ...well], [], [rule('Unknown')])).toEqual([]);
});

test('it is where all of its Nodes are gone whose instances run, or not Ready', () => {
  const without = (n: number, status: object = {}) => ({
    read: openshift.machine.read(
      aMachine({
        name: `m-${n}`,
        metadata: { labels: { 'machine.openshift.io/zone': 'a' } },
        status: { nodeRef: { kind: 'Node', name: `a-${n}`, uid: `uid-${n}` }, ...status },
      }),
    ),
    node: undefined,
  });
  const all = [without(1), without(2), without(3)];
  const rules = [rule('Unknown')];
  const gone = { zone: 'a', nodes: 3, cause: 'node gone', isAlone: true };
  expect(lostZones(well, all, rules)).toEqual([gone]);
  expect(lostZones([], all, rules)).toEqual([{ ...gone, isAlone: false }]);
  const last = zoneOf('a', 'Unknown');
  expect(lostZones([...last, ...well], all.slice(1), rules)).toEqual([{ ...gone, cause: 'node Ready' }, gone]);
  expect(lostZones([...zoneOf('a', 'True'), ...well], all, rules)).toEqual([]);
  expect(lostZones(well, all.slice(1), rules)).toEqual([]);
  const ended = without(3, { providerStatus: { instanceId: 'i-3', instanceState: 'stopped' } });
  expect(lostZones(well, [...all.slice(0, 2), ended], rules)).toEqual([]);
});
