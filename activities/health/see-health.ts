import { asClause } from '../../k8s/model/as-clause.ts';
import { isControlPlaneNode } from '../../k8s/model/control-plane.ts';
import { STATUSES } from '../../k8s/model/condition-rules.ts';
import type { ConditionRule, MachineHealthCheck } from '../../k8s/model/machine-health-check.ts';
import { hasBootedSince } from '../../k8s/model/reboot.ts';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import { isReady, readinessOf, type Node } from '../../k8s/model/node.ts';
import type { MachineReading } from '../../k8s/model/reading.ts';
import { isForLackOfRoom } from '../../k8s/model/reasons/reasons.ts';
import { cut } from '../../providers/cut.ts';
import { given, unlessEmpty } from '../../providers/given.ts';
import { hasEnded } from '../../workflows/machine/instance-facts.ts';
import { namesAnother } from '../match-node.ts';
import type { SeenCause, SeenReboot, Suspect } from '../../workflows/machine-health-check/health-activities.ts';
import { CLOCK_SLACK_MS } from '../../workflows/machine-health-check/sightings.ts';

/** Where Kubernetes says in which zone a Node is. */
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** A {@link SeenCause.key}. */
export const NODE_GONE = 'node gone';

/** Longest text that tells what is bad. */
const MOST_WORDS = 300;

/** What a check goes by when it looks at a Machine. */
export interface Rules extends Pick<MachineHealthCheck, 'machineRules' | 'limits'> {
  readonly nodeRules: readonly ConditionRule[];
}

/** A Machine with what it takes to judge its health. */
export interface SeenBody {
  readonly read: MachineReading;
  /** The Node in its status, as it is now; undefined: there is none. */
  readonly node: Node | undefined;
}

/** What is bad of a Machine at this look. */
export function causesOf(body: SeenBody, rules: Rules): SeenCause[] {
  // Others write what is told here, and as much as they like.
  return allCausesOf(body, rules).map((cause) => ({ ...cause, words: cut(cause.words, MOST_WORDS) }));
}

/** In milliseconds since the epoch; undefined: it is no time. */
function timeOf(time = ''): number | undefined {
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : at;
}

function allCausesOf({ read, node }: SeenBody, { nodeRules, machineRules, limits }: Rules): SeenCause[] {
  const { machine, health } = read;
  const { phase, error, nodeRef, conditions, instance, updatedAt } = machine.status;
  const causes: SeenCause[] = [];
  if (health.remediate !== undefined) {
    const words = `somebody wants it remediated${health.remediate === '' ? '' : `: ${health.remediate}`}`;
    causes.push({ key: 'wished', kind: 'wished', words, timeoutMs: 0 });
  }
  if (phase === 'Failed') {
    const words = `it is Failed: ${error?.reason ?? ''}${error === undefined ? '' : `: ${asClause(error.message)}`}`;
    const key = `failed ${cut(error?.reason ?? '', 100)}`;
    causes.push({ key, kind: 'failed', words, timeoutMs: 0, ...given({ changedAt: timeOf(updatedAt) }) });
  }
  if (nodeRef !== undefined && node === undefined) {
    causes.push({ key: NODE_GONE, kind: 'nodeGone', words: `its Node ${nodeRef.name} is gone`, timeoutMs: 0 });
  }
  const { nodeStartupTimeoutMs } = limits;
  const since = launchedAt(read);
  if (nodeRef === undefined && instance !== undefined && nodeStartupTimeoutMs > 0 && !Number.isNaN(since)) {
    const words = 'its Node has not come since the launch';
    causes.push({ key: 'never joined', kind: 'neverJoined', words, timeoutMs: nodeStartupTimeoutMs, since });
  }
  return [
    ...causes,
    ...(node === undefined ? [] : badConditions(node.status?.conditions ?? [], nodeRules, nodeOf(node))),
    ...badConditions(conditions, machineRules, { whose: 'the Machine', of: 'machine' }),
    ...badConditions(read.otherConditions, machineRules, { whose: 'the Machine', of: 'machine' }),
  ];
}

