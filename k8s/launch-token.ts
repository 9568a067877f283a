import { hash } from 'node:crypto';

/** The token of an attempt: what makes every repeat of its call the same call to the cloud. */
export function tokenOf(uid: string, attempt: number): string {
  return hash('sha256', `millwright/${uid}/${attempt}`, 'hex').slice(0, 40);
}
