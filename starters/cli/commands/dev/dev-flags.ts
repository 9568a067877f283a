import type { Command } from 'commander';

export function addDev(program: Command): void {
  const dev = program.command('dev').description('disturb the embedded stack that `npm start` runs');
  dev
    .command('stop-kubelet')
    .argument('<node>', 'name of the Node')
    .description('stop the kubelet of a Node: it turns NotReady, and its instance runs on')
    .action(async (name: string, _options, command: Command) =>
      (await import('./kubelet.ts')).stopKubelet(name, command.optsWithGlobals()),
    );
  dev
    .command('start-kubelet')
    .argument('<node>', 'name of the Node')
    .description('start a kubelet again that was stopped')
    .action(async (name: string, _options, command: Command) =>
      (await import('./kubelet.ts')).startKubelet(name, command.optsWithGlobals()),
    );
}
