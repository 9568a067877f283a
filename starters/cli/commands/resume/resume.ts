import { resumeObjects } from '../../../../k8s/install/resume.ts';
import { openKube } from '../../access/kube-access.ts';
import { attempt } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';

/** `millwright resume`: takes off the pause that `install --take-over` left on every object. */
export async function resume(options: GlobalOptions): Promise<void> {
  const { kube } = openKube(options);
  await attempt('resume the machines', () => resumeObjects(kube, { log: console.log }));
}
