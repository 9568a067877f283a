import type { UnhealthyMachine } from '../../../k8s/model/machine-health-check.ts';
import type { ObjectRef } from '../../../k8s/model/object-ref.ts';
import type { MachineHealthCheckReading, MachineReading } from '../../../k8s/model/reading.ts';
import type { CheckSight } from '../../../workflows/machine-health-check/messages.ts';
import { checksOfMachine } from '../access/checks-of-machine.ts';
import type { KubeAccess } from '../access/kube-access.ts';
import { reasonOf } from '../cli-error.ts';
import { isToldWhole } from '../access/ask-check.ts';
import { formatMoment } from '../output/age.ts';

/** Asks a check's workflow for what its status has no room for. Undefined: nobody answers. */
type AskCheck = (ref: ObjectRef) => Promise<CheckSight | undefined>;

/** What health checks have to do with a Machine. */
export interface HealthOfMachine {
  /** A sentence. */
  readonly words: string;
  /** One finds it not healthy. */
  readonly isUnhealthy: boolean;
}

/** Undefined: nothing now. Never rejects: the rest is worth reading. */
export async function readHealthOf(
  access: Pick<KubeAccess, 'kube' | 'apis'>,
  machine: MachineReading,
  ask: AskCheck,
  now: number,
): Promise<HealthOfMachine | undefined> {
  try {
    const checks = await checksOfMachine(access, machine);
    const rows = (await Promise.all(checks.map((check) => rowsOf(check, machine.meta.ref.name, ask)))).flat();
    const words = healthOf(machine, checks, rows, now);
    return words === undefined ? undefined : { words, isUnhealthy: rows.length > 0 };
  } catch (error) {
    return { words: `unknown: ${reasonOf(error)}`, isUnhealthy: false };
  }
}

/** What a check tells of a Machine. */
interface Row extends UnhealthyMachine {
  readonly check: ObjectRef;
}

async function rowsOf({ meta, status }: MachineHealthCheckReading, machine: string, ask: AskCheck): Promise<Row[]> {
  const told = (rows: readonly UnhealthyMachine[] = []): Row[] =>
    rows.filter(({ name }) => name === machine).map((row) => ({ check: meta.ref, ...row }));
  const rows = told(status.unhealthyMachines);
  return rows.length > 0 || isToldWhole(status) ? rows : told((await ask(meta.ref))?.unhealthy);
}

/**
 * @param checks those that select the Machine
 * @param rows what they tell of it
 */
function healthOf(
  { health: { claim, remediate } }: MachineReading,
  checks: readonly MachineHealthCheckReading[],
  rows: readonly Row[],
  now: number,
): string | undefined {
  const told = rows.map(({ check, cause, since, next, dueAt }) => {
    const verb = check.uid === claim?.uid ? 'remediates it' : 'finds it not healthy';
    const due = dueAt === undefined ? '' : ` (due ${formatMoment(dueAt, now)})`;
    return `${check.name} ${verb}: ${cause}, since ${formatMoment(since, now)}; ${next}${due}`;
  });
  if (claim === undefined && checks.length === 0 && remediate !== undefined) {
    const reason = remediate === '' ? '' : ` (${remediate})`;
    return `somebody wants it remediated${reason}, and no health check selects it, so nothing comes of that before one does`;
  }
  if (claim === undefined || rows.some(({ check }) => check.uid === claim.uid)) {
    return told.length === 0 ? undefined : told.join('. ');
  }
  const isThere = checks.some(({ meta: { ref } }) => ref.uid === claim.uid);
  const dead = `${claim.name} remediates it by its annotation, but not any more: that check is gone, malformed (\`millwright healthcheck explain ${claim.name}\`), or selects it no more`;
  const claimed = isThere ? `${claim.name} remediates it` : dead;
  return [claimed, ...told].join('. ');
}
