import { Option, type Command } from 'commander';
import { port } from './flag-values.ts';

/** Flags of the commands that run until they are told to end. */
export function addProcessFlags(command: Command): Command {
  return command
    .option('--task-queue <name>', 'Temporal task queue (default: millwright-<uid of kube-system>)')
    .option('--health-port <port>', 'serve /healthz, /readyz and /metrics on this port', port)
    .option('--health-host <address>', 'address to serve them on (default: 127.0.0.1)')
    .option('--profiling-port <port>', 'serve CPU profiles and heap snapshots on this port of 127.0.0.1', port)
    .addOption(
      new Option('--log-level <level>', 'least level that is logged').choices([
        'trace',
        'debug',
        'info',
        'warn',
        'error',
        'fatal',
      ]),
    );
}
