import { hash } from 'node:crypto';
import { sortedJson } from './json.ts';

/** Short hash of JSON, whatever the order of its keys. */
export function specHashOf(value: unknown): string {
  return hash('sha256', sortedJson(value), 'hex').slice(0, 16);
}
