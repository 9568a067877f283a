import { hash } from 'node:crypto';

/** Short hash of JSON, whatever the order of its keys. */
export function specHashOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 16);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
