import { expect, test } from '@jest/globals';
import type { ConditionRule } from '../../k8s/model/machine-health-check.ts';
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
  expect(lostZones(nodes, rules)).toEqual([{ zone: 'a', nodes: 3, cause: 'node Ready', isAlone: true }]);
});

test('it is not where a Node is bad by no rule, nor where there are two Nodes', () => {
  expect(lostZones([...zoneOf('a', 'False', 'Unknown', 'Unknown'), ...well], [rule('Unknown')])).toEqual([]);
  expect(lostZones([...zoneOf('a', 'Unknown', 'Unknown'), ...well], [rule('Unknown')])).toEqual([]);
});
