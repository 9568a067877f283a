import { readFileSync } from 'node:fs';
import { cpuSeconds } from './cpu-seconds.ts';
import { round } from './numbers.ts';

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
    { cpuSeconds: round(seconds - (before[name] ?? 0)), peakRssMb: memoryMb(processes[name]?.pid ?? 0, 'VmHWM') },
  ]);
  return Object.fromEntries(used) as Record<string, ProcessUsage>;
}

/** Memory that each process has resident, in MB. */
export function residentMb(processes: Processes): Record<string, number> {
  return Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, memoryMb(pid, 'VmRSS')]));
}

/** CPU of our own processes, worker and watcher, for each machine. */
export function nodeCpuMs(used: Readonly<Record<string, ProcessUsage>>, machines: number): number {
  const seconds = ['worker', 'watcher'].reduce((sum, name) => sum + (used[name]?.cpuSeconds ?? 0), 0);
  return Math.round((seconds * 1000) / machines);
}

function memoryMb(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Math.round(Number(match?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
