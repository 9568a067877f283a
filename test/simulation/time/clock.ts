import type { Clock } from '../../../providers/clock.ts';
import type { Agenda } from './agenda.ts';
import type { Random } from './random.ts';

/** The clock of what stands outside the product: it is right. */
export function clockOf(agenda: Agenda, random: Random): Clock {
  return {
    now: () => agenda.now,
    timeOfDay: () => agenda.now,
    after: (ms, run) => agenda.after(ms, run),
    random: () => random.next(),
  };
}
