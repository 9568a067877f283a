import type { Command } from 'commander';

export function addTree(program: Command): void {
  program
    .command('tree')
    .argument('<cluster>', 'name of the cluster that its Machines say they belong to')
    .description('every object of a cluster, and whether it is ready or why not')
    .action(async (cluster: string, _options, command: Command) =>
      (await import('./tree.ts')).showTree(cluster, command.optsWithGlobals()),
    );
}
