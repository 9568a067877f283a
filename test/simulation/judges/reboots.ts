import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { DescribedInstance } from '../../../devstack/doubles/cloud/cloud-instance.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS } from '../../../k8s/resources.ts';
import { readHealthClaim, REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { readRebootWish, REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { Lately } from '../people/lately.ts';

/** How often a machine is rebooted within 24 hours where its check says nothing else. A run is shorter. */
const MAX_REBOOTS = 2;
/** An edit of that reaches what is under way within this time, in milliseconds. */
const EDITED_MS = 120_000;

export interface RebootJudgeOptions {
  readonly api: Pick<ApiServer, 'store'>;
  readonly now: () => number;
  /** What a check is, by its uid. */
  readonly checks: Pick<Lately<MachineHealthCheckObject>, 'since'>;
  /** Since when a check remembers what it did, by its uid: before, its memory was lost, or it was not there. */
  readonly remembersSince: (check: string) => number;
  /** The instances that have not ended. */
  readonly living: () => readonly DescribedInstance[];
  readonly accuse: (judge: string, message: string) => void;
}

interface SeenEvent {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly uid: string };
}

/** What health checks asked for of one Machine. */
interface Asked {
  readonly name: string;
  /** Ids of all wishes that there were. */
  readonly wishes: Set<string>;
  /** The check that asked last. */
  check: string;
  /** What is wanted now. */
  wanted?: string;
  /** What was wanted last has helped, as its check has told: when it did. */
  helped?: { readonly id: string; readonly at: number };
}

/**
 * An instance is rebooted once for each wish of a health check, and not more often than its check allows; by what the cloud did. A wish that
 * has helped is over: what is bad afterwards is another trouble.
 */
export class RebootJudge {
  readonly #options: RebootJudgeOptions;
  /** By the uid of the Machine. */
  readonly #asked = new Map<string, Asked>();
  /** By the id of the instance. */
  readonly #seen = new Map<string, number>();

  constructor(options: RebootJudgeOptions) {
    this.#options = options;
    options.api.store.onChange(({ resource, object }) => {
      if (resource.plural === EVENTS.plural) this.#seeEvent(object as unknown as SeenEvent);
      if (resource.plural === MACHINES.plural) this.#seeMachine((object as unknown as MachineObject).metadata);
    });
  }

  #seeMachine({ uid, name, annotations = {} }: MachineObject['metadata']): void {
    const wish = readRebootWish(annotations[REBOOT_ANNOTATION]);
    const asked = this.#asked.get(uid) ?? { name, wishes: new Set<string>(), check: '' };
    if (wish === undefined) {
      delete asked.wanted;
      return;
    }
    this.#asked.set(uid, asked);
    const isNew = asked.wanted !== wish.id;
    asked.wanted = wish.id;
    asked.wishes.add(wish.id);
    asked.check = readHealthClaim(annotations[REMEDIATED_BY_ANNOTATION] ?? '')?.uid ?? asked.check;
    if (isNew) this.#judgeOver(asked);
  }

  #judgeOver({ name, check, wanted, helped }: Asked): void {
    const { remembersSince, accuse } = this.#options;
    if (helped === undefined || helped.id !== wanted || remembersSince(check) > helped.at) return;
    accuse('a reboot that has helped is over', `Machine ${name} is to be rebooted by the wish of ${wanted} once more`);
  }

  #seeEvent({ reason, message, involvedObject }: SeenEvent): void {
    if (reason !== 'RemediationSucceeded') return;
    for (const asked of this.#asked.values()) {
      const { name, check, wishes, wanted } = asked;
      const isOfIt = check === involvedObject.uid && message.startsWith(`Machine ${name} is healthy again`);
      const last = [...wishes].at(-1);
      if (isOfIt && wanted === undefined && last !== undefined) {
        asked.helped = { id: last, at: this.#options.now() };
      }
    }
  }

  /** A call to reboot this instance reached the cloud, which did it or not. */
  seeCall(id: string): void {
    const { accuse, checks, living, now } = this.#options;
    const instance = living().find((each) => each.id === id);
    const { reboots = 0, machineUid: uid = '', name = '' } = instance ?? {};
    if (reboots === (this.#seen.get(id) ?? 0)) return;
    this.#seen.set(id, reboots);
    const { wishes = new Set<string>(), check = '' } = this.#asked.get(uid) ?? {};
    if (reboots > wishes.size) {
      const what = `instance ${id} of Machine ${name} was rebooted ${reboots} times`;
      accuse('one reboot where one was asked', `${what}, and ${wishes.size} were asked for`);
    }
    const limits = checks
      .since(check, now() - EDITED_MS)
      .flatMap(({ spec }) => spec.remediation?.steps ?? [])
      .map(({ maxReboots = MAX_REBOOTS }) => maxReboots);
    const most = Math.max(MAX_REBOOTS, ...limits);
    if (reboots > most) {
      accuse(
        'at most maxReboots',
        `instance ${id} of Machine ${name} was rebooted ${reboots} times, at most ${most} may be`,
      );
    }
  }
}
