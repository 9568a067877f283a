import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { selects } from '../../../k8s/selector.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { rulesIn, type NodeHistory } from './node-history.ts';
import { DECIDED_MS, type Remediation, type Remediations } from './remediations.ts';

/** What lasts for so long every look sees, also one of a moment ago. Milliseconds. */
const SEEN_MS = DECIDED_MS + 15_000;

export interface TooManyHoldsOptions {
  readonly api: Pick<ApiServer, 'all' | 'store'>;
  readonly now: () => number;
  readonly nodes: Pick<NodeHistory, 'badTimes' | 'wasThere'>;
  readonly remediations: Pick<Remediations, 'checks'>;
  readonly accuse: (message: string) => void;
}

/** While more Machines than maxUnhealthy allows were unhealthy, whatever it was a moment ago, no remediation begins. */
export class TooManyHoldsJudge {
  readonly #options: TooManyHoldsOptions;
  /** When a Machine was claimed for remediation, by its uid. */
  readonly #claimedAt = new Map<string, number>();

  constructor(options: TooManyHoldsOptions) {
    this.#options = options;
    const { api, now } = options;
    api.store.onChange(({ resource, object }) => {
      if (resource.plural !== MACHINES.plural) return;
      const { uid, annotations = {} } = object.metadata;
      if (!(REMEDIATED_BY_ANNOTATION in annotations)) this.#claimedAt.delete(uid);
      else if (!this.#claimedAt.has(uid)) this.#claimedAt.set(uid, now());
    });
  }

  see({ machine, check, at }: Remediation): void {
    const { api, remediations, accuse } = this.#options;
    const { uid, name } = machine.metadata;
    // It has begun before: it comes to an end.
    if ((this.#claimedAt.get(uid) ?? at) < at - DECIDED_MS) return;
    const told = remediations.checks.since(check, at - SEEN_MS);
    const spec = told.at(-1)?.spec;
    if (spec === undefined) return;
    const selected = api
      .all<MachineObject>(MACHINES)
      .filter(({ metadata }) => selects(spec.selector, metadata.labels ?? {}));
    const unhealthy = selected.filter((one) => this.#isLongUnhealthy(one, spec, at));
    // One that left in this moment was one of them, and not counted here.
    const most = Math.max(...told.map((one) => mostOf(one, selected.length + 1)));
    if (unhealthy.length <= most) return;
    accuse(
      `Machine ${name} is remediated while ${unhealthy.length} of ${selected.length} are unhealthy, and ${most} may be`,
    );
  }

  #isLongUnhealthy({ metadata, status }: MachineObject, spec: MachineHealthCheckObject['spec'], now: number): boolean {
    const { nodes } = this.#options;
    const since = now - SEEN_MS;
    if (metadata.deletionTimestamp !== undefined) return Date.parse(metadata.deletionTimestamp) < since;
    const node = status?.nodeRef?.uid;
    if (node === undefined) return Date.parse(metadata.creationTimestamp) < since;
    return rulesIn(spec).some((rule) => nodes.badTimes(node, rule).some(({ from, to }) => from < since && to > now));
  }
}

function mostOf({ spec: { maxUnhealthy } }: MachineHealthCheckObject, selected: number): number {
  const text = String(maxUnhealthy);
  return text.endsWith('%') ? Math.floor((Number(text.slice(0, -1)) / 100) * selected) : Number(text);
}
