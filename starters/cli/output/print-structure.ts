import { stringify } from 'yaml';
import type { OutputFormat } from '../flags/global-options.ts';
import { renderTemplate } from './json-path.ts';

/** Formats for programs. */
export type StructureFormat = Exclude<OutputFormat, 'wide'>;

/** False: it is to be printed for people. */
export function isStructure(output: OutputFormat | undefined): output is StructureFormat {
  return output !== undefined && output !== 'wide';
}

/** Prints data for programs. What a template says is printed as it is, without an end of line: as kubectl does. */
export function printStructure(data: unknown, format: StructureFormat): void {
  if (format === 'json') console.log(JSON.stringify(data, undefined, 2));
  else if (format === 'yaml') console.log(stringify(data).trimEnd());
  else process.stdout.write(renderTemplate(format.slice('jsonpath='.length), data));
}
