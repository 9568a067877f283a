import { readFileSync } from 'node:fs';

/** What the processors of this computer did since it started, in ticks. */
interface Ticks {
  readonly busy: number;
  /** Wanted by us, and given to others by the hypervisor. */
  readonly stolen: number;
}

/**
 * Begins to watch how much of this computer's time its hypervisor gives to others. Limits of time are those of a computer that
 * is there for the tests alone: multiplied by this they hold on a shared one, too.
 *
 * @returns tells by which factor work took longer since then: 1 where nothing was taken away, or where nobody tells
 */
export function watchSlowness(): () => number {
  const before = readTicks();
  return () => slownessBetween(before, readTicks());
}

export function slownessBetween(before: Ticks, after: Ticks): number {
  const busy = after.busy - before.busy;
  const stolen = after.stolen - before.stolen;
  // In a moment too short to tell, nothing counts as taken.
  return busy < 10 ? 1 : (busy + stolen) / busy;
}

/** The first line of /proc/stat: cpu, user, nice, system, idle, iowait, irq, softirq, steal, … */
export function parseTicks(stat: string): Ticks {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = (stat.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { busy: user + nice + system + irq + softirq, stolen };
}

function readTicks(): Ticks {
  try {
    return parseTicks(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return { busy: 0, stolen: 0 };
  }
}
