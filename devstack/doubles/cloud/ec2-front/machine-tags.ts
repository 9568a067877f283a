/** Whose an instance is, from its tags. */

/** `namespace/name` of the Machine. */
export const MACHINE_TAG = 'millwright/machine';
/** UID of the Machine. */
export const MACHINE_UID_TAG = 'millwright/machine-uid';

type Tags = Readonly<Record<string, string>>;

/** The Machine as `namespace/name`; without that tag the instance's Name; null: neither. */
export function machineOfTags(tags: Tags): string | null {
  return tags[MACHINE_TAG] ?? tags['Name'] ?? null;
}

export function machineUidOfTags(tags: Tags): string | null {
  return tags[MACHINE_UID_TAG] ?? null;
}
