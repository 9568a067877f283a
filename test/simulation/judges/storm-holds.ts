import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { OTHER_REMEDIATE_ANNOTATION, REMEDIATE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { PROCEED_ANNOTATION } from '../../../k8s/model/machine-health-check.ts';
import { selects } from '../../../k8s/selector.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { rulesIn, type NodeHistory, type Rule } from './node-history.ts';
import { DECIDED_MS, type Remediation, type Remediations } from './remediations.ts';

/** So many at once may always be a coincidence. */
const COINCIDENCE = 2;
/** What lasts for so long every look sees, also one of a moment ago. Milliseconds. */
const SEEN_MS = DECIDED_MS + 15_000;
/** What turned bad within this time is seen within stormWindow (5 min), also where a look comes late. Milliseconds. */
const AT_ONCE_MS = 240_000;

export interface StormHoldsOptions {
  readonly api: Pick<ApiServer, 'all' | 'store'>;
  readonly nodes: NodeHistory;
  readonly remediations: Pick<Remediations, 'checks'>;
  /** Whether the instance of the Machine with this uid runs, and always did. */
  readonly runs: (uid: string) => boolean;
  readonly accuse: (message: string) => void;
}

/** While more Machines than half turned bad by one rule at once, none that is bad by that alone is remediated: but those whose instances do not run. */
export class StormHoldsJudge {
  readonly #options: StormHoldsOptions;

  constructor(options: StormHoldsOptions) {
    this.#options = options;
  }

  see({ machine, check, at }: Remediation): void {
    const { remediations, runs, accuse } = this.#options;
    const { metadata, status } = machine;
    const { annotations = {}, uid, name } = metadata;
    if (REMEDIATE_ANNOTATION in annotations || OTHER_REMEDIATE_ANNOTATION in annotations) return;
    if (status?.phase === 'Failed' || status?.nodeRef === undefined || !runs(uid)) return;
    if (status.providerStatus?.instanceState !== 'running') return;
    const told = remediations.checks.since(check, at - SEEN_MS);
    const node = status.nodeRef.uid ?? '';
    const spec = told.at(-1)?.spec;
    if (told.length === 0 || spec === undefined) return;
    const proceededAt = Math.max(-Infinity, ...told.map(proceedAt));
    // All that it is bad by at present have to be held.
    const bad = rulesIn(spec).filter((rule) => this.#badSince(node, rule, at) !== undefined);
    const storms = bad.map((rule) => this.#struck(machine, spec, rule, proceededAt, at));
    const isHeld = bad.length > 0 && storms.every(({ struck, most }) => struck > most);
    if (!isHeld) return;
    const words = storms.map(({ struck, selected }, n) => `${struck} of ${selected} are bad by ${bad[n]?.type}`);
    accuse(`Machine ${name} is remediated in a storm: ${words.join(', ')}`);
  }

  /** How many turned bad close together by a rule, and are since then; and how many may. */
  #struck(
    self: MachineObject,
    { selector }: MachineHealthCheckObject['spec'],
    rule: Rule,
    proceededAt: number,
    now: number,
  ): { readonly struck: number; readonly most: number; readonly selected: number } {
    const { api, runs } = this.#options;
    const machines = api
      .all<MachineObject>(MACHINES)
      .filter(({ metadata }) => selects(selector, metadata.labels ?? {}));
    const since = machines.flatMap(({ metadata, status }) => {
      const isLeaving = metadata.uid !== self.metadata.uid && metadata.deletionTimestamp !== undefined;
      if (isLeaving || !runs(metadata.uid) || status?.providerStatus?.instanceState !== 'running') return [];
      const from = this.#badSince(status.nodeRef?.uid ?? '', rule, now);
      // What a person has seen is no news.
      return from === undefined || from > now - SEEN_MS || from <= proceededAt + SEEN_MS ? [] : [from];
    });
    const struck = Math.max(
      0,
      ...since.map((from) => since.filter((each) => each >= from && each - from <= AT_ONCE_MS).length),
    );
    // As many as there were a moment ago may have been one more, or some.
    return { struck, most: Math.max(COINCIDENCE, (machines.length + 1) / 2), selected: machines.length };
  }

  #badSince(node: string, rule: Rule, now: number): number | undefined {
    return this.#options.nodes.badTimes(node, rule).find(({ from, to }) => from <= now && to > now)?.from;
  }
}

function proceedAt({ metadata }: MachineHealthCheckObject): number {
  return Date.parse(metadata.annotations?.[PROCEED_ANNOTATION] ?? '') || -Infinity;
}