/**
 * When its instance was launched, in milliseconds since the epoch: prepared, and then taken by the cloud, which may have throttled the call
 * for long. Of an instance that was adopted nobody knows the launch.
 */
function launchedAt({ machine: { status }, meta }: MachineReading): number {
  const preparedAt = Date.parse(status.launch?.preparedAt ?? meta.createdAt);
  const created = status.conditions.find(({ type, status: is }) => type === 'MachineCreation' && is === 'True');
  const takenAt = Date.parse(created?.lastTransitionTime ?? '');
  return Number.isNaN(takenAt) ? preparedAt : Math.max(preparedAt, takenAt);
}

/** Whose conditions are looked at. */
interface Bearer {
  readonly whose: string;
  readonly of: 'node' | 'machine';
  /** Milliseconds since the epoch. */
  readonly madeAt?: number;
}

interface SomeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

function nodeOf({ metadata }: Node): Bearer {
  return { whose: `its Node ${metadata.name}`, of: 'node', madeAt: Date.parse(metadata.creationTimestamp) };
}

function badConditions(conditions: readonly SomeCondition[], rules: readonly ConditionRule[], bearer: Bearer) {
  return rules.flatMap((rule): SeenCause[] => {
    const { type, timeoutMs } = rule;
    const found = badConditionOf(conditions, rule);
    if (found === undefined) return [];
    const reason = found.reason === undefined || found.reason === '' ? '' : ` (${found.reason})`;
    return [
      {
        key: keyOf(bearer.of, rule),
        kind: 'condition',
        condition: conditionKeyOf(bearer.of, rule),
        words: `${type} of ${bearer.whose} is ${found.status}${reason}`,
        timeoutMs,
        ...given({ changedAt: timeOf(found.lastTransitionTime), notBefore: bearer.madeAt }),
      },
    ];
  });
}

/** A {@link SeenCause.key}. */
function keyOf(of: Bearer['of'], rule: ConditionRule): string {
  return `${conditionKeyOf(of, rule)}=${rule.statuses.join()} ${rule.timeoutMs}`;
}

/** A {@link SeenCause.condition}. */
export function conditionKeyOf(of: Bearer['of'], { type }: Pick<ConditionRule, 'type'>): string {
  return `${of} ${type}`;
}

/** The rules on Nodes that these keys are of. */
export function nodeRulesOf(keys: readonly string[]): ConditionRule[] {
  return keys.flatMap((key) => {
    const [, type, statuses, timeout] = /^node (\S+)=(\S+) (\d+)$/.exec(key) ?? [];
    if (type === undefined || statuses === undefined) return [];
    const named = statuses.split(',');
    return [{ type, statuses: STATUSES.filter((one) => named.includes(one)), timeoutMs: Number(timeout) }];
  });
}

/**
 * When conditions turned good since a look, by what they say themselves: a spell that was bad ends then, and not when somebody looks.
 * Undefined: none did, or nobody asks.
 */
export function turnedGoodSince(
  since: number | undefined,
  bodies: readonly SeenBody[],
  rules: Rules,
): Record<string, Record<string, number>> | undefined {
  if (since === undefined) return undefined;
  const all = bodies.flatMap(({ read, node }) => {
    const { conditions } = read.machine.status;
    const good = [
      ...goodSince(since, node?.status?.conditions ?? [], rules.nodeRules, 'node'),
      ...goodSince(since, [...conditions, ...read.otherConditions], rules.machineRules, 'machine'),
    ];
    return good.length === 0 ? [] : [[read.machine.ref.uid, Object.fromEntries(good)] as const];
  });
  return unlessEmpty(Object.fromEntries(all));
}

function goodSince(
  since: number,
  conditions: readonly SomeCondition[],
  rules: readonly ConditionRule[],
  of: Bearer['of'],
): [string, number][] {
  return rules.flatMap((rule) => {
    const one = conditions.find(({ type }) => type === rule.type);
    const at = timeOf(one?.lastTransitionTime);
    const isLate = at !== undefined && at >= since - CLOCK_SLACK_MS;
    return isLate && badConditionOf(conditions, rule) === undefined ? [[keyOf(of, rule), at]] : [];
  });
}

