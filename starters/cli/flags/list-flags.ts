import { Option, type Command } from 'commander';
import type { GlobalOptions } from './global-options.ts';

export interface ListOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  /** As kubectl's `-l`. */
  readonly selector?: string;
}

/** Flags of the commands that list. */
export function addListFlags(command: Command): Command {
  return command
    .option('-A, --all-namespaces', 'of all namespaces')
    .addOption(
      new Option('-l, --selector <selector>', 'only those with these labels, as in kubectl, e.g. role=worker,zone!=a'),
    );
}
