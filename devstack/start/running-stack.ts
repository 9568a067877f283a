import { stackFiles, stopCommand } from '../stack/stack-files.ts';
import { isAlive, readStackDescription, readSupervisorRecord } from '../stack/stack-record.ts';
import { machineTable } from './machine-table.ts';
import { summary } from './summary.ts';
import { seeMachines, type MachinesSeen } from './watch-machines.ts';

/**
 * Where a stack runs in the state folder already, says so and shows it.
 * @returns the exit code, or undefined where none runs
 */
export async function showRunningStack(stateDir: string, fresh: boolean): Promise<number | undefined> {
  const files = stackFiles(stateDir, '');
  const record = readSupervisorRecord(files);
  const alive = record?.processes.filter(isAlive) ?? [];
  if (!record || alive.length === 0) return undefined;
  const description = readStackDescription(files);
  if (!record.complete || !description) {
    const starts = isAlive(record.supervisor);
    console.error(
      starts
        ? `Another npm start (pid ${record.supervisor.pid}) is bringing up the stack in ${files.root}.`
        : `A start in ${files.root} was cut off and left ${alive.map(({ name }) => name).join(', ')} running; npm stop ends them.`,
    );
    return 1;
  }
  const dead = record.processes.filter((process) => !isAlive(process));
  if (dead.length > 0) {
    const lost = dead.map(({ name, log }) => `${name} (log: ${log})`).join(', ');
    console.error(`The stack in ${files.root} runs, but has lost ${lost}; npm stop, then npm start.`);
    return 1;
  }
  if (fresh) {
    console.error(`The stack in ${files.root} runs; ${stopCommand(files.root)} ends it: do that before --fresh.`);
    return 1;
  }
  console.log(`The stack in ${files.root} runs already.\n`);
  const seen: MachinesSeen = await seeMachines(description.kubeconfig);
  console.log(machineTable(seen.machines));
  process.stdout.write(summary(files, description, seen, `${stopCommand(files.root)} ends it.`));
  return 0;
}