/** The condition that is bad by the rule; undefined: it is not, or is not there. */
export function badConditionOf<C extends SomeCondition>(
  conditions: readonly C[],
  { type, statuses }: ConditionRule,
): C | undefined {
  return conditions.find((one) => one.type === type && statuses.some((status) => status === one.status));
}

/** The reboot that its check wants has taken place: its Node tells of another boot, and is Ready. */
function isRebooted({ read: { machine }, node }: SeenBody): boolean {
  const { rebootWish: wish, status } = machine;
  if (wish === undefined || status.reboot?.id !== wish.id || node === undefined) return false;
  return isReady(node) && hasBootedSince(status.reboot, node.status?.nodeInfo?.bootID);
}

function isInTheWay({ conditions }: MachineStatus): boolean {
  return conditions.some(({ type, reason }) => type === 'Rebooted' && reason === 'ControlPlaneInTheWay');
}

function rebootOf(body: SeenBody): SeenReboot | undefined {
  const { rebootWish: wish, status } = body.read.machine;
  if (wish === undefined && status.reboot === undefined) return undefined;
  const { id, state, sentAt, message, times = [] } = status.reboot ?? {};
  return {
    ...given({ wanted: wish?.id, told: id, state, sentAt, message: message && cut(message, MOST_WORDS) }),
    times,
    ...given({
      awaitsTurn: (wish !== undefined && isInTheWay(status)) || undefined,
      isDone: isRebooted(body) || undefined,
    }),
  };
}

/** Undefined: it is healthy. */
export function suspectOf(body: SeenBody, rules: Rules): Suspect | undefined {
  const { read, node } = body;
  const { machine, meta, health } = read;
  const { ref, status, deletedAt } = machine;
  const causes = causesOf(body, rules);
  const isWhole = node !== undefined && deletedAt === undefined && causes.length === 0;
  if (isWhole && health.external !== true && health.claim === undefined) return undefined;
  const isControlPlane = status.isControlPlane === true || (node !== undefined && isControlPlaneNode(node));
  return {
    name: ref.name,
    uid: ref.uid,
    createdAt: meta.createdAt,
    ...given({
      set: meta.controller,
      node: node?.metadata.name,
      nodeReady: node && (readinessOf(node)?.status ?? 'Unknown'),
      zone: zoneOfBody(body),
      isControlPlane: isControlPlane || undefined,
      isDeleting: deletedAt !== undefined || undefined,
      isProved: isProved(status) || undefined,
      lacksRoom: (status.phase === 'Failed' && isForLackOfRoom(status.error?.reason)) || undefined,
    }),
    causes,
    ...given({ reboot: rebootOf(body) }),
    ...given({ skip: health.skip, isExternal: health.external, claim: health.claim }),
  };
}

/**
 * Of the Node that has the name of the one in a Machine's status: that one, or the one that its kubelet registered in its stead, which
 * the Machine is not linked with yet. Undefined: it is another machine's.
 */
export function sameNode(node: Node | undefined, { status }: MachineReading['machine']): Node | undefined {
  if (node === undefined || node.metadata.uid === status.nodeRef?.uid) return node;
  return namesAnother(node, status.instance?.id) ? undefined : node;
}

/** Machines with their Nodes, which were listed after them: one that a Machine names was there before. */
export function withNodes(machines: readonly MachineReading[], nodes: readonly Node[]): SeenBody[] {
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  return machines.map((read) => {
    const { nodeRef } = read.machine.status;
    return { read, node: nodeRef && sameNode(byName.get(nodeRef.name), read.machine) };
  });
}

/** The cloud says that its instance is stopped, has ended or is gone. */
export function isProved(status: MachineStatus): boolean {
  return status.instance?.state === 'stopped' || hasEnded(status);
}

/** Of its Node; where that is gone, of its instance. */
export function zoneOfBody({ read, node }: SeenBody): string | undefined {
  return node === undefined ? read.placement.zone : zoneOf(node);
}

export function zoneOf({ metadata }: Node): string | undefined {
  return metadata.labels?.[ZONE_LABEL];
}
