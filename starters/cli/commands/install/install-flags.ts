import type { Command } from 'commander';

export function addInstall(program: Command): void {
  program
    .command('install')
    .description('install definitions and policies in Kubernetes and search attributes in Temporal; may be repeated')
    .option(
      '--take-over',
      "take over an API that is somebody else's; leaves all machines, sets, deployments and health checks paused until `resume`",
    )
    .action(async (_options, command: Command) => (await import('./install.ts')).install(command.optsWithGlobals()));
}
