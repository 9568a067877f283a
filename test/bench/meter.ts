import type { Stack } from '../../devstack/stack/stack.ts';
import { isCounted, readWrites, type AuditedWrite } from './audit-log.ts';
import { callsSince, type CloudCall } from './cloud-calls.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { usageSince, type ProcessUsage } from './process-usage.ts';

/** What was done and used in a phase. */
export interface Reading {
  /** By worker and watcher; Events and Leases apart. */
  readonly writes: readonly AuditedWrite[];
  readonly calls: readonly CloudCall[];
  readonly processes: Readonly<Record<string, ProcessUsage>>;
}

/** Counts from now on, until it is read. */
export function startMeter(stack: Stack): {
  readonly startedAt: number;
  read(): Promise<Reading>;
} {
  const cpuBefore = cpuSeconds(stack.processes);
  const startedAt = Date.now();
  return {
    startedAt,
    async read() {
      const processes = usageSince(stack.processes, cpuBefore);
      const writes = (await readWrites(stack.files.auditLog, startedAt)).filter(isCounted);
      return { writes, calls: await callsSince(stack, startedAt), processes };
    },
  };
}
