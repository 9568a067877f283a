import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { Lately } from '../people/lately.ts';
import { given } from '../../../providers/given.ts';

/** What is wanted of a Machine, and what its status says to that. Times are milliseconds since the epoch. */
export interface Wish {
  /** Since when it is to go by `spec.delete`, or by its deletion. */
  readonly toGoSince?: number;
  /** It was to go before it was there. */
  readonly wasNeverWanted: boolean;
  /** Since when its Node is to be empty, for its end or for a maintenance. */
  readonly toEmptySince?: number;
  /** With which generation that was taken back; absent: it was never wanted, or is now. */
  readonly takenBack?: number;
  /** That was taken back, and its status says that nothing of it is under way. */
  readonly isAcknowledged: boolean;
}

const NONE: Wish = { wasNeverWanted: false, isAcknowledged: false };

/** What people want of Machines, from what is written into them: in the moment that it is written. */
export class Wishes {
  readonly policies = new Lately<string>('graceful');
  /** The time that a drain may take, as it is written. */
  readonly timeouts = new Lately<string | undefined>(undefined);
  /** How long volumes may be waited for, as it is written. */
  readonly volumeTimeouts = new Lately<string | undefined>(undefined);
  /** Whether a Machine is to go, by its deletion or by `spec.delete`. */
  readonly toGo = new Lately<boolean>(false);
  /** Whether it is by `spec.delete`. */
  readonly deletes = new Lately<boolean>(false);
  readonly maintenance = new Lately<boolean>(false);
  /** Whether a health check wants it rebooted, for which its Node is emptied. */
  readonly reboots = new Lately<boolean>(false);
  readonly #wishes = new Map<string, Wish>();

  constructor(api: Pick<ApiServer, 'store'>, now: () => number) {
    api.store.onChange(({ resource, object }) => {
      if (resource.plural !== MACHINES.plural) return;
      this.#see(object as unknown as MachineObject, now());
    });
  }

  of(uid: string): Wish {
    return this.#wishes.get(uid) ?? NONE;
  }

  #see(machine: MachineObject, now: number): void {
    const { metadata, spec } = machine;
    const { uid } = metadata;
    const known = this.#wishes.get(uid);
    this.#wishes.set(uid, wishAfter(known, machine, now));
    noteChange(this.policies, uid, spec.deletionPolicy ?? 'graceful', now);
    noteChange(this.timeouts, uid, spec.drain?.timeout, now);
    noteChange(this.volumeTimeouts, uid, spec.drain?.volumeDetachTimeout, now);
    noteChange(this.toGo, uid, isToGo(machine), now);
    noteChange(this.deletes, uid, spec.delete === true, now);
    noteChange(this.maintenance, uid, spec.maintenance === true, now);
    noteChange(this.reboots, uid, metadata.annotations?.[REBOOT_ANNOTATION] !== undefined, now);
  }
}

/** What is wanted after this was written. */
export function wishAfter(before: Wish | undefined, machine: MachineObject, now: number): Wish {
  const { metadata, spec } = machine;
  const toGoSince = isToGo(machine) ? (before?.toGoSince ?? now) : undefined;
  const isToBeEmpty = toGoSince !== undefined || spec.maintenance === true;
  const toEmptySince = isToBeEmpty ? (before?.toEmptySince ?? now) : undefined;
  const wasWanted = before?.toEmptySince !== undefined;
  const takenBack = isToBeEmpty ? undefined : wasWanted ? metadata.generation : before?.takenBack;
  return {
    wasNeverWanted: toGoSince !== undefined && (before?.wasNeverWanted ?? true),
    ...given({ toGoSince, toEmptySince, takenBack }),
    isAcknowledged: takenBack !== undefined && (before?.isAcknowledged === true || isAtRest(machine, takenBack)),
  };
}

export function isToGo({ metadata, spec }: Pick<MachineObject, 'metadata' | 'spec'>): boolean {
  return metadata.deletionTimestamp !== undefined || spec.delete === true;
}

/** Whether a status that knows of this generation says that nothing is prepared or kept empty. */
function isAtRest({ status = {} }: MachineObject, generation: number): boolean {
  if ((status.observedGeneration ?? 0) < generation) return false;
  return [...preparationIn(status), ...maintenanceIn(status)].length === 0;
}

type Status = NonNullable<MachineObject['status']>;

/** What a status says of a deletion that can be aborted, and that is under way. */
export function preparationIn({ delete: isToGo, prepareDeletionPhase }: Status): readonly string[] {
  return [
    ...(isToGo === true ? ['status.delete'] : []),
    ...(prepareDeletionPhase === undefined ? [] : [`prepareDeletionPhase ${prepareDeletionPhase}`]),
  ];
}

/** What it says of a maintenance that is not over. */
export function maintenanceIn({ maintenance, conditions = [] }: Status): readonly string[] {
  return [
    ...(maintenance === true ? ['status.maintenance'] : []),
    ...conditions.flatMap(({ type }) => (type === 'Maintenance' ? ['the condition Maintenance'] : [])),
  ];
}

function noteChange<T>(lately: Lately<T>, key: string, value: T, now: number): void {
  const [newest] = lately.since(key, Infinity);
  if (newest !== value) lately.note(key, value, now);
}
