import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { DescribedInstance } from '../../../devstack/doubles/cloud/cloud-instance.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
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
  /** The instances that have not ended. */
  readonly living: () => readonly DescribedInstance[];
  readonly accuse: (judge: string, message: string) => void;
}

/** What health checks asked for of one Machine. */
interface Asked {
  /** Ids of all wishes that there were. */
  readonly wishes: Set<string>;
  /** The check that asked last. */
  check: string;
}

/** An instance is rebooted once for each wish of a health check, and not more often than its check allows; by what the cloud did. */
export class RebootJudge {
  readonly #options: RebootJudgeOptions;
  /** By the uid of the Machine. */
  readonly #asked = new Map<string, Asked>();
  /** By the id of the instance. */
  readonly #seen = new Map<string, number>();

  constructor(options: RebootJudgeOptions) {
    this.#options = options;
    options.api.store.onChange(({ resource, object }) => {
      if (resource.plural !== MACHINES.plural) return;
      const { uid, annotations = {} } = (object as unknown as MachineObject).metadata;
      const wish = readRebootWish(annotations[REBOOT_ANNOTATION]);
      if (wish === undefined) return;
      const asked = this.#asked.get(uid) ?? { wishes: new Set<string>(), check: '' };
      this.#asked.set(uid, asked);
      asked.wishes.add(wish.id);
      asked.check = readHealthClaim(annotations[REMEDIATED_BY_ANNOTATION] ?? '')?.uid ?? asked.check;
    });
  }

  /** A call to reboot this instance reached the cloud, which did it or not. */
  seeCall(id: string): void {
    const { accuse, checks, living, now } = this.#options;
    const instance = living().find((each) => each.id === id);
    const { reboots = 0, machineUid: uid = '', name = '' } = instance ?? {};
    if (reboots === (this.#seen.get(id) ?? 0)) return;
    this.#seen.set(id, reboots);
    const { wishes, check } = this.#asked.get(uid) ?? { wishes: new Set<string>(), check: '' };
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
