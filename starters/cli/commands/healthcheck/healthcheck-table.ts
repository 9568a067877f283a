import type { MachineHealthCheckReading } from '../../../../k8s/model/reading.ts';
import { formatSelector } from '../../../../k8s/selector.ts';
import { describeShare } from '../../../../workflows/machine-health-check/shares.ts';
import { ageOf } from '../../output/age.ts';
import { paint } from '../../output/paint.ts';
import type { RowOptions } from '../../output/table.ts';
import { isBroken, isHolding } from './brakes.ts';

type Column = readonly [head: string, cell: (read: MachineHealthCheckReading) => string];

/** Head and rows of the table of MachineHealthChecks, ordered by namespace and name; two of one name are of two APIs. */
export function healthCheckRows(checks: readonly MachineHealthCheckReading[], options: RowOptions): string[][] {
  const columns: Column[] = [
    ...(options.withNamespace ? [['NAMESPACE', ({ meta }) => meta.ref.namespace] satisfies Column] : []),
    ['NAME', ({ meta }) => meta.ref.name],
    ...(options.isWide ? [['APIVERSION', ({ meta }) => meta.ref.apiVersion] satisfies Column] : []),
    ['MAXUNHEALTHY', maxUnhealthyOf],
    ['EXPECTEDMACHINES', ({ status }) => String(status.expectedMachines ?? '')],
    ['CURRENTHEALTHY', healthyOf],
    ...(options.isWide
      ? ([['SELECTOR', ({ machineHealthCheck }) => formatSelector(machineHealthCheck.selector)]] satisfies Column[])
      : []),
    ['AGE', ({ meta }) => ageOf(meta.createdAt, options.now)],
    ['NOTES', (read) => notesOn(read, options.isWide)],
  ];
  const key = ({ meta }: MachineHealthCheckReading) => `${meta.ref.namespace}/${meta.ref.name}`;
  const ordered = [...checks].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return [columns.map(([head]) => head), ...ordered.map((read) => columns.map(([, cell]) => cell(read)))];
}

function maxUnhealthyOf({ machineHealthCheck: { malformed, limits } }: MachineHealthCheckReading): string {
  if (malformed !== undefined) return '';
  const { unhealthyRange: range, maxUnhealthy } = limits;
  return range === undefined ? describeShare(maxUnhealthy) : `[${range.from}-${range.to}]`;
}

function healthyOf({ status: { currentHealthy, expectedMachines } }: MachineHealthCheckReading): string {
  if (currentHealthy === undefined) return '';
  return paint(currentHealthy === expectedMachines ? 'green' : 'yellow', String(currentHealthy));
}

/** What holds remediations up, and what is broken. */
function notesOn({ machineHealthCheck: { malformed }, status }: MachineHealthCheckReading, isWide: boolean): string {
  if (malformed !== undefined) return paint('red', isWide ? `MalformedObject: ${malformed}` : 'MalformedObject');
  const holding = (status.conditions ?? []).filter((one) => isHolding(one) || isBroken(one));
  return paint('yellow', holding.map(({ reason, message }) => (isWide ? `${reason}: ${message}` : reason)).join('; '));
}
