import type { ConditionRule } from '../../k8s/model/machine-health-check.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import type { LostZone } from '../../workflows/machine-health-check/health-activities.ts';
import { badConditionOf, conditionOf, zoneOf } from './see-health.ts';

/** A zone of fewer Nodes tells nothing. */
const LEAST_NODES = 3;

/** Zones of the cluster of whose Nodes all have one condition that is bad. */
export function lostZones(nodes: readonly Node[], rules: readonly ConditionRule[]): LostZone[] {
  const zones = Map.groupBy(nodes, zoneOf);
  const whole = [...zones].flatMap(([zone, members]) => (members.some(isReady) ? [zone] : []));
  return [...zones].flatMap(([zone, members]) => {
    if (zone === undefined || members.length < LEAST_NODES) return [];
    const isAlone = whole.some((other) => other !== undefined && other !== zone);
    return [...Map.groupBy(rules, ({ type }) => type)].flatMap(([type, some]) => {
      const isShared = members.every(({ status }) => some.some((rule) => isBad(status?.conditions ?? [], rule)));
      return isShared ? [{ zone, nodes: members.length, cause: conditionOf('node', { type }), isAlone }] : [];
    });
  });
}

function isBad(conditions: Parameters<typeof badConditionOf>[0], rule: ConditionRule): boolean {
  return badConditionOf(conditions, rule) !== undefined;
}
