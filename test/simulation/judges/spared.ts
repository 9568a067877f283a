import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import { PROTECTIONS } from '../cluster/workload-kinds.ts';
import { A_MOMENT_MS } from './new-machine.ts';
import type { Wishes } from './wishes.ts';

interface SparedOptions {
  readonly now: () => number;
  readonly wishes: Wishes;
  readonly accuse: (judge: string, message: string) => void;
}

/** An eviction that takes effect. */
interface Eviction {
  readonly what: string;
  /** Somebody said that the drain is to be over soon. */
  readonly isHurried: boolean;
  /** Somebody says Force, or did a moment ago. */
  readonly isForced: boolean;
}

/** How long before its deletion by Force a pod's eviction is asked for, in milliseconds. */
const ASKED_BEFORE_MS = 32_000;
/** A deadline counts for as much earlier as clocks and seconds without a fraction make it look. Milliseconds. */
const ROUNDED_MS = 2000;
/** How long before a deletion its cause may have been written, in milliseconds: an older one is another deletion's. */
const CAUSE_MS = 300_000;

/** Nobody has to go for a maintenance, or a rollout, who asks not to be disrupted, before the time for the drain is over. */
export class SparedJudge {
  readonly #options: SparedOptions;

  constructor(options: SparedOptions) {
    this.#options = options;
  }

  seeEviction(machine: MachineObject, pod: StoredPod, { what, isHurried, isForced }: Eviction): void {
    if (!isProtected(pod) || readPod(pod).isFinished) return;
    const { now, wishes, accuse } = this.#options;
    const { uid, name } = machine.metadata;
    const since = now() - A_MOMENT_MS - ASSUMPTIONS.requestEffectMs;
    // A machine that is rebooted is sick.
    if (wishes.reboots.since(uid, since).includes(true)) return;
    const isToGo = wishes.toGo.since(uid, since).includes(true);
    if (isToGo && (!isRolledOut(machine) || isHurried)) return;
    // What a person asked to go before that need not be spared, and what was sent for it may take effect a moment later.
    if (wishes.deletes.since(uid, since).includes(true) || this.#isOver(machine, { since, isForced })) return;
    const why = isToGo ? 'rollout' : 'maintenance';
    accuse(`a ${why} waits`, `${what}, which asks not to be disrupted, for the ${why} of ${name}`);
  }

  /** By Force each pod is asked to go so early that it has its own time to end. */
  #isOver(
    { metadata: { uid }, status = {} }: MachineObject,
    { since, isForced }: { since: number; isForced: boolean },
  ) {
    const { now, wishes } = this.#options;
    const timeouts = wishes.timeouts.since(uid, since).map((timeout = '') => parseDuration(timeout) ?? Infinity);
    const leastMs = Math.min(...timeouts);
    const start = Date.parse(status.deletion?.drainStartTime ?? status.maintenanceDrainStartTime ?? '');
    const begunAt = Number.isNaN(start) ? (wishes.of(uid).toEmptySince ?? Infinity) : start;
    const sparedMs = isForced ? leastMs / 2 - ASKED_BEFORE_MS : leastMs;
    return now() >= begunAt + sparedMs - ROUNDED_MS;
  }
}

function isProtected({ metadata: { annotations = {} } }: StoredPod): boolean {
  return PROTECTIONS.some((each) => Object.entries(each).every(([key, is]) => annotations[key] === is));
}

/** Its deployment replaces it. */
function isRolledOut({ metadata: { annotations, deletionTimestamp = '' } }: MachineObject): boolean {
  const [writtenAt = '', what] = annotations?.[CAUSE_ANNOTATION]?.split(' ') ?? [];
  return what === 'rollout:' && Date.parse(deletionTimestamp) - Date.parse(writtenAt) < CAUSE_MS;
}
