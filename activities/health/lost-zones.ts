import type { ConditionRule } from '../../k8s/model/machine-health-check.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import type { LostZone } from '../../workflows/machine-health-check/health-activities.ts';
import { badConditionOf, keyOf, zoneOf } from './see-health.ts';

/** A zone of fewer Nodes tells nothing. */
const LEAST_NODES = 3;

/** Zones of the cluster whose Nodes are all bad by one rule. */
export function lostZones(nodes: readonly Node[], rules: readonly ConditionRule[]): LostZone[] {
  const zones = Map.groupBy(nodes, zoneOf);
  const whole = [...zones].flatMap(([zone, members]) => (members.some(isReady) ? [zone] : []));
  return [...zones].flatMap(([zone, members]) => {
    if (zone === undefined || members.length < LEAST_NODES) return [];
    const isAlone = whole.some((other) => other !== undefined && other !== zone);
    const shared = rules.filter((rule) => members.every(({ status }) => isBad(status?.conditions ?? [], rule)));
    return shared.map((rule) => ({ zone, nodes: members.length, cause: keyOf('node', rule), isAlone }));
  });
}

function isBad(conditions: Parameters<typeof badConditionOf>[0], rule: ConditionRule): boolean {
  return badConditionOf(conditions, rule) !== undefined;
}
