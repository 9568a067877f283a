import { createHash } from 'node:crypto';

/** The token of an attempt: what makes every repeat of its call the same call to the cloud. */
export function tokenOf(uid: string, attempt: number): string {
  return createHash('sha256').update(`millwright/${uid}/${attempt}`).digest('hex').slice(0, 40);
}
