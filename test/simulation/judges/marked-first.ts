import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { selects } from '../../../k8s/selector.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeMeta, KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Change } from '../../world/kubernetes/store.ts';

/** So long after the look that chose whom a deletion takes effect, at most, in milliseconds: three slow answers and a late request. */
const LOOK_MS = 45_000;

/** A set and its Machines, as they were from a time on. */
interface Moment {
  readonly at: number;
  readonly replicas: number;
  /** Its Machines that nobody marked and nobody deletes. */
  readonly unmarked: number;
  readonly marked: number;
}

export interface MarkedFirstOptions {
  readonly api: ApiServer;
  readonly now: () => number;
  /** Whether somebody else than its set deletes the Machine with this uid, or asked that it go at some time since then. */
  readonly isByHand: (uid: string, since: number) => boolean;
  readonly accuse: (message: string) => void;
}

/**
 * A Machine that nobody marked does not go while its set has a marked one, unless the set had more to let go than were marked.
 * A set reads its replicas first and its Machines after that: a mark that came before the set was made smaller counts.
 */
export class MarkedFirstJudge {
  readonly #options: MarkedFirstOptions;
  /** By the set's uid, the newest last; of those that are older than a look, the last alone. */
  readonly #moments = new Map<string, Moment[]>();

  constructor(options: MarkedFirstOptions) {
    this.#options = options;
    options.api.store.onChange((change) => this.#see(change));
  }

  #see({ resource, type, object, previous }: Change): void {
    if (resource.plural === MACHINE_SETS.plural) this.#note(object.metadata.uid);
    if (resource.plural !== MACHINES.plural || (type === 'MODIFIED' && isSameToSets(object, previous))) return;
    const owners = [previous, object].flatMap((each) => controllerOf(each?.metadata.ownerReferences)?.uid ?? []);
    const goes = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    for (const owner of new Set(owners)) {
      if (goes && previous !== undefined) this.#judge(owner, previous);
      this.#note(owner);
    }
  }

  #judge(owner: string, machine: KubeObject): void {
    const { accuse, now, isByHand } = this.#options;
    const set = this.#setOf(owner);
    const since = now() - LOOK_MS;
    const { uid, name } = machine.metadata;
    if (set === undefined || !isMember(set, machine.metadata) || isMarked(machine) || isByHand(uid, since)) return;
    const moments = this.#moments.get(owner) ?? [];
    const seen = moments.filter(({ at }, index) => at >= since || (moments[index + 1]?.at ?? Infinity) > since);
    if ((seen.at(-1)?.marked ?? 0) === 0) return;
    let fewest = Infinity;
    for (const { replicas, unmarked } of seen) {
      fewest = Math.min(fewest, replicas);
      // All that are marked go, and that is not enough.
      if (unmarked > fewest) return;
    }
    accuse(`${set.metadata.name} deletes Machine ${name}, which nobody marked, and keeps a marked one`);
  }

  #note(owner: string): void {
    const { api, now } = this.#options;
    const set = this.#setOf(owner);
    if (set === undefined) return;
    const members = api.store.dependentsOf(owner).filter(({ metadata }) => isMember(set, metadata));
    const marked = members.filter(isMarked).length;
    const moment = { at: now(), replicas: set.spec.replicas ?? 1, unmarked: members.length - marked, marked };
    const known = this.#moments.get(owner) ?? [];
    const firstSeen = known.findLastIndex(({ at }) => at < moment.at - LOOK_MS);
    this.#moments.set(owner, [...known.slice(Math.max(0, firstSeen)), moment]);
  }

  #setOf(uid: string): MachineSetObject | undefined {
    const owner = this.#options.api.store.byUid(uid);
    const isSet = owner?.kind === MACHINE_SETS.kind && owner.apiVersion === MACHINE_SETS.apiVersion;
    return isSet ? (owner as unknown as MachineSetObject) : undefined;
  }
}

/** All that is noted of a Machine is the same: most writes are of its status. */
function isSameToSets({ metadata, spec }: KubeObject, previous: KubeObject | undefined): boolean {
  if (previous === undefined || spec !== previous['spec']) return false;
  const { labels, annotations, ownerReferences, deletionTimestamp } = previous.metadata;
  return (
    metadata.labels === labels &&
    metadata.annotations === annotations &&
    metadata.ownerReferences === ownerReferences &&
    metadata.deletionTimestamp === deletionTimestamp
  );
}

/** Of the set, and nobody deletes it. */
function isMember({ metadata, spec }: MachineSetObject, machine: KubeMeta): boolean {
  return (
    machine.deletionTimestamp === undefined &&
    controllerOf(machine.ownerReferences)?.uid === metadata.uid &&
    selects(spec.selector, machine.labels ?? {})
  );
}

function isMarked(machine: KubeObject): boolean {
  const { metadata, spec } = machine as unknown as MachineObject;
  return spec.delete === true || DELETE_MACHINE_ANNOTATION in (metadata.annotations ?? {});
}
