import { EXTERNAL_REMEDIATION_ANNOTATION } from '../../../../k8s/model/health-claim.ts';
import type { MachineHealthCheckReading, MachineReading } from '../../../../k8s/model/reading.ts';
import { oneLine } from '../../../../providers/one-line.ts';
import { isSkipped } from '../../../../workflows/machine-health-check/skip.ts';
import { checksOfMachine } from '../../access/checks-of-machine.ts';
import { findObject } from '../../access/find-object.ts';
import { nameMyself } from '../../access/who-am-i.ts';
import { CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { ask, describe, openOperation, pauseOf, type FoundMachine, type OperationParts } from './operation.ts';

export interface RemediateOptions extends GlobalOptions {
  readonly reason?: string;
}

type Parts = Pick<OperationParts, 'access' | 'clock' | 'print'>;

/** `millwright machine remediate NAME`. */
export function remediateMachine(name: string, options: RemediateOptions): Promise<void> {
  return askForRemediation(openOperation(options), name, options);
}

/** Has the health check of a Machine remediate it. */
export async function askForRemediation(
  { access, clock, print }: Parts,
  name: string,
  { reason }: RemediateOptions,
): Promise<void> {
  const { kube } = access;
  const machine = await findObject(access, 'machine', name);
  const what = `have ${describe(machine)} remediated`;
  if (machine.read.machine.deletedAt !== undefined) {
    throw new CliError(`could not ${what}: it is being deleted already; nothing was changed`);
  }
  const checks = await checksOfMachine(access, machine.read);
  const before = machine.read.health.remediate ?? '';
  // A reason that somebody gave says more than who ran this.
  const byDefault = async () => (before === '' ? `${await nameMyself(kube)} ran millwright machine remediate` : before);
  const why = reason ?? (await byDefault());
  if ((await ask(kube, machine, { remediate: why }, what)) === undefined) {
    throw new CliError(`could not ${what}: it is gone`);
  }
  const told = toldOfReason(before, why);
  print(`${describe(machine)} is to be remediated${told}: ${consequenceOf(machine, checks, clock.timeOfDay())}`);
}

/** What became of the reason that stood there, if any did. */
function toldOfReason(before: string, why: string): string {
  if (before === '') return '';
  return before === why
    ? `, as was asked for before (${oneLine(before)})`
    : `, no longer for the reason that stood there (${oneLine(before)})`;
}

/** Who sees to it, and what keeps it from that. */
function consequenceOf(machine: FoundMachine, checks: readonly MachineHealthCheckReading[], now: number): string {
  const { meta } = machine.read;
  return [
    whoSeesToIt(machine.read, checks),
    ...(meta.controller === undefined
      ? ['no controller owns it, so it is never deleted for that: nobody would make another one']
      : []),
    ...othersWishes(machine.read, now),
    ...pauseOf(machine),
  ].join('; ');
}

function whoSeesToIt({ health: { claim } }: MachineReading, checks: readonly MachineHealthCheckReading[]): string {
  const claiming = checks.find(({ meta }) => meta.ref.uid === claim?.uid);
  if (claiming !== undefined) return `health check ${nameOf(claiming)} remediates it already`;
  const [first, ...others] = checks;
  if (first === undefined) return 'no health check selects it, so nothing comes of that before one does';
  if (others.length > 0) {
    return `the first of the health checks ${checks.map(nameOf).join(', ')} that acts sees to it`;
  }
  const look = `\`millwright healthcheck explain ${first.meta.ref.name}\` says when`;
  return `health check ${nameOf(first)} sees to it; ${look}`;
}

function nameOf({ meta, machineHealthCheck: { paused } }: MachineHealthCheckReading): string {
  return `${meta.ref.name}${paused ? ' (which is paused)' : ''}`;
}

/** What somebody else wants. */
function othersWishes({ health: { skip, external } }: MachineReading, now: number): string[] {
  const until = skip === '' ? 'before that is removed' : `before ${skip}`;
  return [
    ...(isSkipped(skip, now)
      ? [`its annotation skip-remediation says to leave it alone, so nothing happens ${until}`]
      : []),
    ...(external === true
      ? [
          `another program remediates it, so nothing happens before its annotation ${EXTERNAL_REMEDIATION_ANNOTATION} is removed`,
        ]
      : []),
  ];
}
