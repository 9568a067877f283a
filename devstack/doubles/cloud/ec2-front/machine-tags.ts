/** Whose an instance is, from its tags. */

import type { Owner } from '../ledger.ts';

/** `namespace/name` of the Machine. */
export const MACHINE_TAG = 'millwright/machine';
/** UID of the Machine. */
export const MACHINE_UID_TAG = 'millwright/machine-uid';

type Tags = Readonly<Record<string, string>>;

/** The Machine as `namespace/name`; without that tag the instance's Name; null: neither. */
export function machineOfTags(tags: Tags): string | null {
  return tags[MACHINE_TAG] ?? tags['Name'] ?? null;
}

export function ownerOf(tags: Tags): Owner {
  return { machine: machineOfTags(tags), machineUid: tags[MACHINE_UID_TAG] ?? null };
}
