import type { MachineHealthCheckReading, MachineReading } from '../../../k8s/model/reading.ts';
import { checksOfMachine } from '../access/checks-of-machine.ts';
import type { KubeAccess } from '../access/kube-access.ts';
import { reasonOf } from '../cli-error.ts';
import { formatMoment } from '../output/age.ts';

/** What health checks have to do with a Machine, as a sentence; undefined: nothing now. Never rejects: the rest is worth reading. */
export async function readHealthOf(
  access: Pick<KubeAccess, 'kube' | 'apis'>,
  machine: MachineReading,
  now: number,
): Promise<string | undefined> {
  try {
    return healthOf(machine, await checksOfMachine(access, machine), now);
  } catch (error) {
    return `unknown: ${reasonOf(error)}`;
  }
}

/** @param checks those that select the Machine */
export function healthOf(
  { meta, health: { claim } }: MachineReading,
  checks: readonly MachineHealthCheckReading[],
  now: number,
): string | undefined {
  const rows = checks.flatMap(({ meta: { ref }, status }) => {
    const row = status.unhealthyMachines?.find(({ name }) => name === meta.ref.name);
    return row === undefined ? [] : [{ check: ref, ...row }];
  });
  const told = rows.map(({ check, cause, since, next, dueAt }) => {
    const verb = check.uid === claim?.uid ? 'remediates it' : 'finds it not healthy';
    const due = dueAt === undefined ? '' : ` (due ${formatMoment(dueAt, now)})`;
    return `${check.name} ${verb}: ${cause}, since ${formatMoment(since, now)}; ${next}${due}`;
  });
  if (claim === undefined || rows.some(({ check }) => check.uid === claim.uid)) {
    return told.length === 0 ? undefined : told.join('. ');
  }
  const isThere = checks.some(({ meta: { ref } }) => ref.uid === claim.uid);
  const claimed = `${claim.name} remediates it${isThere ? '' : ', by its annotation; but that check is gone, or selects it no more'}`;
  return [claimed, ...told].join('. ');
}
