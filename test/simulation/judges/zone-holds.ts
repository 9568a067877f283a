import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { OTHER_REMEDIATE_ANNOTATION, REMEDIATE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { PROCEED_ANNOTATION } from '../../../k8s/model/machine-health-check.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { selects } from '../../../k8s/selector.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { rulesIn, zoneOf, type NodeHistory, type Rule } from './node-history.ts';
import { DECIDED_MS, type Remediation, type Remediations } from './remediations.ts';

/** A zone of fewer Nodes tells nothing. */
const LEAST_NODES = 3;
/** What lasts for so long every look sees, also one of a moment ago. Milliseconds. */
const SEEN_MS = DECIDED_MS + 15_000;
/** What turned bad within this time is seen within stormWindow (5 min), also where a look comes late. Milliseconds. */
const AT_ONCE_MS = 240_000;
const NOT_READY: Rule = { type: 'Ready', statuses: ['False', 'Unknown'], timeoutMs: 0 };

export interface ZoneHoldsOptions {
  readonly api: Pick<ApiServer, 'all' | 'store'>;
  readonly nodes: NodeHistory;
  readonly remediations: Pick<Remediations, 'checks'>;
  /** Whether the instance of the Machine with this uid runs, and always did. */
  readonly runs: (uid: string) => boolean;
  readonly accuse: (message: string) => void;
}

/** While all Nodes of a zone turned bad at once by one rule, and another zone is well, no Machine there is remediated for that alone. */
export class ZoneHoldsJudge {
  readonly #options: ZoneHoldsOptions;

  constructor(options: ZoneHoldsOptions) {
    this.#options = options;
  }

  see({ machine, check, at }: Remediation): void {
    const { api, remediations, accuse } = this.#options;
    const { metadata, status } = machine;
    const { annotations = {}, name } = metadata;
    if (REMEDIATE_ANNOTATION in annotations || OTHER_REMEDIATE_ANNOTATION in annotations) return;
    if (status?.phase === 'Failed' || !this.#isSurelyRunning(machine)) return;
    const told = remediations.checks.since(check, at - SEEN_MS);
    const spec = told.at(-1)?.spec;
    // What a person has seen is no news.
    const hasProceeded = told.some((one) => one.metadata.annotations?.[PROCEED_ANNOTATION] !== undefined);
    if (spec === undefined || hasProceeded) return;
    const all = api.all<Node>(NODES);
    const zone = zoneOf(all.find(({ metadata: { uid } }) => uid === status?.nodeRef?.uid));
    if (zone === undefined || !this.#isAnotherWell(all, zone, at)) return;
    const bad = rulesIn(spec).filter((rule) => this.#badSince(status?.nodeRef?.uid, rule, at) !== undefined);
    const isHeld = bad.length > 0 && bad.every((rule) => this.#isLost(machine, spec, { all, zone, rule, at }));
    if (isHeld) accuse(`Machine ${name} is remediated while all Nodes of zone ${zone} are bad by ${bad[0]?.type}`);
  }

  #isLost(
    self: MachineObject,
    { selector }: MachineHealthCheckObject['spec'],
    {
      all,
      zone,
      rule,
      at,
    }: { readonly all: readonly Node[]; readonly zone: string; readonly rule: Rule; readonly at: number },
  ): boolean {
    const { api, nodes } = this.#options;
    const members = all.filter((node) => zoneOf(node) === zone);
    const isLong = members.every(({ metadata }) => (this.#badSince(metadata.uid, rule, at) ?? at) <= at - SEEN_MS);
    // With one that left of late the zone was another.
    if (members.length < LEAST_NODES || !isLong || nodes.hasLeft(zone, at - SEEN_MS)) return false;
    const uids = new Set(members.map(({ metadata }) => metadata.uid));
    const struck = api
      .all<MachineObject>(MACHINES)
      .filter(
        ({ metadata, status }) => selects(selector, metadata.labels ?? {}) && uids.has(status?.nodeRef?.uid ?? ''),
      );
    const isPlain = struck.every(
      (one) =>
        one.metadata.uid === self.metadata.uid ||
        (one.metadata.deletionTimestamp === undefined && this.#isSurelyRunning(one)),
    );
    const since = struck.map(({ status }) => this.#badSince(status?.nodeRef?.uid, rule, at) ?? at);
    return isPlain && Math.max(...since) - Math.min(...since) <= AT_ONCE_MS;
  }

  /** The cloud proves nothing against it. */
  #isSurelyRunning({ metadata, status }: MachineObject): boolean {
    return this.#options.runs(metadata.uid) && status?.providerStatus?.instanceState === 'running';
  }

  /** A Node of another zone was Ready all the time. */
  #isAnotherWell(all: readonly Node[], zone: string, at: number): boolean {
    const { nodes } = this.#options;
    return all.some((node) => {
      const { uid } = node.metadata;
      const isOther = zoneOf(node) !== undefined && zoneOf(node) !== zone;
      const wasBad = nodes.badTimes(uid, NOT_READY).some(({ to }) => to > at - SEEN_MS);
      return isOther && !wasBad && nodes.wasThere(uid, at - SEEN_MS);
    });
  }

  #badSince(node: string | undefined, rule: Rule, now: number): number | undefined {
    return this.#options.nodes.badTimes(node ?? '', rule).find(({ from, to }) => from <= now && to > now)?.from;
  }
}
