import type { ConditionRule } from '../../k8s/model/machine-health-check.ts';
import { isReady, type Node } from '../../k8s/model/node.ts';
import type { LostZone } from '../../workflows/machine-health-check/health-activities.ts';
import {
  badConditionOf,
  conditionKeyOf,
  isProved,
  NODE_GONE,
  zoneOf,
  zoneOfBody,
  type SeenBody,
} from './see-health.ts';

/** A zone of fewer Nodes tells nothing. */
const LEAST_NODES = 3;

/**
 * Zones of the cluster whose Nodes all have one condition that is bad, or are gone, but for some that are not Ready. Nodes that are gone are
 * known by the Machines of the namespace.
 */
export function lostZones(
  nodes: readonly Node[],
  bodies: readonly SeenBody[],
  rules: readonly ConditionRule[],
): LostZone[] {
  const there = Map.groupBy(nodes, zoneOf);
  const gone = Map.groupBy(bodies.filter(hasLostNode), zoneOfBody);
  const whole = [...there].flatMap(([zone, members]) => (members.some(isReady) ? [zone] : []));
  return [...new Set([...there.keys(), ...gone.keys()])].flatMap((zone) => {
    const members = there.get(zone) ?? [];
    const missing = gone.get(zone)?.length ?? 0;
    const count = members.length + missing;
    if (zone === undefined || count < LEAST_NODES) return [];
    const isAlone = whole.some((other) => other !== undefined && other !== zone);
    const isGone = missing > 0 && !members.some(isReady);
    const causes = [...sharedBy(members, rules), ...(isGone ? [NODE_GONE] : [])];
    return causes.map((cause) => ({ zone, nodes: count, cause, isAlone }));
  });
}

/** Its instance runs, as far as the cloud tells. */
function hasLostNode({ read, node }: SeenBody): boolean {
  const { status, deletedAt } = read.machine;
  return node === undefined && status.nodeRef !== undefined && deletedAt === undefined && !isProved(status);
}

/** Conditions that are bad of each of these Nodes. */
function sharedBy(members: readonly Node[], rules: readonly ConditionRule[]): string[] {
  if (members.length === 0) return [];
  return [...Map.groupBy(rules, ({ type }) => type)].flatMap(([type, some]) => {
    const isShared = members.every(({ status }) =>
      some.some((rule) => badConditionOf(status?.conditions ?? [], rule) !== undefined),
    );
    return isShared ? [conditionKeyOf('node', { type })] : [];
  });
}
