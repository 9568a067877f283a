import type { Command } from 'commander';

export function addResume(program: Command): void {
  program
    .command('resume')
    .description('take off the pause that `install --take-over` left on machines, sets, deployments and health checks')
    .action(async (_options, command: Command) => (await import('./resume.ts')).resume(command.optsWithGlobals()));
}
