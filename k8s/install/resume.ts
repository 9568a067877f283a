import type { KubeClient } from '../client.ts';
import { MACHINE_SETS, MACHINES } from '../resources.ts';
import { refuseWhileTakingOver } from './api-group.ts';
import { refuseWhileControllersRun } from './known-controllers.ts';
import { annotateAll, PAUSED_BY_TAKE_OVER } from './pause.ts';

export interface ResumeOptions {
  /** Where to tell, a line each, what is done. @default nowhere */
  readonly log?: (line: string) => void;
}

/**
 * Takes the pause of a take-over off every Machine and then off every MachineSet, so that no set decides on machines
 * that do not move yet. Objects that somebody else paused stay paused. Rejects with ControllerRunningError while a known
 * controller runs, and with TakeOverUnfinishedError before the take-over has ended. May be repeated.
 */
export async function resumeMachines(
  kube: KubeClient,
  { log = () => {} }: ResumeOptions = {},
): Promise<{ readonly machines: number; readonly machineSets: number }> {
  await refuseWhileTakingOver(kube);
  await refuseWhileControllersRun(kube);
  const isOurPause = (value: string | undefined) => value === PAUSED_BY_TAKE_OVER;
  const machines = await annotateAll(kube, MACHINES, isOurPause, null);
  log(`Machines resumed: ${machines}`);
  const machineSets = await annotateAll(kube, MACHINE_SETS, isOurPause, null);
  log(`MachineSets resumed: ${machineSets}`);
  return { machines, machineSets };
}
