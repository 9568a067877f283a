import type { Meta } from './reading.ts';

/**
 * On a Machine that adopts an instance, written before the instance is tagged: its id, and when. The tags may be there although
 * nobody recorded it, and although the cloud still shows the instance without them.
 */
export const CLAIM_ANNOTATION = 'millwright.dev/claimed-instance';

/** What the Machine notes of the last claim; undefined: it never claimed an instance. */
export function claimOf({ annotations }: Pick<Meta, 'annotations'>): string | undefined {
  return annotations[CLAIM_ANNOTATION];
}
