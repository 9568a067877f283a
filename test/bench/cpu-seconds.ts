import { readFileSync } from 'node:fs';

/** Ticks of a CPU per second in /proc, on every Linux there is. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU that each process has used since it started. Empty where the system has no /proc. */
export function cpuSeconds(processes: Readonly<Record<string, { readonly pid: number }>>): Record<string, number> {
  const used: Record<string, number> = {};
  for (const [name, { pid }] of Object.entries(processes)) {
    try {
      // The name, in parentheses, may hold spaces: fields are counted from behind it.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      used[name] = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    } catch {
      return {};
    }
  }
  return used;
}
