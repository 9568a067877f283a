import type { Command } from 'commander';
import { seconds } from '../../flags/flag-values.ts';

/** Of `--wait`: a machine with its workloads takes its time, one that hangs does not end. */
const TIMEOUT_SECONDS = 600;

/**
 * Flags and arguments of the commands that ask something of machines.
 *
 * @param goal completes `return when …`
 */
export function addOperationFlags(command: Command, goal: string): Command {
  return command
    .argument('<names...>', 'names of Machines')
    .option('--wait', `return when ${goal}; says meanwhile what each waits for. Ctrl-C ends the wait only`)
    .option('--timeout <seconds>', 'how long to wait with --wait', seconds, TIMEOUT_SECONDS);
}
