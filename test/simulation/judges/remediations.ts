import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { readHealthClaim, REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { readRebootWish, REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeRequest } from '../../world/kubernetes/request.ts';
import { Lately } from '../people/lately.ts';

/**
 * So long after the look that decided it a deletion takes effect, at most, in milliseconds: three slow answers and a late request.
 */
export const DECIDED_MS = 45_000;

/** A health check deletes a Machine, or asks for its reboot. */
export interface Remediation {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As it was right before. */
  readonly machine: MachineObject;
  /** The uid of the check that says there that it remediates it. */
  readonly check: string;
}

export interface RemediationsOptions {
  readonly api: Pick<ApiServer, 'store'>;
  readonly now: () => number;
  /** It is deleted. */
  readonly onRemediation: (remediation: Remediation) => void;
  /** Its reboot is asked for, for the first time. @default nobody is told */
  readonly onRebootAsked?: (remediation: Remediation) => void;
}

/** Sees what health checks delete, what they ask to be rebooted, and what they were told of late. */
export class Remediations {
  /** What a check is, by its uid. */
  readonly checks = new Lately<MachineHealthCheckObject>();
  readonly #options: RemediationsOptions;
  /** By the uid of a Machine: when a check last asked for its deletion. */
  readonly #asked = new Map<string, number>();
  /** Uids of Machines, each with the id of a wish. */
  readonly #wishes = new Set<string>();

  constructor(options: RemediationsOptions) {
    this.#options = options;
    const { api, now } = options;
    api.store.onChange(({ resource, type, object, previous }) => {
      if (resource.plural === MACHINE_HEALTH_CHECKS.plural && type !== 'DELETED') {
        const isTold = previous?.metadata.generation === object.metadata.generation;
        const isAnnotated =
          JSON.stringify(previous?.metadata.annotations) !== JSON.stringify(object.metadata.annotations);
        if (isTold && !isAnnotated) return;
        this.checks.note(object.metadata.uid, object as unknown as MachineHealthCheckObject, now());
      }
      if (resource.plural === MACHINES.plural && previous !== undefined) {
        const isBegun = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
        if (isBegun) this.#seeDeletion(previous as unknown as MachineObject);
        this.#seeWish(previous as unknown as MachineObject, object as unknown as MachineObject);
      }
    });
  }

  /** A request of the product takes effect; it is for a workflow of this type. */
  seeRequest({ verb, resource, namespace, name = '' }: KubeRequest, by: string | undefined): void {
    const { api, now } = this.#options;
    if (verb !== 'delete' || resource.plural !== MACHINES.plural || by !== 'machineHealthCheck') return;
    const uid = api.store.get(resource, namespace, name)?.metadata.uid;
    if (uid !== undefined) this.#asked.set(uid, now());
  }

  #seeDeletion(machine: MachineObject): void {
    const { now, onRemediation } = this.#options;
    const { uid, annotations, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp !== undefined || this.#asked.get(uid) !== now()) return;
    const claim = readHealthClaim(annotations?.[REMEDIATED_BY_ANNOTATION] ?? '');
    onRemediation({ at: now(), machine, check: claim?.uid ?? '' });
  }

  #seeWish(machine: MachineObject, { metadata: { uid, annotations = {} } }: MachineObject): void {
    const wish = readRebootWish(annotations[REBOOT_ANNOTATION]);
    const key = `${uid} ${wish?.id}`;
    if (wish === undefined || this.#wishes.has(key)) return;
    this.#wishes.add(key);
    const claim = readHealthClaim(annotations[REMEDIATED_BY_ANNOTATION] ?? '');
    this.#options.onRebootAsked?.({ at: this.#options.now(), machine, check: claim?.uid ?? '' });
  }
}
