import type { KubeClient } from '../client.ts';
import { APIS, type ApiRegistry } from '../dialects/registry.ts';
import { PAUSED_BY_TAKE_OVER } from '../model/paused-annotation.ts';
import { refuseWhileTakingOver } from './api-group.ts';
import { refuseWhileControllersRun } from './known-controllers.ts';
import { annotateAll } from './pause.ts';
import { namesOfPaused, PAUSED_ROLES, type PausedRole } from './paused-roles.ts';

export interface ResumeOptions {
  /** Whose objects are resumed. @default all that there are */
  readonly apis?: ApiRegistry;
  /** Where to tell, a line each, what is done. @default nowhere */
  readonly log?: (line: string) => void;
}

/**
 * Takes the pause of a take-over off every object, role by role, in the order of {@link PAUSED_ROLES}. Objects that somebody else
 * paused stay paused. Rejects with ControllerRunningError while a known controller runs, and with TakeOverUnfinishedError before
 * the take-over has ended. May be repeated.
 *
 * @returns how many of each role were resumed
 */
export async function resumeObjects(
  kube: KubeClient,
  { apis = APIS, log = () => {} }: ResumeOptions = {},
): Promise<Readonly<Record<PausedRole, number>>> {
  await refuseWhileTakingOver(kube, apis);
  await refuseWhileControllersRun(kube);
  const isOurPause = (value: string | undefined) => value === PAUSED_BY_TAKE_OVER;
  const resumed: [PausedRole, number][] = [];
  for (const role of PAUSED_ROLES) {
    let count = 0;
    for (const { resource } of apis.kinds(role)) count += await annotateAll(kube, resource, isOurPause, null);
    log(`${namesOfPaused(apis, [role])} resumed: ${count}`);
    resumed.push([role, count]);
  }
  return Object.fromEntries(resumed) as Record<PausedRole, number>;
}
