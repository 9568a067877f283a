import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { MACHINE_DEPLOYMENTS, MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { isReady, type Node } from '../../../k8s/model/node.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { NODES } from '../../../k8s/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import { A_MOMENT_MS } from './new-machine.ts';
import type { Remediation, Remediations } from './remediations.ts';

/** An edit of the limit reaches what is under way within this time, in milliseconds. */
const EDITED_MS = 120_000;
/** A check without a memory knows what is being deleted after this time: a request of the one before it may be on its way. Milliseconds. */
const LEARNT_MS = 60_000;

/** A creationTimestamp has whole seconds: what was made right after something else may seem older by so much, in milliseconds. */
const A_SECOND_MS = 1000;

export interface InFlightOptions {
  readonly api: Pick<ApiServer, 'all' | 'store'>;
  readonly remediations: Pick<Remediations, 'checks'>;
  /** Since when the check with this uid remembers what it did, in milliseconds since the epoch. */
  readonly remembersSince: (check: string) => number;
  readonly now: () => number;
  readonly accuse: (message: string) => void;
}

/** What may end a remediation's place. */
const MATTERING: readonly string[] = [MACHINES, MACHINE_SETS, MACHINE_DEPLOYMENTS, NODES].map(({ plural }) => plural);

interface Slot {
  readonly name: string;
  /** The uid of who makes another: its set, or the deployment of that. */
  readonly maker: string;
  readonly from: number;
  /** When the check took the place: its deletion may have been refused for a while, or it was rebooted first. */
  readonly claimedAt: number;
  isGone: boolean;
}

/**
 * No more Machines are remediated at a time than may be. One counts from its deletion until it is gone and its set, or the sets of its
 * deployment together, are whole: no Machine is missing, and none that was made since is without a Node that is Ready. It counts as long as the check does that has its memory;
 * one whose memory was lost counts what is still being deleted, as that bears its name.
 */
export class InFlightJudge {
  readonly #options: InFlightOptions;
  /** By the uid of the check, and of the Machine. */
  readonly #slots = new Map<string, Map<string, Slot>>();
  /** By the uid of a Machine: when a check last wrote there that it remediates it, in milliseconds since the epoch. */
  readonly #claimedAt = new Map<string, number>();

  constructor(options: InFlightOptions) {
    this.#options = options;
    options.api.store.onChange(({ resource, type, object, previous }) => {
      if (type === 'DELETED' && resource.plural === MACHINES.plural) {
        for (const slots of this.#slots.values()) {
          const slot = slots.get(object.metadata.uid);
          if (slot !== undefined) slot.isGone = true;
        }
      }
      if (resource.plural === MACHINES.plural) this.#noteClaim(object, previous);
      if (MATTERING.includes(resource.plural)) this.#settle();
    });
  }

  see({ machine, check, at }: Remediation): void {
    const { remediations, remembersSince, accuse } = this.#options;
    const maker = this.#makerOf(controllerOf(machine.metadata.ownerReferences)?.uid ?? '');
    const slots = this.#slots.get(check) ?? new Map<string, Slot>();
    this.#slots.set(check, slots);
    const since = remembersSince(check);
    for (const [uid, { isGone, from }] of slots) if (isGone && from < since + LEARNT_MS) slots.delete(uid);
    const madeAt = Date.parse(machine.metadata.creationTimestamp);
    // What was made since then, and is no better, is replaced in the same place: the newest that it can be of, so that older machines find theirs.
    const same = [...slots].findLast(
      ([, slot]) => slot.isGone && slot.maker === maker && madeAt >= slot.claimedAt - A_MOMENT_MS,
    );
    if (same !== undefined) slots.delete(same[0]);
    const { uid, name } = machine.metadata;
    const claimedAt = this.#claimedAt.get(uid) ?? at;
    slots.set(uid, { name, maker, from: at, claimedAt, isGone: false });
    const limits = remediations.checks
      .since(check, Math.min(at - EDITED_MS, claimedAt))
      .map(({ spec }) => Number(spec.remediation?.maxInFlight));
    const most = Math.max(1, ...limits);
    // Where the limit is smaller than it was, what is under way goes on in its places.
    if (same !== undefined || slots.size <= most || since > at - LEARNT_MS) return;
    const names = Array.from(slots.values(), (slot) => `${slot.name}${slot.isGone ? ' (gone)' : ''}`);
    accuse(`${names.join(', ')} are remediated at once, and at most ${most} may be`);
  }

  #noteClaim({ metadata: { uid, annotations } }: Change['object'], previous: Change['previous']): void {
    const claim = annotations?.[REMEDIATED_BY_ANNOTATION];
    if (claim === undefined || claim === previous?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]) return;
    this.#claimedAt.set(uid, this.#options.now());
  }

  /** A set has what it wants: what is gone of it is over. */
  #settle(): void {
    for (const slots of this.#slots.values()) {
      const gone = [...slots].filter(([, { isGone }]) => isGone);
      for (const [maker, members] of Map.groupBy(gone, ([, slot]) => slot.maker)) {
        const since = Math.min(...members.map(([, { from }]) => from));
        const over = members.length - this.#missing(maker, since, slots);
        // Which machine came for which is not known. The oldest stay: what joins is newer than they are.
        const newest = members.toSorted(([, a], [, b]) => b.from - a.from);
        for (const [uid] of newest.slice(0, Math.max(0, over))) slots.delete(uid);
      }
    }
  }

  #makerOf(set: string): string {
    const owner = controllerOf(this.#options.api.store.byUid(set)?.metadata.ownerReferences);
    return owner?.uid ?? set;
  }

  /** How many Machines are not there, or are without a Node that is Ready, of a set or of all sets of a deployment. */
  #missing(maker: string, since: number, slots: ReadonlyMap<string, Slot>): number {
    const { api } = this.#options;
    const made = api.store.byUid(maker) as unknown as MachineSetObject | MachineDeploymentObject | undefined;
    if (made === undefined || made.metadata.deletionTimestamp !== undefined) return 0;
    const sets = api
      .all<MachineSetObject>(MACHINE_SETS)
      .filter(({ metadata }) => this.#makerOf(metadata.uid) === maker);
    const living = api.all<MachineObject>(MACHINES).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const own = sets.map((set) => ({
      replicas: set.spec.replicas ?? 1,
      machines: living.filter(({ metadata }) => controllerOf(metadata.ownerReferences)?.uid === set.metadata.uid),
    }));
    const machines = own.flatMap((one) => one.machines);
    const joining = machines.filter(({ metadata, status }) => {
      if (slots.has(metadata.uid) || Date.parse(metadata.creationTimestamp) <= since - A_SECOND_MS) return false;
      const node = api.store.byUid(status?.nodeRef?.uid ?? '') as unknown as Node | undefined;
      return node === undefined || !isReady(node);
    });
    const short = own.reduce((all, one) => all + Math.max(0, one.replicas - one.machines.length), 0);
    return Math.max(short, (made.spec.replicas ?? 1) - machines.length) + joining.length;
  }
}
