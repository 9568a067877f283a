import { Option, type Command } from 'commander';
import type { DeletionPolicy } from '../../../../k8s/model/machine.ts';
import { addOperationFlags } from './operation-flags.ts';

const POLICIES: readonly DeletionPolicy[] = ['graceful', 'unsafe', 'forced'];

export function addMachineDelete(machine: Command): void {
  const command = machine
    .command('delete')
    .summary('delete machines so that it can be aborted, or abort that')
    .description(
      'delete machines, and with each its instance; with one unknown name nothing is deleted. It writes spec.delete, which --abort takes back until hooks, drain and volumes are done with; `kubectl delete machine` is final from the first moment',
    )
    .addOption(
      new Option(
        '--policy <policy>',
        'how they go, into spec.deletionPolicy. graceful: with a drain. unsafe: without one; hooks still hold. forced: without drain and hooks, and without a cloud that fails for 5 minutes. While a deletion is under way it can only go from graceful to unsafe to forced',
      ).choices([...POLICIES]),
    )
    .option(
      '--force',
      'of machines of a control plane: do not wait for their turn, nor until enough of the others are Ready, which may cost the quorum. Nothing else is forced: hooks, budgets and the cloud are waited for as the policy says. Who wanted it is written on the Machine (annotation millwright.dev/out-of-turn)',
    )
    .addOption(
      new Option(
        '--abort',
        'take a deletion back: pods are not asked to leave any more, and Nodes are uncordoned',
      ).conflicts(['policy', 'force']),
    );
  addOperationFlags(command, 'they are gone, with --abort when they are not being deleted any more').action(
    async (names: string[], _options, self: Command) =>
      (await import('./delete.ts')).deleteMachines(names, self.optsWithGlobals()),
  );
}
