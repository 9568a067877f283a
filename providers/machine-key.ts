import { hash } from 'node:crypto';

/** Longest value of a tag that every cloud takes, in characters. A namespace and a name may be longer together. */
const LONGEST = 256;
const HASH_LENGTH = 32;

/**
 * By which a Machine is found again that has another uid: `<namespace>/<name>`, as the tags of its instance have it. What is too long
 * is cut, and ends in a hash of the whole: no two Machines share it.
 */
export function machineKeyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  const whole = `${namespace}/${name}`;
  if (whole.length <= LONGEST) return whole;
  return `${whole.slice(0, LONGEST - HASH_LENGTH - 1)}/${hash('sha256', whole, 'hex').slice(0, HASH_LENGTH)}`;
}
