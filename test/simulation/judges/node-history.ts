import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { ZONE_LABEL } from '../cluster/kubelets.ts';

/** A time in which something was bad, in milliseconds since the epoch. Infinity: it is still. */
export interface BadTime {
  readonly from: number;
  readonly to: number;
}

/** A condition that is bad for too long makes a machine unhealthy. */
export interface Rule {
  readonly type: string;
  readonly statuses: readonly string[];
  readonly timeoutMs: number;
}

interface Moment {
  readonly at: number;
  /** By type. */
  readonly statuses: ReadonlyMap<string, string>;
}

/** What the API server showed of the conditions of Nodes, from the beginning. */
export class NodeHistory {
  readonly #moments = new Map<string, Moment[]>();
  readonly #goneAt = new Map<string, number>();
  readonly #zones = new Map<string, string>();

  constructor(api: Pick<ApiServer, 'store'>, now: () => number) {
    api.store.onChange(({ resource, type, object }) => {
      if (resource.plural !== NODES.plural) return;
      const { uid } = object.metadata;
      if (type === 'DELETED') return void this.#goneAt.set(uid, now());
      const node = object as unknown as Node;
      this.#zones.set(uid, zoneOf(node) ?? '');
      const { conditions = [] } = node.status ?? {};
      const statuses = new Map(conditions.map((condition) => [condition.type, condition.status]));
      this.#moments.set(uid, [...(this.#moments.get(uid) ?? []), { at: now(), statuses }]);
    });
  }

  /** When the Node with this uid was bad by a rule, in order. */
  badTimes(uid: string, { type, statuses }: Rule): readonly BadTime[] {
    const moments = this.#moments.get(uid) ?? [];
    const times: BadTime[] = [];
    moments.forEach((moment, at) => {
      if (!statuses.includes(moment.statuses.get(type) ?? '')) return;
      const to = moments[at + 1]?.at ?? this.#goneAt.get(uid) ?? Infinity;
      const last = times.at(-1);
      if (last?.to === moment.at) times[times.length - 1] = { from: last.from, to };
      else times.push({ from: moment.at, to });
    });
    return times;
  }

  /** Whether it was not there at some time since then. */
  wasGone(uid: string, since: number, now: number): boolean {
    if (!this.#moments.has(uid)) return true;
    return (this.#goneAt.get(uid) ?? Infinity) <= now && since <= now;
  }

  /** Whether it was there at that time already. */
  wasThere(uid: string, at: number): boolean {
    return (this.#moments.get(uid)?.[0]?.at ?? Infinity) <= at;
  }

  /** Whether a Node of the zone has gone since then. */
  hasLeft(zone: string, since: number): boolean {
    return [...this.#goneAt].some(([uid, at]) => at >= since && this.#zones.get(uid) === zone);
  }
}

export function zoneOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels?.[ZONE_LABEL];
}

/** The rules of a check. Those of the same type and time-out are one. */
export function rulesIn({ unhealthyConditions = [] }: MachineHealthCheckObject['spec']): readonly Rule[] {
  const alike = Map.groupBy(unhealthyConditions, ({ type, timeout }) => `${type} ${timeout}`);
  return Array.from(alike.values()).flatMap((rules) => {
    const [first] = rules;
    if (first === undefined) return [];
    const { type, timeout } = first;
    return [{ type, statuses: rules.map(({ status }) => status), timeoutMs: parseDuration(timeout) ?? 0 }];
  });
}
