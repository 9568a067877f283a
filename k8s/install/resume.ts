import type { KubeClient } from '../client.ts';
import type { Role } from '../dialects/kind.ts';
import { APIS, type ApiRegistry } from '../dialects/registry.ts';
import { refuseWhileTakingOver } from './api-group.ts';
import { refuseWhileControllersRun } from './known-controllers.ts';
import { annotateAll, PAUSED_BY_TAKE_OVER } from './pause.ts';

export interface ResumeOptions {
  /** Whose objects are resumed. @default all that there are */
  readonly apis?: ApiRegistry;
  /** Where to tell, a line each, what is done. @default nowhere */
  readonly log?: (line: string) => void;
}

/**
 * Takes the pause of a take-over off every Machine, then off every MachineSet, and then off every MachineHealthCheck, so
 * that no set decides on machines that do not move yet, and no check on either. Objects that somebody else paused stay paused. Rejects with ControllerRunningError while a known
 * controller runs, and with TakeOverUnfinishedError before the take-over has ended. May be repeated.
 */
export async function resumeMachines(
  kube: KubeClient,
  { apis = APIS, log = () => {} }: ResumeOptions = {},
): Promise<{ readonly machines: number; readonly machineSets: number; readonly machineHealthChecks: number }> {
  await refuseWhileTakingOver(kube, apis);
  await refuseWhileControllersRun(kube);
  const isOurPause = (value: string | undefined) => value === PAUSED_BY_TAKE_OVER;
  const machines = await resumeAll('machine');
  log(`Machines resumed: ${machines}`);
  const machineSets = await resumeAll('machineSet');
  log(`MachineSets resumed: ${machineSets}`);
  const machineHealthChecks = await resumeAll('machineHealthCheck');
  log(`MachineHealthChecks resumed: ${machineHealthChecks}`);
  return { machines, machineSets, machineHealthChecks };

  async function resumeAll(role: Role): Promise<number> {
    let resumed = 0;
    for (const { resource } of apis.kinds(role)) resumed += await annotateAll(kube, resource, isOurPause, null);
    return resumed;
  }
}
