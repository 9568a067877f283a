import { stringify } from 'yaml';

/** Prints data for programs. */
export function printStructure(data: unknown, format: 'json' | 'yaml'): void {
  console.log(format === 'json' ? JSON.stringify(data, undefined, 2) : stringify(data).trimEnd());
}
