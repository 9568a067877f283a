import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import { readHealthClaim, REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { readRebootWish, REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';

/** What may hold the next step back though all is calm, in milliseconds: a storm that waits for a person, and steps that failed before. */
const HELD_MS = 1_200_000;

export interface EndlessReboots {
  /** Since when nothing is disturbed any more, in milliseconds since the epoch. */
  readonly calmSince: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Reboots that are waited for without end. One that helped is over soon after that, and its check takes the wish off. One that nobody
 * answered is over after nodeStartupTimeout: then the machine is deleted, or the wish is another one, or none.
 */
export function endlessReboots(api: Pick<ApiServer, 'all'>, { calmSince, now }: EndlessReboots): readonly string[] {
  const checks = new Map(
    api.all<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS).map((check) => [check.metadata.uid, check]),
  );
  return api.all<MachineObject>(MACHINES).flatMap(({ metadata, status }) => {
    const { annotations = {}, deletionTimestamp, name } = metadata;
    const wish = readRebootWish(annotations[REBOOT_ANNOTATION]);
    const { id, state, sentAt = '' } = status?.providerStatus?.reboot ?? {};
    if (wish === undefined || wish.id !== id || state !== 'Sent' || deletionTimestamp !== undefined) return [];
    const check = checks.get(readHealthClaim(annotations[REMEDIATED_BY_ANNOTATION] ?? '')?.uid ?? '');
    const verdictMs = parseDuration(check?.spec.nodeStartupTimeout ?? '') ?? 0;
    const isOver = now > Math.max(calmSince, Date.parse(sentAt)) + verdictMs + HELD_MS;
    return isOver ? [`Machine ${name} was rebooted at ${sentAt}, and nothing has come of that since`] : [];
  });
}
