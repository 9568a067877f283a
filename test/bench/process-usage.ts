import { readFileSync } from 'node:fs';
import { cpuSeconds } from './cpu-seconds.ts';

type Processes = Readonly<Record<string, { readonly pid: number }>>;

export interface ProcessUsage {
  readonly cpuSeconds: number;
  /** Most memory that it ever had resident. */
  readonly peakRssMb: number;
}

/** What each process has used since `before`, as /proc tells it. Empty where the system has no /proc. */
export function usageSince(
  processes: Processes,
  before: Readonly<Record<string, number>>,
): Record<string, ProcessUsage> {
  const used = Object.entries(cpuSeconds(processes)).map(([name, seconds]) => [
    name,
    { cpuSeconds: round(seconds - (before[name] ?? 0)), peakRssMb: peakRssMb(processes[name]?.pid ?? 0) },
  ]);
  return Object.fromEntries(used) as Record<string, ProcessUsage>;
}

function peakRssMb(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
